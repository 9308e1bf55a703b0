"""Which words is the invented world made of? Names, numbers and prose, all drawn from one seeded source."""

import random
import re
from collections.abc import Callable, Mapping

_STARTS = (
    "Bar", "Bel", "Bran", "Cald", "Cor", "Dun", "Eld", "Fen", "Gar", "Hal", "Hol", "Ild", "Jor", "Kell", "Kest",
    "Lan", "Lod", "Mar", "Mer", "Nor", "Oster", "Pell", "Quar", "Rav", "Rusk", "Sal", "Sel", "Tam", "Tarv",
    "Thorn", "Ul", "Ves", "Wend", "Yar", "Zeph", "Brim", "Crow", "Drum", "Esk", "Fal", "Glim", "Hask", "Ivel",
    "Karn", "Lisk", "Mond", "Nesk", "Orm", "Prax", "Strel",
)  # fmt: skip
_MIDDLES = (
    "a", "e", "i", "o", "u", "en", "el", "ar", "or", "in", "ov", "em", "ul", "ist", "and", "ick", "ett", "amb",
    "ond",
)  # fmt: skip
_TOWNS = (
    "ford", "holm", "by", "wick", "mouth", "stead", "gate", "ham", "bridge", "minster", "low", "port", "sund",
    "haven", "thwaite", "ness",
)  # fmt: skip
_SURNAMES = (
    "son", "man", "ley", "er", "ard", "ova", "ski", "wright", "combe", "worth", "quist", "ini", "berg", "ton",
    "ot",
)  # fmt: skip
_FIRST = (
    "Adela", "Bruno", "Cosima", "Dietmar", "Elspeth", "Fabian", "Greta", "Hamish", "Ines", "Jonas", "Katrin",
    "Leopold", "Mireille", "Nikola", "Odile", "Piers", "Rosalind", "Stellan", "Tamsin", "Ulrike", "Viktor",
    "Wilhelmina", "Xaver", "Yelena", "Zoltan", "Amos", "Beatrix", "Clement", "Dorothea", "Ewan",
)  # fmt: skip
_ADJECTIVES = (
    "Patient", "Crooked", "Silent", "Golden", "Reluctant", "Northern", "Thirsty", "Hollow", "Velvet", "Sudden",
    "Humble", "Second", "Frozen", "Lucky", "Wandering", "Amber", "Distant", "Idle", "Salted", "Brave",
)  # fmt: skip
_NOUNS = (
    "Heron", "Lantern", "Anvil", "Orchard", "Compass", "Magpie", "Teapot", "Harvest", "Pilgrim", "Otter",
    "Candle", "Bellows", "Thistle", "Mirror", "Walrus", "Ladder", "Kettle", "Sparrow", "Barrel", "Saddle",
)  # fmt: skip
_LATIN = (
    "Linaria", "Cardamina", "Veronella", "Saxofolia", "Thymaria", "Gentiola", "Scabiona", "Lamiera",
    "Orchidula", "Viciana", "Rumicella",
)  # fmt: skip
_SPECIES = (
    "borealis", "pallida", "umbrosa", "crispata", "minor", "vernalis", "tenax", "maritima", "ruderalis",
    "obscura", "lucens", "glabra",
)  # fmt: skip
_COLOURS = (
    "red", "blue", "green", "yellow", "white", "black", "orange", "purple", "brown", "grey",
)  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_WEEKDAYS = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
_INSTRUMENTS = (
    "bassoon", "viola", "harmonium", "cornet", "zither", "oboe", "mandolin", "psaltery", "trombone", "celesta",
    "dulcimer", "flugelhorn",
)  # fmt: skip
_BIRDS = (
    "dunlin", "redstart", "wheatear", "nightjar", "goosander", "siskin", "turnstone", "whinchat", "godwit",
    "pipit", "shearwater", "bittern",
)  # fmt: skip
_CRAFTS = (
    "cooper", "wheelwright", "glazier", "chandler", "saddler", "fletcher", "basket-maker", "bell-founder",
    "bookbinder", "thatcher",
)  # fmt: skip
_DISHES = (
    "barley soup", "smoked eel", "plum dumplings", "rye pudding", "leek pie", "pickled herring",
    "chestnut bread",
)  # fmt: skip
_METALS = (
    "copper", "tin", "zinc", "nickel", "cobalt", "silver", "bismuth", "antimony",
)  # fmt: skip
_THING_LIST = (
    "lanterns", "milestones", "weathervanes", "dovecotes", "turbines", "sundials", "signal boxes", "boundary stones",
    "kilns", "greenhouses", "footbridges", "stained windows", "murals", "beehives", "mooring posts",
)  # fmt: skip
_GREEK = (
    "θάλασσα", "φάρος", "ελιά", "πέτρα", "γέφυρα", "μέλισσα", "καράβι", "αμπέλι",
)  # fmt: skip
_RUSSIAN = (
    "маяк", "берёза", "сорока", "мельница", "якорь", "рябина", "колокол", "паром",
)  # fmt: skip
_JAPANESE = (
    "灯台", "白樺", "石橋", "渡し船", "風車", "桜島", "青い鳥", "水車小屋",
)  # fmt: skip
_ARABIC = (
    "منارة", "زيتون", "جسر", "قارب", "طاحونة", "نحلة",
)  # fmt: skip
_EMOJI = (
    "🦊", "🌵", "🎺", "🪁", "🐙", "🧭", "🍋", "🛶", "🪵", "🦉",
)  # fmt: skip
_ASK_NUMBER = (
    "Give only the number.", "Answer with digits alone.", "Express the result as a plain integer.",
    "A figure is enough.", "Please leave out any unit.", "Just write the count.",
    "No words, only the numeral, please.", "",
)  # fmt: skip
_ASK_NAME = (
    "Give the full name.", "Answer with the name alone.", "Use the spelling of the original source.",
    "One name is wanted.", "Write it without any title.", "Do not add anything else.", "",
    "Please name it exactly as printed there.",
)  # fmt: skip
_ASK_LIST = (
    "Separate the entries with commas.", "Answer with a comma separated list.", "Keep the order of the source.",
    "Put a comma between them and nothing else.", "Write them one after another, split by commas.",
)  # fmt: skip


