"""Whom programs in a box trust: the bundles of certificates that they read, with the gateway's own added.

Programs look in different places: the system's bundle, the copy of certifi in each Python environment. In the box each
of these files is covered by one that has the gateway's certificate too. Browsers have it from a policy.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_SYSTEM = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
_LIBRARIES = ("lib/python3*", "local/lib/python3*", "lib/node_modules", "local/lib/node_modules")
"""Where packages with certificates of their own lie beneath /usr, which has too many folders to be searched."""
CHROMIUM_POLICIES = (
    "/etc/chromium/policies/managed/gaia-ca.json",
    "/etc/opt/chrome/policies/managed/gaia-ca.json",
)
"""Where Chromium and Chrome look for whom to trust beside those that are built in."""
LARGEST = 4 << 20
MOST_FOLDERS = 200_000


def bundles(folders: Iterable[Path], certificate: bytes) -> Iterator[tuple[Path, bytes]]:
    """Each bundle below these folders, by its real path, and what it becomes."""
    seen: set[Path] = set()
    for path in (*map(Path, _SYSTEM), *_certifi(folders)):
        real = path.resolve()
        if real in seen or not real.is_file() or real.stat().st_size > LARGEST:
            continue
        seen.add(real)
        yield real, real.read_bytes().rstrip(b"\n") + b"\n" + certificate


def chromium_policy(certificate: bytes) -> str:
    """A policy by which Chromium trusts a certificate (`CACertificates`)."""
    lines = certificate.decode().strip().splitlines()
    return json.dumps({"CACertificates": ["".join(lines[1:-1])]})


def _certifi(folders: Iterable[Path]) -> Iterator[Path]:
    left = MOST_FOLDERS
    system = [path for pattern in _LIBRARIES for path in sorted(Path("/usr").glob(pattern))]
    for top in (*system, *(folder for folder in folders if folder != Path("/usr"))):
        for folder, names, files in os.walk(top):
            left -= 1
            if left < 0:
                return
            names[:] = [name for name in names if name not in ("__pycache__", ".git")]
            if "cacert.pem" in files:
                yield Path(folder, "cacert.pem")
