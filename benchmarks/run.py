"""`make bench`: measures everything, writes results.json, and puts the tables into docs/performance.md.

Figures are ratios taken in one run where they can be: these machines are busy, and seconds alone mean little.
"""

import importlib.util
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "performance.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
INSPECT = HERE.parent / ".venv-inspect"
INSPECT_VERSION = "0.3.285"
ROUNDS = 3


def measured(script: str, *args: str, python: str = sys.executable) -> dict:
    done = subprocess.run([python, HERE / script, *args], cwd=HERE, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def inspect_python() -> str | None:
    """inspect-ai in an environment of its own; None where it cannot be installed."""
    python = INSPECT / "bin" / "python"
    if not (INSPECT / "ready").exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", INSPECT], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", f"inspect-ai=={INSPECT_VERSION}"], check=True)
        except subprocess.CalledProcessError:
            return None
        (INSPECT / "ready").touch()
    return str(python)


def best(results: list[dict]) -> dict:
    return min(results, key=lambda result: result["seconds"])


def whole_loop() -> dict:
    other = inspect_python()
    off, on, theirs = [], [], []
    for _ in range(ROUNDS):  # turn about, so that a busy moment hits all of them
        off.append(measured("whole_loop.py", "200", "off"))
        on.append(measured("whole_loop.py", "200", "on"))
        if other is not None:
            theirs.append(measured("inspect_loop.py", "200", python=other))
    figures = {"off": best(off), "on": best(on), "on_2000": measured("whole_loop.py", "2000", "on")}
    if theirs:
        figures["inspect_ai"] = best(theirs)
        figures["times_faster_than_inspect_ai"] = figures["inspect_ai"]["seconds"] / figures["on"]["seconds"]
    return figures


