"""Secrets are kept out of what is stored, wholly, and nowhere else."""

import base64
import hashlib
import json

import msgspec
import pytest
from evidence_samples import QUESTION, filler, recorder
from hypothesis import given, settings
from hypothesis import strategies as st

import thoroughness
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.recording import Recording
from gaia_harness.evidence.redaction import Redactor, secrets_in, unmasked_names
from gaia_harness.records.steps import Source

KEY = "Zq7-private/key+value=91"
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(["MIIEowIBAAKCAQEAx0y7" * 3] * 12)
    + "\n-----END RSA PRIVATE KEY-----"
)
TOKENS = [
    "sk-proj-" + "aB3_" * 12,
    "sk-ant-api03-" + "x" * 40,
    "hf_" + "Qw" * 17,
    "ghp_" + "a1" * 18,
    "github_pat_" + "b2_" * 20,
    "glpat-" + "c3" * 10,
    "AKIA" + "ABCD1234" * 2,
    "AIza" + "d4-_e" * 7,
    "xoxb-123456789012-abcdef",
    "sk_live_" + "e5" * 12,
    "rk_test_" + "e5" * 12,
    "BSA" + "f6" * 12,
    "tvly-dev-" + "g7" * 12,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    PEM,
]


def survives(secret: str, stored: str, size: int = 8) -> bool:
    """Whether any `size` characters in a row of the secret are still there."""
    return any(secret[i : i + size] in stored for i in range(len(secret) - size + 1))


def stored(recorder) -> str:
    """All text of the steps, as a reader of the file would have it, with JSON escapes undone."""
    assert recorder.failures == []
    parts = []

    def walk(value) -> None:
        if isinstance(value, str):
            parts.append(value)
        elif isinstance(value, dict):
            for key, item in value.items():
                walk(key)
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    walk(json.loads(msgspec.json.encode(recorder.steps)))
    return "\0".join(parts)


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token[:8])
@pytest.mark.parametrize("around", ["{}", "key={}&x", "'{}'", "キー{}です", "\\n{}\\n", "q=%3D{}%26"])
def test_well_known_tokens_are_masked_without_being_named(token, around):
    masked, count = Redactor().mask(around.format(token))
    assert count == 1
    assert not survives(token.removeprefix("-----BEGIN "), masked)
    assert masked.startswith(around.split("{}")[0])


@pytest.mark.parametrize(
    "text",
    ["task-oriented-dialogue-systems-are-old", "the risk-averse-and-desk-bound-harbour-master", "BSA meeting",
     "ghost_story", "eyJ", "hf_short", "AKIA", "sk-learn"],
)  # fmt: skip
def test_ordinary_words_are_left_alone(text):
    assert Redactor([KEY]).mask(text) == (text, 0)


def test_keys_in_use_are_known_by_the_names_of_their_variables():
    env = {"OPENAI_API_KEY": f" {KEY}\n", "HF_TOKEN": "hf_abcdefgh", "PATH": "/usr/bin:/bin", "X_SECRET": "short"}
    assert set(secrets_in(env)) == {KEY, "hf_abcdefgh"}
    assert secrets_in({"HTTPS_PROXY": "http://ada:pass%2Fword@proxy:1"}) == ("pass%2Fword", "pass/word")


def test_keys_that_cannot_be_masked_are_named(tmp_path, caplog):
    env = {"OPENAI_API_KEY": "EMPTY", "HF_TOKEN": "", "A_SECRET": "huggingface", "X_TOKEN": "8-signs!", "HOME": "/x"}
    assert unmasked_names(env) == ("A_SECRET", "OPENAI_API_KEY")
    assert secrets_in(env) == ("8-signs!",)
    Recording(tmp_path, {}, secrets=["EMPTY", "", "8-signs!"]).close()
    assert "1 of the secrets cannot be masked: it takes 8 characters" in caplog.text and "EMPTY" not in caplog.text


def test_a_masked_step_keeps_the_hash_and_the_size_of_the_original():
    text = f"your key is {KEY}, twice {KEY}"
    taken = recorder(redactor=Redactor([KEY]))
    taken.llm_call(1, text, model="m")
    (step,) = taken.steps
    assert step.head == "your key is [masked key], twice [masked key]"
    assert step.output_sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert (step.bytes, step.redactions, step.truncated) == (len(text), 2, False)


@given(st.integers(min_value=-60, max_value=60))
def test_a_secret_across_the_cut_leaves_no_half(shift):
    taken = recorder(redactor=Redactor([KEY]))
    for limit, take in (
        (2048, lambda text: taken.prompt(1, "user", text, context_sha256=None)),
        (4096, lambda text: taken.llm_call(1, text, model="m")),
        (4096, lambda text: taken.tool_result(1, "c", "t", text)),
        (8192, lambda text: taken.tool_call(1, "c", "t", {"a": text, "b": [text]})),
    ):
        take("." * (limit + shift - len(KEY)) + KEY + "." * 50)
    assert not survives(KEY, stored(taken))


