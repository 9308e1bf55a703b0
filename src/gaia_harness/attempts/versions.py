"""Which versions attempts are made with: a run records them, and every machine that works for it must have the same."""

import contextlib
import platform
import sys
from importlib import metadata

from gaia_harness.version import __version__

RECORDED_PACKAGES = ("openai", "anthropic", "huggingface_hub", "httpx2", "trafilatura", "ddgs", "msgspec")


def versions() -> dict[str, str]:
    """What this run was made with."""
    found = {"gaia_harness": __version__, "python": platform.python_version(), "platform": sys.platform}
    for package in RECORDED_PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found