def main() -> None:
    results = {
        "measured_at": datetime.now(UTC).date().isoformat(),
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "system": platform.system()},
        "whole_loop": whole_loop(),
        "steps": measured("steps.py"),
        "disk": measured("disk.py"),
        "reading": measured("reading.py"),
        "judge_cache": measured("judge_cache.py"),
        "signing": measured("signing.py"),
        "audit": measured("audit.py"),
        "verify": measured("verify.py"),
        "box": measured("box.py"),
        "view": measured("view.py"),
        "runs": measured("runs.py"),
    }
    if importlib.util.find_spec("ray") is None:
        print("on_ray.py is skipped: ray is not installed (pip install 'gaia-harness[ray]')", file=sys.stderr)
    else:
        results["ray"] = measured("on_ray.py")
    (HERE / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    tables = render(results)
    page = PAGE.read_text("utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{tables}\n{END}{rest.split(END)[1]}", "utf-8")
    print(tables)


def render(results: dict) -> str:
    """The tables of docs/performance.md; a test holds the page to results.json by this."""
    loop, disk, reading = results["whole_loop"], results["disk"], results["reading"]
    machine = results["machine"]
    out = [
        f"Measured on {results['measured_at']} with Python {machine['python']} on {machine['cores']} cores.",
        "",
        "| 200 tasks × 5 tool turns, pages of 20 KB, model in process | seconds | tasks per second | peak memory |",
        "|---|---|---|---|",
    ]
    rows = [("evidence off", "off"), ("evidence on", "on"), ("evidence on, 2,000 tasks", "on_2000")]
    for name, key in rows:
        r = loop[key]
        out.append(f"| {name} | {r['seconds']:.2f} | {r['tasks'] / r['seconds']:.0f} | {r['peak_mb']:.0f} MB |")
    if "inspect_ai" in loop:
        r = loop["inspect_ai"]
        out.append(f"| the same work in inspect-ai {r['version']} | {r['seconds']:.2f} | {200 / r['seconds']:.0f} | |")
        out += ["", f"With evidence on, {loop['times_faster_than_inspect_ai']:.1f} times as fast as inspect-ai."]
    cost = (loop["on"]["seconds"] - loop["off"]["seconds"]) / 200 * 1000
    out += [
        f"Recording adds {cost:.1f} ms to a task of five tool results.",
        "",
        "| one tool result recorded | p50 | p99 | p99 of CPU time | sha256 | scan | JSON | write and sync, per line |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, r in results["steps"].items():
        p = r["parts_ms"]
        out.append(
            f"| {name} | {r['p50_ms']:.3f} ms | {r['p99_ms']:.3f} ms | {r['cpu_p99_ms']:.3f} ms | {p['sha256']:.3f} | {p['scan']:.3f} "
            f"| {p['json']:.3f} | {p['write']:.3f} |"
        )
    out += [
        "",
        f"165 tasks × 20 results × 100 KB: {disk['mb_seen']:.0f} MB seen, {disk['mb_on_disk']:.1f} MB on disk, "
        f"{disk['seconds']:.1f} s in all.",
        "",
        f"Reading {reading['mb']:.0f} MB of trajectories, parsed and checked: {reading['ours_mb_s']:.0f} MB/s; "
        f"`json.loads` alone: {reading['json_loads_mb_s']:.0f} MB/s "
        f"({reading['ours_mb_s'] / reading['json_loads_mb_s']:.2f} ×).",
    ]
    cache, signing = results["judge_cache"], results["signing"]
    run = signing["run"]
    out += [
        "",
        f"Judge cache: {cache['lookups_per_s']:,.0f} verified lookups per second; bare Ed25519 verification of the same "
        f"payloads: {cache['verifications_per_s']:,.0f} ({cache['lookups_share_of_verification']:.0%} of it).",
        "",
        f"Run log: {signing['log_lines_per_s']:,.0f} lines per second, each synced to disk; with a checkpoint after every "
        f"third {signing['log_lines_per_s_with_checkpoints']:,.0f}, with a signed one "
        f"{signing['log_lines_per_s_with_signed_checkpoints']:,.0f}.",
        "",
        f"Signing for a run of {run['steps']:,} steps: {run['signatures']} signatures at {signing['sign_ms']:.3f} ms and "
        f"{run['checks']} checks at {signing['verify_ms']:.3f} ms make {run['signing_s'] * 1000:.0f} ms. The model calls of "
        f"such a run, at two seconds each and eight at once, take {run['model_s']:.0f} s: {run['share']:.4%}.",
    ]
    if "audit" in results:
        out += ["", *render_audit(results["audit"])]
    if "verify" in results:
        out += ["", *render_verify(results["verify"])]
    if "box" in results:
        out += ["", *render_box(results["box"])]
    if "view" in results:
        out += ["", *render_view(results["view"])]
    if "ray" in results:
        out += ["", *render_ray(results["ray"])]
    if "runs" in results:
        runs = results["runs"]
        out += [
            "",
            f"`gaia runs` lists {runs['runs']:,} runs of {runs['tasks']} tasks in {runs['seconds']:.2f} s "
            f"({runs['cpu_seconds']:.2f} s of CPU).",
        ]
    return "\n".join(out)


def render_audit(audit: dict) -> list[str]:
    return [
        f"Audit of {audit['mb']:.0f} MB of trajectories, all ten checks: {audit['mb_s']:.0f} MB/s; `json.loads` alone: "
        f"{audit['json_loads_mb_s']:.0f} MB/s ({audit['share_of_json_loads']:.2f} ×), msgspec alone: "
        f"{audit['msgspec_mb_s']:.0f} MB/s. It takes {audit['cpu_ns']:.1f} ns of CPU per byte, in two processes. A run of "
        f"165 tasks × 20 results of 20 KB: {audit['run_of_165_s']:.2f} s, with a "
        f"leak in every task {audit['run_of_165_all_leaked_s']:.2f} s, as a command from start to end "
        f"{audit['command_on_165_s']:.2f} s.",
        "",
        *(render_long(audit["long"]) if "long" in audit else ()),
        *render_memory("`gaia audit` of trajectories of", audit),
    ]


def render_long(long: dict) -> list[str]:
    return [
        f"Where each of 165 tasks has a prompt of its own of 20 KB and ten calls of long code ({long['mb']:.0f} MB of "
        f"trajectories, {long['prompts_mb']:.0f} MB of prompts), it is {long['mb_s']:.1f} MB/s in one process, "
        f"{long['share_of_json_loads']:.2f} × `json.loads` and {long['share_of_msgspec']:.3f} × msgspec on the same bytes; two "
        f"processes make it {long['two_against_one']:.2f} times as fast.",
        "",
    ]


def render_memory(what: str, results: dict) -> list[str]:
    rows = [results[name] for name in ("few", "large", "middle", "large_of_many_tasks")]
    return [
        f"| {what} | tasks | peak memory | of a worker |",
        "|---|---|---|---|",
        *(
            f"| {r['mb']:.0f} MB | {r['tasks']:,} | {r['peak_mb']:.0f} MB | {r['peak_mb_of_a_worker']:.0f} MB |"
            for r in rows
        ),
    ]


def render_verify(verify: dict) -> list[str]:
    of_165 = verify["run_of_165"]
    rows = [
        ("trajectories", verify["speed"]),
        ("165 tasks × 20 results × 100 KB", of_165["plain"]["verify"]),
        ("the same, every output in full", of_165["full_bodies"]["verify"]),
    ]
    speed, floor = verify["speed"], verify["floor"]
    plain, full = of_165["plain"], of_165["full_bodies"]
    return [
        "| `gaia verify` of a package of | MB | MB/s | bare sha256, one core, MB/s | share | CPU, ns per byte |",
        "|---|---|---|---|---|---|",
        *(
            f"| {name} | {r['mb']:.0f} | {r['mb_s']:.0f} | {r['sha256_mb_s']:.0f} | {r['share_of_sha256']:.2f} "
            f"| {r['cpu_seconds'] / r['mb'] * 1000:.1f} |"
            for name, r in rows
        ),
        "",
        f"Three hashes alone take {floor['three_hashes_ns']:.1f} ns per byte, parsing each line once "
        f"{floor['parsing_ns']:.1f} ns; bare sha256 takes {1000 / speed['sha256_mb_s']:.1f} ns.",
        "",
        *render_memory("`gaia verify` of a package of", verify),
        "",
        f"The package of 165 tasks × 20 results × 100 KB has {plain['mb']:.1f} MB in {plain['files']} files, as an archive "
        f"{plain['archive_mb']:.1f} MB; with every output in full {full['mb']:.1f} MB in {full['files']:,} files, as an archive "
        f"{full['archive_mb']:.1f} MB. `gaia verify` on the demo's package, start included: "
        f"{verify['demo']['seconds']:.2f} s.",
    ]


def render_box(box: dict) -> list[str]:
    start, evidence = box["start"], box["evidence"]
    at_once = box["at_once"]
    names = {
        "call": "model call, 20 KB, unencrypted",
        "call_tls": "model call, 20 KB, by TLS on both sides",
        "page": "page of 20 KB, unencrypted",
        "page_tls": "page of 20 KB, by TLS on both sides",
    }
    rows = [(words, box[name]) for name, words in names.items() if name in box]
    return [
        f"Measured on {box['measured_at']}, beside other work on the same cores (a load of {box['load']:.0f}):",
        "",
        "| an agent in the glass box | p50 | p99 | without the box, p50 | p99 | added, p50 | p99 |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {name} | {r['p50_ms']:.1f} ms | {r['p99_ms']:.1f} ms | {r['alone_p50_ms']:.1f} ms | {r['alone_p99_ms']:.1f} ms "
            f"| {r['added_p50_ms']:.1f} ms | {r['added_p99_ms']:.1f} ms |"
            for name, r in rows
        ),
        "",
        f"A model call and a page together take {box['turn_cpu_ms']:.1f} ms of the gateway's CPU, by TLS on both sides "
        f"{box['turn_tls_cpu_ms']:.1f} ms."
        if "turn_tls_cpu_ms" in box
        else "",
        "",
        f"A box with a small Python program that reads one page takes {start['box_ms']:.0f} ms from start to end, "
        f"{start['box_ms'] / start['python_alone_ms']:.1f} times as long as Python alone. Its own processes hold "
        f"{box['box_mb']:.0f} MB beside the agent's; the run with the gateway in it peaks at {box['gateway_peak_mb']:.0f} MB, "
        f"one of our own loop at {box['loop_peak_mb']:.0f} MB.",
        "",
        f"{at_once['agents']} agents at once, each with {at_once['calls_each']} model calls and as many pages: {at_once['seconds']:.1f} s "
        f"in all, {at_once['call_p50_ms']:.0f} ms a call and {at_once['page_p50_ms']:.0f} ms a page (p50), the run with the gateway "
        f"peaks at {at_once['gateway_peak_mb']:.0f} MB.",
        "",
        f"smolagents on the demo, two model calls a task: {evidence['trajectory_bytes_per_task'] / 1000:.1f} KB of steps a task, "
        f"{evidence['evidence_per_byte_sent']:.2f} bytes for each byte sent to the model.",
    ]


def render_ray(ray: dict) -> list[str]:
    attempt = ray["attempt_ms"]
    return [
        f"Measured on {ray['measured_at']}, beside other work on the same cores (a load of {ray['load']:.0f}):",
        "",
        "| attempts, the fastest of three | in one process | by Ray |",
        "|---|---|---|",
        f"| a scripted attempt of two turns, one after another | {attempt['local']:.1f} ms | {attempt['ray']:.1f} ms |",
        *(
            f"| attempts a second, a model of 50 ms a call, {workers} at once | {rates['local']:.1f} | {rates['ray']:.1f} |"
            for workers, rates in ray["per_second"].items()
        ),
        *(
            f"| peak memory of the driver at {int(count):,} attempts | | {peak:.0f} MB |"
            for count, peak in ray["driver_mb"].items()
        ),
        f"| starting and stopping a cluster on this machine | | {ray['start_and_stop_s']:.1f} s |",
    ]


def render_view(view: dict) -> list[str]:
    return [
        f"| page of `gaia view` in chromium {view['version']} | first paint | table ready | a task opened | page | of the run's files | CPU to write it, audit included |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {r['tasks']:,} tasks, {r['steps']:,} steps | {r['first_paint_ms']:.0f} ms | {r['table_ms']:.0f} ms | {r['open_task_ms']:.0f} ms "
            f"| {r['page_mb']:.1f} MB | {r['share_of_evidence']:.2f} × | {r['write_cpu_s']:.1f} s |"
            for r in (view["of_165"], view["of_2000"])
        ),
    ]


if __name__ == "__main__":
    main()
