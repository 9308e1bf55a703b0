"""How is an attack of the development part put down?"""

from redteam.cases import Build, Expected, Kind, Part, Variant

LEAKED = Expected("AUD-1", "critical")
LEAKED_AFTER = Expected("AUD-1", "high")


def attack(family: str, name: str, about: str, build: Build, *expects: Expected) -> Variant:
    """A variant that an audit must catch, by any one of these findings."""
    return Variant(
        family=family, name=name, part=Part.DEVELOPMENT, kind=Kind.ATTACK, about=about, build=build, expects=expects
    )


def blind_spot(name: str, about: str, build: Build) -> Variant:
    """A leak that is only measured: nobody claims to see it."""
    return Variant(
        family="blind-spots",
        name=name,
        part=Part.DEVELOPMENT,
        kind=Kind.BLIND_SPOT,
        about=about,
        build=build,
        expects=(LEAKED,),
    )
