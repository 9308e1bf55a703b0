"""README.md of a package: the result, how to check it with or without us, what that proves and what it does not."""

import msgspec

from gaia_harness.disclosure import NOT_DISCLOSED, describe_endpoint, flat, third_parties, transcription_model
from gaia_harness.figures import Rate, counted
from gaia_harness.records.package import Metadata
from gaia_harness.shortening import shorten
from gaia_harness.signing.allowed_signers import NAMESPACE
from gaia_harness.submission.guessable import describe_guessable
from gaia_harness.submission.stated_options import describe_hosts, describe_prices


def readme(metadata: Metadata, guessable: int) -> bytes:
    """The same text for the same metadata and log, from which so many golds can be guessed."""
    parts = [_title(metadata), *_dirt(metadata), *_guessable(guessable), _result(metadata), _disclosed(metadata)]
    parts += [_verify(metadata), _proof(), _private(metadata)]
    return "\n".join(parts).encode("utf-8", "replace")


def _title(metadata: Metadata) -> str:
    return (
        f"# GAIA run {metadata.run_id[:12]}\n\n"
        f"{_plain(describe_endpoint(metadata.model, metadata.endpoint))}.\n\n"
        f"On the {_plain(metadata.gaia_split)} split, "
        f"submitted {metadata.submitted_at} by {_plain(metadata.submitter.identity)} (as the package says; see below "
        "how to check it).\n"
    )


def _disclosed(metadata: Metadata) -> str:
    """Who was asked where, who answered, and by which options."""
    rows = [("model", describe_endpoint(metadata.model, metadata.endpoint))]
    if metadata.origin is not msgspec.UNSET:
        rows.append(("agent", f"not ours: {metadata.origin.describe()}"))
    if metadata.endpoint is not msgspec.UNSET:
        rows.append(("address", metadata.endpoint.address.encode("ascii", "backslashreplace").decode() or "none"))
    if metadata.served_models is not msgspec.UNSET:
        rows += [
            ("answered as", f"{name} ({counted(count, 'reply', 'replies')})")
            for name, count in metadata.served_models.items()
        ]
    if metadata.hosts is not msgspec.UNSET:
        rows.append(("the agent's own requests", describe_hosts(metadata.hosts)))
    if metadata.judge_model is not None:
        rows.append(("judge", describe_endpoint(metadata.judge_model, metadata.judge_endpoint)))
    if listener := transcription_model(metadata.options):
        rows.append(("audio transcribed by", describe_endpoint(listener, metadata.transcription_endpoint)))
    if metadata.options is msgspec.UNSET:
        rows.append(("options", NOT_DISCLOSED))
    else:
        rows += [(f"option {name}", _value(value)) for name, value in flat(metadata.options)]
    rows += [(f"{name} is from", value) for name, value in third_parties(metadata.isolation).items()]
    table = "".join(f"| {_plain(name)} | {_plain(value)} |\n" for name, value in rows)
    return f"## What was asked, and how\n\n| | |\n|---|---|\n{table}"


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _dirt(metadata: Metadata) -> list[str]:
    if metadata.dirty is None:
        return []
    reasons = "".join(f"- {_plain(reason)}\n" for reason in metadata.dirty)
    return [
        "## This run is not clean\n\n"
        f"The submitter packed it all the same, or answers for it with a waiver. The reasons:\n\n{reasons}"
    ]


def _guessable(golds: int) -> list[str]:
    if not golds:
        return []
    said = describe_guessable(golds)
    return [f"## Keep this package private\n\n{said[0].upper()}{said[1:]}:\nthis run was made by version 0.1.\n"]


def _result(metadata: Metadata) -> str:
    totals, audit = metadata.totals, metadata.audit
    rows = [f"| all | {_rate(metadata.pass_rate)} |"]
    rows += [f"| level {level} | {_rate(rate)} |" for level, rate in metadata.pass_rate_by_level.items()]
    rows.append(f"| all, without tasks whose answer leaked | {_rate(metadata.audited_pass_rate)} |")
    clean = "clean" if audit.clean else "NOT clean"
    strict = "also by the strict measure" if audit.strict_clean else "not clean by the strict measure"
    gaps = "".join(f"- not looked at: {_plain(gap)}\n" for gap in audit.harness_gaps)
    return (
        "## Result\n\n| | right |\n|---|---|\n" + "\n".join(rows) + "\n\n"
        f"{counted(totals.tasks, 'task')}{_chosen(metadata)}, {counted(totals.attempts, 'attempt')}, "
        f"{counted(metadata.voting_attempts, 'voting attempt')} a task. "
        f"In the signer's ledger: {_plain(metadata.standing.said)}.\n{_interruptions(metadata)}"
        f"The audit is {clean}, {strict} (`audit-report.json`).\n{gaps}{_stated(metadata)}"
    )


