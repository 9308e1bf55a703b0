"""What the glass box costs: time for each model call and each page, its start, memory, bytes of evidence.

The same client does the same work twice in each round, once in the box and once without it, plain and by TLS. Prints
one JSON line. For pages by TLS it has to listen at port 443, as root.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from gaia_harness.box.authority import Authority
from gaia_harness.box.boxing import Box, BoxLimits, Mounts, find_bwrap, standard_environment
from gaia_harness.box.doors import Doors
from gaia_harness.box.gateway import Gateway
from gaia_harness.box.names import Names
from gaia_harness.box.requests import Incoming, Outgoing

ROOT = Path(__file__).parents[1]
ROUNDS = 3
"""The round with the lowest p99 counts: a busy machine only ever adds."""
TURNS = ("3", "100")
"""Talks with the model, and turns of each."""
STARTS = 15
TASKS = 5
AT_ONCE = 10

CLIENT = """
import http.client, json, sys, time
from urllib.parse import urlsplit
base, page, talks, turns = urlsplit(sys.argv[1]), urlsplit(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
model, pages = (kinds[each.scheme](each.hostname, each.port) for each in (base, page))
def asked(connection, *request):
    began = time.perf_counter()
    connection.request(*request)
    connection.getresponse().read()
    return (time.perf_counter() - began) * 1000
def at(taken, share):
    return sorted(taken)[min(len(taken) - 1, int(len(taken) * share))]
calls, read = [], []
for talk in range(talks):
    messages = [{"role": "user", "content": f"Talk {talk}. " + "The lamp is lit at dusk. " * 780}]
    for turn in range(turns):
        body = json.dumps({"model": "tester", "messages": messages})
        calls.append(asked(model, "POST", base.path + "/chat/completions", body, {"content-type": "application/json"}))
        messages += [{"role": "assistant", "content": "Noted."}, {"role": "user", "content": f"And {turn}?"}]
        read.append(asked(pages, "GET", f"/{talk}/{turn}"))
figures = {"call": [at(calls, 0.5), at(calls, 0.99)], "page": [at(read, 0.5), at(read, 0.99)]}
print("FINAL ANSWER:", json.dumps(figures))
"""

SERVER = """
import datetime, json, pathlib, sys, threading
from gaia_harness.box.authority import Authority
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
MESSAGE = {"role": "assistant", "content": "Noted."}
REPLY = {"id": "r", "object": "chat.completion", "created": 1, "model": "tester",
         "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
         "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
PAGE = "<p>" + "The keeper wrote it down. " * 780 + "</p>"
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    def answer(self, kind, text):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.answer("application/json", json.dumps(REPLY))
    def do_GET(self):
        self.answer("text/html", PAGE)
    def log_message(self, *args):
        pass
authority = Authority(datetime.datetime.now(datetime.UTC))
pathlib.Path(sys.argv[1]).write_bytes(authority.pem)
ports = []
for port, tls in ((0, False), (0, True), (443, True)):
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except PermissionError:
        continue
    if tls:
        server.socket = authority.context().wrap_socket(server.socket, server_side=True)
    ports.append(server.server_port)
    threading.Thread(target=server.serve_forever).start()
print(json.dumps(ports), flush=True)
"""


def environment(**more: str) -> dict[str, str]:
    keys = {"OPENAI_API_KEY": "sk-of-nobody-0123456789", "PYTHONPATH": str(ROOT / "src")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | keys | {"PATH": path} | more


class Ran(NamedTuple):
    """A run on the demo: its results; of the process with the gateway, peak memory in MB and seconds of CPU."""

    results: list[dict]
    peak_mb: float
    seconds: float
    cpu: float


def run(out: Path, *options: str, **env: str) -> Ran:
    """One run on the demo."""
    words = [sys.executable, "-m", "gaia_harness", "run", "--dataset", "demo", *options, "--out", str(out)]
    began = time.perf_counter()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    ticks = 0
    with subprocess.Popen(words, env=environment(**env), **quiet) as process:
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            ticks = own_ticks(process.pid) or ticks  # what it took itself, without the agents below it
            time.sleep(0.02)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    results = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    cpu = ticks / os.sysconf("SC_CLK_TCK")
    return Ran(results, used.ru_maxrss / 1024, time.perf_counter() - began, cpu)


def own_ticks(pid: int) -> int:
    """The CPU time of a process, in ticks of the clock (proc(5))."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return int(fields[11]) + int(fields[12])


class Servers(NamedTuple):
    """Where the benchmark's own model and pages are: without TLS, and with it where that can be had."""

    plain: str
    tls: str
    tls_pages: bool
    certificate: str

    def ways(self) -> dict[str, tuple[str, str, str]]:
        """Each way: the server of the model, and both addresses as the client has them in the box."""
        found = {"": (self.plain, "http://127.0.0.1:8317/v1", self.plain)}
        return found | (
            {"_tls": (self.tls, "https://api.openai.com/v1", "https://localhost")} if self.tls_pages else {}
        )


def boxed(servers: Servers, server: str, agent: Path, *words: str) -> list[str]:
    """The options of a run whose agent is the benchmark's client."""
    reach = ["--search-url", f"{servers.plain}/search", "--allow-host", "127.0.0.1", "--allow-host", "localhost"]
    which = ["--agent", " ".join(("python main.py", *words)), "--agent-dir", str(agent)]
    return ["--model", "openai/tester", "--base-url", f"{server}/v1", *reach, *which]


def calls_and_pages(folder: Path, servers: Servers) -> dict:
    """Each figure with the gateway and without it, from the same round."""
    agent = folder / "agent"
    agent.mkdir()
    (agent / "main.py").write_text(CLIENT)
    trusted = {"SSL_CERT_FILE": servers.certificate}
    figures: dict = {}
    peaks = []
    for way, (server, model, page) in servers.ways().items():
        rounds = []
        for number in range(ROUNDS):
            words = [sys.executable, agent / "main.py", f"{server}/v1", page, *TURNS]
            alone = subprocess.run(words, env=environment(**trusted), stdout=subprocess.PIPE, check=True)
            options = boxed(servers, server, agent, model, page, *TURNS)
            ran = run(folder / f"run{way}-{number}", *options, "--limit", "1", **trusted)
            peaks.append(ran.peak_mb)
            within, without = ran.results[0]["answer"], alone.stdout.split(b":", 1)[1]
            rounds.append((json.loads(within), json.loads(without), ran.cpu))
        options = boxed(servers, server, agent, model, page, "1", "1")
        idle = run(folder / f"idle{way}", *options, "--limit", "1", **trusted).cpu
        turns = int(TURNS[0]) * int(TURNS[1])
        figures[f"turn{way}_cpu_ms"] = (min(cpu for _, _, cpu in rounds) - idle) * 1000 / (turns - 1)
        for name in ("call", "page"):
            within, without, _ = min(rounds, key=lambda each: each[0][name][1])
            figures[name + way] = {
                "p50_ms": within[name][0], "p99_ms": within[name][1],
                "alone_p50_ms": without[name][0], "alone_p99_ms": without[name][1],
                "added_p50_ms": within[name][0] - without[name][0], "added_p99_ms": within[name][1] - without[name][1],
            }  # fmt: skip
    return figures | {"gateway_peak_mb": min(peaks), "at_once": at_once(folder, servers, agent)}


def at_once(folder: Path, servers: Servers, agent: Path) -> dict:
    """Agents that work at the same time, each as long as the others: time, memory, what each call took."""
    turns = ("1", "30")
    options = boxed(servers, servers.plain, agent, "http://127.0.0.1:8317/v1", servers.plain, *turns)
    many = ("--limit", str(AT_ONCE), "--concurrency", str(AT_ONCE))
    ran = run(folder / "at-once", *options, *many)
    figures = [json.loads(result["answer"]) for result in ran.results]
    return {
        "agents": len(figures),
        "calls_each": int(turns[1]),
        "seconds": ran.seconds,
        "gateway_peak_mb": ran.peak_mb,
        "call_p50_ms": statistics.median(each["call"][0] for each in figures),
        "page_p50_ms": statistics.median(each["page"][0] for each in figures),
    }


def starts() -> dict:
    """A box with a small Python program that asks the gateway for a page, against the same Python that does nothing."""
    script = "import http.client as h; c = h.HTTPConnection('page.test'); c.request('GET', '/'); c.getresponse().read()"

    async def timed() -> tuple[list[float], list[float]]:
        bwrap = find_bwrap()
        if bwrap is None:
            raise SystemExit("bubblewrap is not installed")
        authority = Authority(datetime.now(UTC))
        box = Box(bwrap, Mounts(), authority.pem)

        async def answer(request: Incoming, back: Outgoing) -> None:
            await back.start(200, [(b"content-length", b"2")])
            await back.send(b"42")
            await back.end()

        @asynccontextmanager
        async def serve(doors: Doors) -> AsyncIterator[None]:
            async with Gateway(doors, Names(), authority, answer):
                yield

        words = [str(box.python), "-I", "-c", script]
        boxed, plain = [], []
        for _ in range(STARTS):  # turn about
            began = time.perf_counter()
            done = await box.run(words, standard_environment(("/usr/bin",)), None, BoxLimits(), serve, cwd="/")
            boxed.append((time.perf_counter() - began) * 1000)
            if done.status != 0:
                raise SystemExit(done.errors.head.decode())
            began = time.perf_counter()
            subprocess.run([*words[:2], "-c", "import http.client"], check=True)  # noqa: ASYNC221 - nothing else runs
            plain.append((time.perf_counter() - began) * 1000)
        return boxed, plain

    boxed, plain = asyncio.run(timed())
    return {"box_ms": statistics.median(boxed), "python_alone_ms": statistics.median(plain)}


def box_memory(folder: Path, url: str) -> float:
    """MB that the processes of a box hold (proportional), beside the agent: bubblewrap and our first program."""
    words = ["run", "--dataset", "demo", "--limit", "1", "--model", "openai/tester", "--base-url", f"{url}/v1"]
    words += ["--agent", "sleep 4", "--out", str(folder / "sleeping")]
    seen: list[float] = []
    with subprocess.Popen(
        [sys.executable, "-m", "gaia_harness", *words],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None:
            time.sleep(0.2)
            started = below(process.pid)
            if any(name_of(pid) == "sleep" for pid in started):
                seen.append(sum(held(pid) for pid in started if name_of(pid) != "sleep"))
    return statistics.median(seen)


def below(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    found = [int(each) for each in text.split()]
    return found + [inner for each in found for inner in below(each)]


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def held(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def evidence(folder: Path) -> dict:
    """Bytes of evidence for a task of the demo by an agent of smolagents, beside what went to the model and back."""
    sys.path.insert(0, str(ROOT / "tests"))
    from provider_server import Says, provider_server

    def answer(request: dict) -> Says:
        if "Observation" not in json.dumps(request["messages"][2:]):
            return Says("Thought: I look.\n<code>\nprint(sum(range(100)))\n</code>")
        return Says("Thought: That is it.\n<code>\nfinal_answer(4950)\n</code>")

    agent = ROOT / "examples" / "agents" / "smolagents"
    with provider_server(answer) as provider:
        model = ("--model", "openai/tester", "--base-url", f"{provider.url}/v1")
        run(folder / "smolagents", *model, "--agent", str(agent), "--limit", str(TASKS))
        sent = sum(len(seen.body) for seen in provider.seen)
    kept = sum(path.stat().st_size for path in (folder / "smolagents").rglob("*") if path.is_file())
    steps = (folder / "smolagents" / "trajectories.jsonl").stat().st_size
    return {
        "tasks": TASKS,
        "trajectory_bytes_per_task": steps / TASKS,
        "bytes_per_task": kept / TASKS,
        "sent_to_the_model_per_task": sent / TASKS,
        "evidence_per_byte_sent": steps / sent,
    }


def main() -> None:
    load = os.getloadavg()[0]  # before it is ours
    with tempfile.TemporaryDirectory(prefix="bench-box-") as name:
        folder = Path(name)
        words = [sys.executable, "-c", SERVER, str(folder / "server.pem")]
        with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True) as server:
            plain, tls, *pages = json.loads(server.stdout.readline())
            urls = (f"http://127.0.0.1:{plain}", f"https://localhost:{tls}")
            servers = Servers(*urls, tls_pages=bool(pages), certificate=words[-1])
            try:
                figures = calls_and_pages(folder, servers)
                figures["loop_peak_mb"] = run(folder / "own", "--model", "scripted/demo", "--limit", "1").peak_mb
                figures["box_mb"] = box_memory(folder, servers.plain)
            finally:
                server.terminate()
        when = {"measured_at": datetime.now(UTC).date().isoformat(), "load": load}
        print(json.dumps(when | figures | {"start": starts(), "evidence": evidence(folder)}))


if __name__ == "__main__":
    main()
