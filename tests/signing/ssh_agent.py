"""A real ssh-agent of our own, for as long as a test needs it."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def ssh_agent(folder: Path) -> Iterator[dict[str, str]]:
    """The environment in which ssh-add reaches the agent."""
    # -D: stays our child, so that it ends with the test
    place = folder / "agent"
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", place], stdout=subprocess.PIPE, text=True)
    try:
        assert agent.stdout is not None
        agent.stdout.readline()  # it says where it is once it listens
        yield {"SSH_AUTH_SOCK": str(place), "PATH": "/usr/bin:/bin"}
    finally:
        agent.terminate()
        agent.wait()
        assert agent.stdout is not None
        agent.stdout.close()


def ssh_add(env: dict[str, str], *args: str | Path) -> None:
    subprocess.run(["ssh-add", "-q", *args], env=env, check=True, capture_output=True)