def _interruptions(metadata: Metadata) -> str:
    if metadata.interruptions is msgspec.UNSET:
        return ""
    return f"By its log, the run was {_plain(metadata.interruptions.said)}.\n"


def _stated(metadata: Metadata) -> str:
    said = []
    if metadata.system_prompt is not msgspec.UNSET:
        said.append(f"The agent's system prompt: {_plain(metadata.system_prompt)} (in `prompts/`).\n")
    if prices := describe_prices(metadata.facts):
        said.append(f"{prices[0].upper()}{prices[1:]}.\n")
    return "".join(said)


def _chosen(metadata: Metadata) -> str:
    chosen = metadata.facts.selection.describe()
    return f" (not all of the split; {_plain(chosen)})" if chosen else ""


def _verify(metadata: Metadata) -> str:
    return f"""## How to check it

Get the submitter's line for `allowed_signers` from the submitter or from the leaderboard, never from this package.

With gaia-harness (`pip install gaia-harness`; it opens no connection and runs nothing from here):

```sh
gaia verify . --allowed-signers ../allowed_signers --identity {_plain(metadata.submitter.identity)}
```

With `--dataset hub`, `demo` or a folder, it also scores every answer again and repeats the audit.

With nothing of ours, in this folder:

```sh
ssh-keygen -Y verify -f ../allowed_signers -I {_plain(metadata.submitter.identity)} -n {NAMESPACE} \\
  -s SHA256SUMS.sig < SHA256SUMS
sha256sum --check --strict --quiet SHA256SUMS
openssl dgst -sha256 -r audit-report.json
```

The first says who signed the list, the second that every file is as listed, the third prints the hash that the list
has for a file. They do not look inside: that log, trajectories, ledger and figures belong together, `gaia verify` says.
"""


def _proof() -> str:
    return """## What that proves

- That these files are unchanged since the holder of the key signed them, and which key that was.
- That log, trajectories, results and figures fit together, to the last line.
- That the same key signed a declaration of this run that fits them, and a ledger with this and its other runs. That
  these are as old as they say, and all there were, only somebody knows who has seen an earlier head of that ledger.

## What it does not prove

- That the model really produced the text, that it was asked at the address that is named, or that nothing was dropped
  before it was recorded.
- That the program was not changed: the intent names the hash of its sources, and nobody can see what ran.
- That there is no second identity, or ledger, of the same person. All times are the submitter's word, and so is how
  Python was contained, which options were used, and, unless you check with the data set, which answers are right and
  what the audit found.
"""


def _private(metadata: Metadata) -> str:
    bodies = (
        "`bodies/` has every tool output in full, but for what was masked: look before you publish it."
        if metadata.full_bodies
        else "There is no `bodies/`: outputs that a step says were kept in full (`body`) stayed with the submitter."
    )
    dataset = (
        "the intent has the data set as it was named on the command line, which may be a path"
        if metadata.options is msgspec.UNSET
        else "the data set by the name of its folder, without the path"
    )
    return f"""## What private data may be inside

Trajectories hold the questions of the benchmark within the model's prompts, and the beginnings of web pages and files
that tools returned: keep this package where search engines do not find it. There is no gold answer in any file of ours.
Keys and tokens were masked where they were recognised. Addresses of servers stand in the options, and {dataset};
the log names files where recording failed. {bodies}
"""


def _rate(rate: Rate | None) -> str:
    if rate is None:
        return "no public answers"
    return f"{rate.passed} of {rate.total} = {rate.pass_rate:.1%} (95 % interval {rate.low:.1%} to {rate.high:.1%})"


def _plain(text: str) -> str:
    """Text of others as one line that is no Markdown."""
    line = shorten(" ".join(text.split()), 300)
    return "".join(c if c.isalnum() or c in " -_.,:;/@+=~%()'>…" else "?" for c in line)