def dice(*seed: object) -> random.Random:
    """A source of chance that is the same for the same seed, on every machine."""
    return random.Random("/".join(map(str, seed)))  # noqa: S311 - invented content, not a secret


def _stem(rng: random.Random) -> str:
    return rng.choice(_STARTS) + rng.choice(_MIDDLES)


def _town(rng: random.Random) -> str:
    return _stem(rng) + rng.choice(_TOWNS)


def _surname(rng: random.Random) -> str:
    return _stem(rng) + rng.choice(_SURNAMES)


def _person(rng: random.Random) -> str:
    return f"{rng.choice(_FIRST)} {_surname(rng)}"


def _title(rng: random.Random) -> str:
    return f"The {rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}"


def _code(rng: random.Random) -> str:
    letters = "".join(rng.choice("ABCDEFGHKLMNPRSTVWXZ") for _ in range(rng.randint(2, 3)))
    return f"{letters}-{rng.randint(100, 9999)}"


def _poem(rng: random.Random) -> str:
    lines = [
        f"{rng.choice(('The', 'A', 'No', 'One'))} {rng.choice(_ADJECTIVES).lower()} {rng.choice(_NOUNS).lower()} "
        f"{rng.choice(('waits beneath', 'sings above', 'forgets', 'has crossed', 'will not leave', 'counts'))} "
        f"{rng.choice(('the', 'my', 'our', 'that'))} {rng.choice(_ADJECTIVES).lower()} {rng.choice(_NOUNS).lower()}"
        for _ in range(rng.randint(2, 4))
    ]
    return " / ".join(lines)


def _rule(rng: random.Random) -> str:
    return (
        f"No {rng.choice(_CRAFTS)} shall {rng.choice(('sell', 'carry', 'weigh', 'mend'))} {rng.choice(_THING_LIST)} "
        f"{rng.choice(('after dusk', 'on a feast day', 'within the walls', 'without a seal'))} save by leave of the "
        f"{rng.choice(('reeve', 'warden', 'bailiff', 'almoner'))}, on pain of {rng.randint(2, 60)} "
        f"{rng.choice(('groats', 'shillings', 'days at the wheel', 'measures of salt'))}"
    )