def test_a_private_key_across_the_cut_leaves_no_half():
    taken = recorder()
    taken.tool_result(1, "c", "t", "." * 4000 + PEM)
    assert "MIIE" not in stored(taken)


JSON_WITH = st.recursive(
    st.sampled_from([KEY, f"x{KEY}y", PEM, TOKENS[0], 7, None, True, 1.5, "plain", 'q"' + KEY]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", KEY, TOKENS[2]]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["q", "code", KEY]), JSON_WITH, max_size=3), st.booleans())
def test_secrets_are_masked_at_any_depth_of_the_arguments(args, raw):
    taken = recorder(redactor=Redactor([KEY]))
    taken.tool_call(1, "c", "t", None if raw else args, raw=json.dumps(args))
    text = stored(taken)
    for secret in (KEY, TOKENS[0], TOKENS[2], PEM.splitlines()[1]):
        assert not survives(secret, text.replace("\\", ""))
    (step,) = taken.steps
    assert step.redactions >= (KEY in json.dumps(args))


def test_masked_arguments_keep_their_structure():
    taken = recorder(redactor=Redactor([KEY]))
    taken.tool_call(1, "c", "http", {"headers": {"Authorization": [f"Bearer {KEY}", 3]}, "n": 1})
    (step,) = taken.steps
    assert step.args == {"headers": {"Authorization": ["Bearer [masked key]", 3]}, "n": 1}
    assert (step.redactions, step.args_truncated) == (1, ())


NASTY = st.text(st.sampled_from('abcXYZ019"/+=é\n-_'), min_size=12, max_size=30).filter(
    lambda key: len(key.strip()) == len(key)
)


@settings(max_examples=thoroughness.of(100))
@given(
    NASTY,
    st.sampled_from([str, lambda s: json.dumps(s)[1:-1], lambda s: json.dumps({"k": s})]),
    st.integers(0, 1400),
    st.lists(st.sampled_from([QUESTION, "filler words here"]), max_size=3),
)
def test_no_eight_characters_of_a_planted_key_survive_anywhere(key, form, before, parts):
    here = form(key)
    text = f"{'.' * before} {QUESTION} {here} {' '.join(parts)} {here}{filler(700)} {here} {QUESTION} {here}"
    taken = recorder(redactor=Redactor([key]))
    source = Source(url=f"https://x.example/?api_key={key}", title=f"about {key}", offset=0, bytes=10)
    taken.prompt(1, "user", text, context_sha256=None)
    taken.tool_call(1, "c", "t", {"q": text, "deep": {"er": [form(key)]}})
    taken.tool_result(1, "c", "t", text, sources=[source])
    assert not survives(form(key) if form is str else key, stored(taken))


KEYS = st.text(st.sampled_from('abcXYZ019"/+=é-_\\%&#;<>'), min_size=10, max_size=24).filter(
    lambda key: len(set(key)) > 5
)


@given(KEYS, st.integers(0, 2), st.booleans())
def test_a_key_is_masked_in_base64_and_hex(key, before, hexed):
    data = b"u" * before + key.encode() + b"::more"
    written = data.hex() if hexed else base64.b64encode(data).decode()
    masked, count = Redactor([key]).mask(f"Authorization: Basic {written}")
    assert count == 1
    core = key.encode().hex() if hexed else base64.b64encode(key.encode()).decode()[4:-8]
    assert not core or core not in masked


@given(
    KEYS,
    st.lists(st.sampled_from(["KEY", TOKENS[0], TOKENS[6], PEM, " ", "x", "\\", "…"]), max_size=8),
    st.integers(0, 90),
)
def test_to_mask_what_was_masked_changes_nothing(key, parts, end):
    text = "".join(key if part == "KEY" else part for part in parts)
    redactor = Redactor([key])
    for masked in (redactor.mask(text)[0], redactor.mask(text, 0, min(end, len(text)))[0]):
        assert Redactor([key]).mask(masked) == (masked, 0)


@settings(max_examples=thoroughness.of(100))
@given(KEYS, st.sampled_from(["\\n", "%41%42%43%44", "&amp;", "n", "u0041", "amp;", "41", " "]), st.booleans())
def test_a_key_beside_escapes_leaves_nothing_in_a_decoded_window(key, beside, behind):
    text = f"{key}{beside}" if behind else f"{beside}{key}"
    taken = recorder(redactor=Redactor([key]))
    taken.tool_result(1, "c", "t", f"%20%20%20%20&amp;\\n{QUESTION} {text} {filler(60)}")
    assert taken.steps[0].windows
    for shown in stored(taken).split("\0"):
        assert key not in shown and key[1:-1] not in shown


@settings(max_examples=thoroughness.of(100))
@given(KEYS, st.integers(0, 9))
def test_every_string_of_a_step_is_masked_and_ids_stay_apart(key, number):
    taken = recorder(redactor=Redactor([key]))
    tokens = ["sk-" + c * 24 for c in "ab"]
    taken.llm_call(1, key, model=key, stop_reason=key, response_id=f"{key}{number}", thoughts=key)
    for call in (key, f"{key}-2", *tokens):
        taken.tool_call(1, call, key, {key: {key: [key]}})
    for call in (*tokens, f"{key}-2", key):
        taken.tool_result(1, call, key, key, sources=[Source(url=key, title=key, offset=0, bytes=0)])
    assert key not in stored(taken) and "sk-a" not in stored(taken)
    calls = [step.call_id for step in taken.steps[1:5]]
    results = [step.call_id for step in taken.steps[5:]]
    assert len(set(calls)) == 4 and set(results) == set(calls)
    assert results == [calls[2], calls[3], calls[1], calls[0]]


def test_a_key_that_a_message_cut_off_is_masked_too():
    redactor = Redactor(["0123456789abcdefghij", "/home/ada/keys/creds.json"])
    assert redactor.mask("said: '0123456789abcdef' (tried once)") == ("said: '[masked key]' (tried once)", 1)
    assert redactor.mask("said 0123456789abc…")[1] == redactor.mask("0123456789abcd")[1] == 1
    assert redactor.mask("0123456789abcX")[1] == redactor.mask("/home/ada/keys")[1] == 0


def test_a_whole_text_with_a_secret_is_kept_without_it_under_a_hash_of_its_own(tmp_path):
    bodies, prompts = TextStore(tmp_path / "b", compressed=True), TextStore(tmp_path / "p", compressed=False)
    taken = recorder(redactor=Redactor([KEY]), bodies=bodies, prompts=prompts, every_body=True)
    body, system = filler(3000) + f" {KEY} end \udce9", f"You know {KEY}."
    taken.prompt(1, "system", system, context_sha256=None)
    taken.prompt(1, "user", system, context_sha256=None)
    taken.tool_call(1, "c", "t", {})
    taken.tool_result(1, "c", "t", body.encode("utf-8", "surrogateescape"))
    prompt, user, _, result = taken.steps
    assert result.output_sha256 == hashlib.sha256(body.encode("utf-8", "surrogateescape")).hexdigest()
    assert bodies.get(result.stored_sha256) == body.replace(KEY, "[masked key]").encode("utf-8", "surrogateescape")
    assert prompts.get(prompt.stored_sha256) == b"You know [masked key]."
    assert prompt.content_sha256 == user.content_sha256 != prompt.stored_sha256
    assert user.kept_sha256 is msgspec.UNSET
    for folder in ("b", "p"):
        assert [path.name.split(".")[0] for path in (tmp_path / folder).iterdir()] in (
            [result.stored_sha256], [prompt.stored_sha256],
        )  # fmt: skip


def test_windows_leave_no_half_of_a_secret_at_their_edges():
    for shift in range(0, 1300, 7 if thoroughness.asked else 19):
        taken = recorder(redactor=Redactor([KEY]))
        behind = "." * max(0, 1000 - shift)
        text = f"{filler(900)} {KEY} {'.' * shift} {QUESTION} {behind} {KEY} {filler(300)}"
        taken.tool_result(1, "c", "t", text)
        assert taken.steps[0].windows
        assert not survives(KEY, stored(taken)), shift


def test_decoded_secrets_are_masked_in_windows():
    taken = recorder(redactor=Redactor([KEY]))
    taken.tool_result(1, "c", "t", f"{QUESTION} {KEY}".encode().hex())
    windows = taken.steps[0].windows
    assert windows[0].view == "hex"
    assert "[masked key]" in windows[0].text
    assert taken.steps[0].redactions == 2  # in hex in the head, and decoded in the window


def test_secrets_that_overlap_are_both_masked():
    masked, _ = Redactor(["abcdefghijkl", "ijklmnopqrst"]).mask("..abcdefghijklmnopqrst..")
    assert masked == "..[masked key].."


def test_secrets_in_addresses_and_titles_are_masked():
    taken = recorder(redactor=Redactor([KEY]))
    address = "https://api.example/?q=x&api_key=Zq7-private%2Fkey%2Bvalue%3D91"
    taken.tool_result(1, "c", "t", "x", sources=[Source(url=address, title=KEY, offset=0, bytes=1)])
    (source,) = taken.steps[0].sources
    assert source.url == "https://api.example/?q=x&api_key=[masked key]"
    assert source.title == "[masked key]"
    assert taken.steps[0].redactions == 2
