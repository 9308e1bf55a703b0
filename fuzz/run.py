"""`make fuzz`: gives every reader of ours input that nobody would write, and looks for anything but our own errors.

    python fuzz/run.py [--seconds 60] [--engine atheris|plain] [READER ...]

`atheris` is guided by the coverage of our own modules. `plain` changes the same samples by chance: it needs nothing
installed and is what the test suite runs for a moment. The time is for all readers together. An input that brings
something to light is kept in fuzz/findings/, and the exit code is 1; `--input FILE READER` runs it again.
"""

import argparse
import atexit
import hashlib
import importlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
FINDINGS = HERE / "findings"
READERS = sorted(path.stem.removeprefix("read_") for path in HERE.glob("read_*.py"))
SLOWEST = 20
"""Seconds after which an input counts as one that never ends."""

MOST_MB = 2048
WORDS = (b'"', b"\\", b"{", b"[", b"]}", b"null", b"-1", b"1e999", b"\\ud800", b"\xff", b"\0", b"\n", b"\r\n", b"..",
         b"9" * 30, b"true", b",", b"\xe2\x80\xa8", b"/", b"=")  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--engine", choices=["atheris", "plain"], default="atheris")
    parser.add_argument("--findings", type=Path, default=FINDINGS)
    parser.add_argument("--input", type=Path, help="run one reader on this file and show what happens")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    readers = given.readers or READERS
    if unknown := set(readers) - set(READERS):
        parser.error(f"no such reader: {', '.join(sorted(unknown))}; there are {', '.join(READERS)}")
    if given.input is not None:
        _load(readers[0]).read(given.input.read_bytes())
        print("nothing but errors of ours, or none")
        return 0
    if given.one:
        return (_atheris if given.engine == "atheris" else _plain)(readers[0], given.seconds, given.findings)
    each = given.seconds / len(readers)
    worst = 0
    for reader in readers:
        worst = max(worst, _apart(reader, each, given.engine, given.findings))
    return worst


def _apart(reader: str, seconds: float, engine: str, findings: Path) -> int:
    """One reader in a process of its own: memory and time of one are not those of another."""
    command = [sys.executable, __file__, reader, "--one", "--engine", engine]
    began = time.monotonic()
    done = subprocess.run(
        [*command, "--seconds", str(seconds), "--findings", str(findings)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    said = done.stdout
    runs = re.findall(r"(?:stat::number_of_executed_units: +|^runs )(\d+)", said, re.M)
    covered = re.findall(r"cov: (\d+)", said)
    result = {
        "reader": reader,
        "engine": engine,
        "seconds": round(time.monotonic() - began, 1),
        "runs": int(runs[-1]) if runs else 0,
        "coverage": [int(covered[0]), int(covered[-1])] if covered else None,
        "findings": sorted(path.name for path in findings.glob(f"{reader}-*")),
        "ended_well": done.returncode == 0,
    }
    print(json.dumps(result), flush=True)
    if done.returncode:
        print(said[-4000:], flush=True)
    return int(done.returncode != 0)


def _load(reader: str) -> ModuleType:
    sys.path.insert(0, str(HERE))
    module = importlib.import_module(f"read_{reader}")
    if (place := getattr(module, "PLACE", None)) is not None:
        atexit.register(shutil.rmtree, place, ignore_errors=True)
    return module


def _atheris(reader: str, seconds: float, findings: Path) -> int:
    import atheris

    with atheris.instrument_imports(include=["gaia_harness"]):
        module = _load(reader)
    findings.mkdir(parents=True, exist_ok=True)
    corpus = Path(tempfile.mkdtemp(prefix="gaia-fuzz-corpus-"))
    for seed in module.seeds():
        (corpus / hashlib.sha256(seed).hexdigest()).write_bytes(seed)
    try:
        # atheris ends the process itself, so that it is started in one more
        return _forked(lambda: _fuzz(atheris, module, corpus, findings / f"{reader}-", seconds))
    finally:
        shutil.rmtree(corpus, ignore_errors=True)


def _fuzz(atheris: ModuleType, module: ModuleType, corpus: Path, prefix: Path, seconds: float) -> None:
    options = [
        f"-max_total_time={max(1, round(seconds))}", f"-max_len={module.LONGEST}", f"-timeout={SLOWEST}",
        f"-rss_limit_mb={MOST_MB}", f"-artifact_prefix={prefix}", "-print_final_stats=1", "-len_control=0",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(corpus)], module.read)
    atheris.Fuzz()


def _forked(work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        atexit.unregister(shutil.rmtree)
        work()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return 0 if status == 0 else 1


def _plain(reader: str, seconds: float, findings: Path) -> int:
    module = _load(reader)
    seeds = module.seeds()
    rng = random.Random(reader)  # noqa: S311 - to find the same again is what is wanted
    signal.signal(signal.SIGALRM, _never_ends)
    end = time.monotonic() + seconds
    runs = 0
    while time.monotonic() < end:
        data = seeds[runs] if runs < len(seeds) else _changed(rng, seeds, module.LONGEST)
        runs += 1
        signal.alarm(SLOWEST)
        try:
            module.read(data)
        except BaseException:
            findings.mkdir(parents=True, exist_ok=True)
            path = findings / f"{reader}-{hashlib.sha256(data).hexdigest()[:16]}"
            path.write_bytes(data)
            print(f"runs {runs}\n{traceback.format_exc()}kept as {path.name}")
            return 1
        finally:
            signal.alarm(0)
    print(f"runs {runs}")
    return 0


def _never_ends(*_: object) -> None:
    raise TimeoutError(f"not done after {SLOWEST} s")


def _changed(rng: random.Random, seeds: list[bytes], longest: int) -> bytes:
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 1, 2, 8, 64, 1000)))
        match rng.randrange(6):
            case 0:
                data[at:end] = b""
            case 1:
                data[at:at] = rng.choice(WORDS)
            case 2:
                data[at:end] = rng.choice(WORDS)
            case 3:
                data[at:at] = data[at:end]
            case 4 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case _:
                other = rng.choice(seeds)
                start = rng.randrange(len(other) + 1)
                data[at:end] = other[start : start + rng.randrange(200)]
    return bytes(data[:longest])


if __name__ == "__main__":
    sys.exit(main())