_KINDS: dict[str, Callable[[random.Random], str]] = {
    "town": _town,
    "surname": _surname,
    "person": _person,
    "first": lambda rng: rng.choice(_FIRST),
    "river": lambda rng: f"River {_stem(rng)}",
    "island": lambda rng: f"{_stem(rng)}oy",
    "ship": lambda rng: f"{rng.choice(_ADJECTIVES)} {rng.choice(_NOUNS)}",
    "book": _title,
    "plant": lambda rng: f"{rng.choice(_LATIN)} {rng.choice(_SPECIES)}",
    "bird": lambda rng: rng.choice(_BIRDS),
    "firm": lambda rng: f"{_surname(rng)} & {rng.choice(('Sons', 'Daughters', 'Company', 'Partners'))}",
    "craft": lambda rng: rng.choice(_CRAFTS),
    "dish": lambda rng: rng.choice(_DISHES),
    "metal": lambda rng: rng.choice(_METALS),
    "thing": lambda rng: rng.choice(_THING_LIST),
    "instrument": lambda rng: rng.choice(_INSTRUMENTS),
    "colour": lambda rng: rng.choice(_COLOURS),
    "month": lambda rng: rng.choice(_MONTHS),
    "weekday": lambda rng: rng.choice(_WEEKDAYS),
    "day": lambda rng: str(rng.randint(1, 28)),
    "year": lambda rng: str(rng.randint(1811, 2014)),
    "small": lambda rng: str(rng.randint(1, 9)),
    "n": lambda rng: str(rng.randint(11, 98)),
    "big": lambda rng: str(rng.randint(1200, 98000)),
    "dec": lambda rng: f"{rng.randint(0, 40)}.{rng.randint(11, 99)}",
    "minus": lambda rng: f"-{rng.randint(2, 38)}",
    "code": _code,
    "yesno": lambda rng: rng.choice(("yes", "no")),
    "letter": lambda rng: rng.choice("ABCDEFGHKLMNPRSTW"),
    "greek": lambda rng: rng.choice(_GREEK),
    "russian": lambda rng: rng.choice(_RUSSIAN),
    "japanese": lambda rng: rng.choice(_JAPANESE),
    "arabic": lambda rng: rng.choice(_ARABIC),
    "emoji": lambda rng: rng.choice(_EMOJI),
    "poem": _poem,
    "rule": _rule,
    "asknumber": lambda rng: rng.choice(_ASK_NUMBER),
    "askname": lambda rng: rng.choice(_ASK_NAME),
    "asklist": lambda rng: rng.choice(_ASK_LIST),
}

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_SLOT = re.compile(r"\{([a-z]+)(\d*)\}")


class Slots:
    """What stands for each blank in the patterns of one task: drawn when first asked for, the same ever after."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._values: dict[str, str] = {}

    def fill(self, pattern: str) -> str:
        """The pattern with one of each `[this|that]` and a word for each `{kind}`."""
        chosen = _CHOICE.sub(lambda found: self._rng.choice(found[1].split("|")), pattern)
        return " ".join(_SLOT.sub(self._value, chosen).split(" ")).replace("  ", " ").strip()

    def known(self, name: str) -> str | None:
        """What was drawn for a blank, if it was."""
        return self._values.get(name)

    def _value(self, found: re.Match[str]) -> str:
        name = found[0]
        if name not in self._values:
            for _ in range(20):
                value = _KINDS[found[1]](self._rng)
                if found[1].startswith("ask") or value not in self._values.values():
                    break
            self._values[name] = value
        return self._values[name]


def kinds() -> Mapping[str, Callable[[random.Random], str]]:
    """How a word of each kind is drawn."""
    return _KINDS


def words_of(kind: str, rng: random.Random, count: int) -> list[str]:
    """So many different words of a kind, or as many as there are."""
    found: dict[str, None] = {}
    for _ in range(count * 20):
        found[_KINDS[kind](rng)] = None
        if len(found) == count:
            break
    return list(found)
