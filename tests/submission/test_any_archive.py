"""A package packed by any ordinary program is verified by its content; tricks of archives are refused, in our words."""

import bz2
import gzip
import io
import lzma
import os
import shutil
import stat
import subprocess
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from submitter import examined

import thoroughness
from gaia_command import gaia, python
from gaia_harness.errors import EvidenceError, GaiaError, UnreadableError
from gaia_harness.submission import decompression, tar_reading
from gaia_harness.submission.archive import NOT_SIGNED, unpacked
from gaia_harness.submission.file_set import is_package_name
from gaia_harness.submission.verdict import NotExamined, Verdict

CONFORMANCE = Path(__file__).parents[2] / "conformance"
PACKAGE = CONFORMANCE / "plain_pass" / "package"
TRUST = ("--allowed-signers", CONFORMANCE / "allowed_signers", "--identity", "conformance@example.org")


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


CONTENT = files(PACKAGE)


def tar(path: Path, *options: str, of: Path = PACKAGE) -> Path:
    subprocess.run(["tar", "-cf", path, *options], check=True, cwd=of)
    return path


def long_folder(path: Path) -> Path:
    """In a folder whose name no tar header has room for."""
    place = path.parent / ("deep" * 20) / ("er" * 40)
    shutil.copytree(PACKAGE, place / "package")
    return place


def zipped(path: Path, *, method: int = zipfile.ZIP_DEFLATED, prefix: str = "") -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in CONTENT.items():
            archive.writestr(prefix + name, data)
    return path


MAKERS = {
    "gnu": lambda path: tar(path, "--format=gnu", "-C", "..", "package"),
    "ustar of all names": lambda path: tar(path, "--format=ustar", *sorted(p.name for p in PACKAGE.iterdir())),
    "pax of .": lambda path: tar(path, "--format=pax", "."),
    "v7": lambda path: tar(path, "--format=v7", "-C", "..", "package"),
    "owner and mode": lambda path: tar(path, "--owner=eve:1234", "--mode=4755", "--mtime=2001-01-01", "."),
    "long names, gnu": lambda path: tar(path, "--format=gnu", "-C", "../..", ".", of=long_folder(path)),
    "long names, pax": lambda path: tar(path, "--format=pax", "-C", "../..", ".", of=long_folder(path)),
    "gzip": lambda path: tar(path, "-z", "."),
    "bzip2": lambda path: path.write_bytes(bz2.compress(tar(path, ".").read_bytes())) and path,
    "xz": lambda path: path.write_bytes(lzma.compress(tar(path, ".").read_bytes(), preset=9)) and path,
    "zstd": lambda path: path.write_bytes(zstandard.compress(tar(path, ".").read_bytes())) and path,
    "two gzip members": lambda path: path.write_bytes(halves(tar(path, ".").read_bytes(), gzip.compress)) and path,
    "two bzip2 streams": lambda path: path.write_bytes(halves(tar(path, ".").read_bytes(), bz2.compress)) and path,
    "zip": lambda path: zipped(path),
    "zip in a folder": lambda path: zipped(path, prefix="a/b/"),
    "zip, stored": lambda path: zipped(path, method=zipfile.ZIP_STORED),
    "python's tar": lambda path: pythons_tar(path),
}


def halves(data: bytes, compress) -> bytes:
    return compress(data[:5000]) + compress(data[5000:])


def pythons_tar(path: Path) -> Path:
    with tarfile.open(path, "w:gz", pax_headers={"comment": "für alle"}) as archive:
        archive.add(PACKAGE, "päckchen")
    return path


@pytest.mark.parametrize("made_by", MAKERS)
def test_the_content_is_what_counts(tmp_path, made_by):
    path = MAKERS[made_by](tmp_path / "p")
    with unpacked(path) as folder:
        assert files(folder) == CONTENT


def test_an_archive_by_an_ordinary_program_is_verified_and_said_not_to_be_signed(tmp_path):
    ran = gaia("verify", tar(tmp_path / "p.tar.gz", "-z", "-C", "..", "package"), *TRUST)
    assert ran.code == 0, ran.said
    assert f"note       {NOT_SIGNED}" in ran.out
    assert NOT_SIGNED not in gaia("verify", PACKAGE, *TRUST).out
    assert gaia("verify", zipped(tmp_path / "p.zip"), *TRUST).code == 0


def member(name: str, data: bytes = b"x", **fields) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    return info, data


def what_is_wrong(verdict: Verdict | NotExamined) -> str:
    return verdict.error if isinstance(verdict, NotExamined) else "\n".join(verdict.checks[0].faults)


def with_members(path: Path, *members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> Path:
    """The whole package, with these behind it."""
    with tarfile.open(path, "w", format=form) as archive:
        archive.add(PACKAGE, "package")
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return path


SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "package/log.jsonl"}
REFUSED = {
    "an extra file": (member("package/notes.txt"), "notes.txt: a file that does not belong here"),
    "an extra file beside": (member("notes.txt"), "notes.txt: a file that does not belong here"),
    "a file twice": (member("package/log.jsonl"), "log.jsonl stands twice"),
    "the same by a dot": (member("./package/log.jsonl"), "log.jsonl stands twice"),
    "another package": (member("other/log.jsonl"), "stands in another folder than the files before it"),
    "a parent": (member("package/../log.jsonl"), "a name that leads out of the package"),
    "an absolute name": (member("/etc/passwd"), "a name that leads out of the package"),
    "a double": (member("package/LOG.jsonl"), "a double of log.jsonl"),
    "a nested archive": (member("package/package.tar.gz"), "package.tar.gz: a file that does not belong here"),
    "a symbolic link": (member("package/prompts/" + "0" * 64, b"", type=b"2", linkname="/etc/passwd"), "is a link"),
    "a hard link": (member("package/prompts/" + "0" * 64, b"", type=b"1", linkname="x"), "is a link"),
    "a pipe": (member("package/prompts/" + "0" * 64, b"", type=b"6"), "is not a plain file (a pipe)"),
    "a device": (member("package/prompts/" + "0" * 64, b"", type=b"3"), "is not a plain file (a device)"),
    "a disk": (member("package/prompts/" + "0" * 64, b"", type=b"4"), "is not a plain file"),
    "holes, gnu": (member("package/prompts/" + "0" * 64, b"", type=b"S"), "is not a plain file"),
    "a folder": (member("package/notes", b"", type=b"5"), "package/notes: a folder that does not belong here"),
    "an empty folder": (member("package/bodies", b"", type=b"5"), "bodies/: a folder with nothing in it"),
    "holes": (member("package/prompts/" + "0" * 64, b"1\n0\n1\n" + bytes(600), pax_headers=SPARSE), "GNU.sparse.major"),
    "another type": (member("package/log.jsonl", b"", type=b"7"), "of a type b'7' that we do not know"),
    "a huge pax header": (
        member("package/log.jsonl", pax_headers={"comment": "x" * 70_000}), "that says more of an entry",
    ),
    "a size without end": (member("package/log.jsonl", pax_headers={"size": "1" * 5000}), "a pax header with size"),
    "a link by pax": (member("package/log.jsonl", pax_headers={"linkpath": "/etc"}), "a pax header with linkpath"),
}  # fmt: skip


@pytest.mark.parametrize("trick", REFUSED)
def test_an_archive_with_more_than_the_package_fails(tmp_path, monkeypatch, trick):
    extra, words = REFUSED[trick]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    verdict = examined(with_members(tmp_path / "p.tar", extra))
    assert verdict.exit_code == 1, verdict
    assert words in what_is_wrong(verdict)
    assert [path.name for path in tmp_path.iterdir()] == ["p.tar"]


def test_the_command_says_what_is_wrong_with_an_archive(tmp_path):
    extra, words = REFUSED["a symbolic link"]
    ran = gaia("verify", with_members(tmp_path / "p.tar", extra), *TRUST, TMPDIR=str(tmp_path))
    assert ran.code == 1, ran.said
    assert words in ran.out
    assert [path.name for path in tmp_path.iterdir()] == ["p.tar"]


def test_headers_without_an_entry_have_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(tar_reading, "MOST_EXTENSIONS", 30)
    comment = tarfile.TarInfo.create_pax_global_header({"comment": "x"})
    path = tmp_path / "p"
    for count, words in ((30, "there is no package in it"), (31, "more than 30 headers")):
        path.write_bytes(comment * count + bytes(1024))
        with pytest.raises(GaiaError, match=words), unpacked(path):
            pass


def zip_with(path: Path, name: str, data: bytes = b"x", *, mode: int = 0, method: int = 0) -> Path:
    info = zipfile.ZipInfo(name)
    info.external_attr, info.compress_type = mode << 16, method
    with zipfile.ZipFile(zipped(path), "a") as archive:
        archive.writestr(info, data)
    return path


ODD_ZIPS = {
    "an extra file": (lambda path: zip_with(path, "notes.txt"), "notes.txt: a file that does not belong here"),
    "a parent": (lambda path: zip_with(path, "../log.jsonl"), "a name that leads out of the package"),
    "backslashes": (lambda path: zip_with(path, "prompts\\x"), "a name that leads out of the package"),
    "a link": (lambda path: zip_with(path, "prompts/" + "0" * 64, mode=stat.S_IFLNK | 0o777), "is a link"),
    "a pipe": (lambda path: zip_with(path, "prompts/" + "0" * 64, mode=stat.S_IFIFO), "is not a plain file"),
    "bzip2 within": (
        lambda path: zip_with(path, "prompts/" + "0" * 64, method=zipfile.ZIP_BZIP2), "in a way that we do not read",
    ),
    "more behind": (lambda path: append(zipped(path), b"more"), "has something behind its end"),
    "hidden entry": (lambda path: hidden_entry(path), "has something between its entries"),
}  # fmt: skip


def append(path: Path, data: bytes) -> Path:
    path.write_bytes(path.read_bytes() + data)
    return path


def hidden_entry(path: Path) -> Path:
    """An entry that a program which reads from the start sees, and the directory does not list."""
    with zipfile.ZipFile(zip_with(path, "notes.txt"), "a") as archive:
        archive.filelist[:] = [info for info in archive.filelist if info.filename != "notes.txt"]
        archive._didModify = True
    return path


@pytest.mark.parametrize("trick", ODD_ZIPS)
def test_a_zip_with_more_than_the_package_fails(tmp_path, trick):
    make, words = ODD_ZIPS[trick]
    verdict = examined(make(tmp_path / "p.zip"))
    assert verdict.exit_code == 1, verdict
    assert words in what_is_wrong(verdict)


def test_a_zip_with_a_file_twice_fails(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        path = zip_with(tmp_path / "p.zip", "log.jsonl")
    assert "log.jsonl stands twice" in what_is_wrong(examined(path))


def bomb(size: int) -> bytes:
    """A tar file with one file of zeros in it."""
    info = tarfile.TarInfo("package/log.jsonl")
    info.size = size
    return info.tobuf(tarfile.USTAR_FORMAT) + bytes(size + 1024)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_a_bomb_ends_early_whatever_it_is_compressed_with(tmp_path, monkeypatch, compress):
    monkeypatch.setattr(decompression, "SPARE_BYTES", 1 << 20)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "bomb"
    path.write_bytes(compress(bomb(10 << 20)))
    assert path.stat().st_size < 20_000
    with pytest.raises(EvidenceError, match="unpacks to more than"), unpacked(path):
        pass
    assert [left.name for left in tmp_path.iterdir()] == ["bomb"]


def test_a_zip_bomb_is_refused_before_anything_is_unpacked(tmp_path):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("log.jsonl", bytes(100 << 20))
    with pytest.raises(EvidenceError, match="unpacks to more than"), unpacked(path):
        pass


def test_a_zip_that_understates_a_size_is_damaged(tmp_path):
    data = bytearray(zipped(tmp_path / "p.zip").read_bytes())
    directory = data.rindex(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (5).to_bytes(4, "little")
    (tmp_path / "p.zip").write_bytes(data)
    with pytest.raises(UnreadableError, match="damaged"), unpacked(tmp_path / "p.zip"):
        pass


def cut(path: Path) -> Path:
    os.truncate(path, path.stat().st_size // 2)
    return path


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def a_run(path: Path) -> Path:
    shutil.copytree(PACKAGE, path)
    (path / "SHA256SUMS").unlink()
    (path / "run.json").touch()
    return path


UNREADABLE = {
    "nothing": (lambda path: path, "there is no such package"),
    "an empty file": (lambda path: written(path, b""), "not an archive"),
    "a text": (lambda path: written(path, b"hello " * 500), "not an archive"),
    "zeros": (lambda path: written(path, bytes(512)), "not an archive"),
    "zeros and a text": (lambda path: written(path, bytes(512) + b"hello " * 500), "not an archive"),
    "compressed zeros": (lambda path: written(path, gzip.compress(bytes(10240))), "not an archive"),
    "a compressed text": (lambda path: written(path, gzip.compress(b"hello " * 500)), "not an archive"),
    "compressed twice": (
        lambda path: written(path, gzip.compress(gzip.compress(MAKERS["pax of ."](path).read_bytes()))),
        "not an archive",
    ),
    "cut gzip": (lambda path: cut(MAKERS["gzip"](path)), "is cut short"),
    "cut tar": (lambda path: cut(MAKERS["gnu"](path)), "is cut short"),
    "cut xz": (lambda path: cut(MAKERS["xz"](path)), "is cut short"),
    "cut bzip2": (lambda path: cut(MAKERS["bzip2"](path)), "is cut short"),
    "cut zstd": (lambda path: cut(MAKERS["zstd"](path)), "is cut short"),
    "cut zip": (lambda path: cut(zipped(path)), "damaged"),
    "other files": (lambda path: tar(path, "submitter.py", of=Path(__file__).parent), "there is no package in it"),
    "an empty folder": (lambda path: path.mkdir() or path, "not a package: none of its files is there"),
    "a run": (a_run, "a run, not a package"),
    "a pipe": (lambda path: os.mkfifo(path) or path, "cannot be read: Not a directory"),
}  # fmt: skip


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_is_no_package_or_cannot_be_read_is_unreadable_and_not_failed(tmp_path, kind):
    make, words = UNREADABLE[kind]
    verdict = examined(make(tmp_path / "p"))
    assert (verdict.exit_code, verdict.verdict) == (2, "unreadable"), verdict
    assert words in verdict.error


def test_the_command_says_what_cannot_be_read(tmp_path):
    ran = gaia("verify", cut(MAKERS["gzip"](tmp_path / "p")), *TRUST)
    assert (ran.code, ran.out) == (2, "unreadable\n"), ran.said
    assert "is cut short" in ran.err


def test_a_file_without_permission_is_unreadable(tmp_path):
    """As another user, where the tests run as root."""
    folder = tmp_path / "p"
    shutil.copytree(PACKAGE, folder)
    (folder / "log.jsonl").chmod(0)
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom gaia_harness.errors import UnreadableError\n"
        "import gaia_harness.submission.verdict as v\n"
        f"os.setuid(65534) if os.geteuid() == 0 else None\nos.chdir({str(tmp_path)!r})\n"
        "try:\n    v.verify(Path('p'))\nexcept UnreadableError as error:\n    print(error.message)\n"
    )
    subprocess.run(["chmod", "a+rx", *tmp_path.parents[:3], tmp_path, folder], check=False)
    ran = python("-c", program)
    assert ran.out == "p/log.jsonl: cannot be read: Permission denied\n", ran.err


patient = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=thoroughness.of(30))
SMALL = {name: CONTENT[name] for name in ("SHA256SUMS", "checkpoints", "ledger.jsonl")}


def small(kind: str) -> bytes:
    raw = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in SMALL.items():
                archive.writestr(name, data)
        return raw.getvalue()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT if kind == "gnu" else tarfile.PAX_FORMAT) as t:
        for name, data in SMALL.items():
            info = tarfile.TarInfo(f"{'d' * 120}/{name}")
            info.size, info.mtime = len(data), 1.5
            t.addfile(info, io.BytesIO(data))
    compress = {"gz": zlib_gzip, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard.compress}.get(kind, bytes)
    return compress(raw.getvalue())


def zlib_gzip(data: bytes) -> bytes:
    squeeze = zlib.compressobj(6, zlib.DEFLATED, 31)
    return squeeze.compress(data) + squeeze.flush()


@pytest.mark.parametrize("kind", ["gnu", "pax", "zip", "gz", "bz2", "xz", "zst"])
@settings(patient)
@given(data=st.data())
def test_whatever_is_changed_in_an_archive_ends_in_our_errors(tmp_path, kind, data):
    raw = bytearray(small(kind))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(raw)))
        raw[start : start + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=6))
    path = tmp_path / "p"
    path.write_bytes(raw)
    try:
        with unpacked(path) as folder:
            assert all(is_package_name(name) for name in files(folder))
    except GaiaError:
        pass


@pytest.mark.parametrize("kind", ["gnu", "pax"])
@settings(patient)
@given(data=st.data())
def test_whatever_a_header_with_a_right_checksum_says_ends_in_our_errors(tmp_path, kind, data):
    raw = bytearray(small(kind))
    block = 512 * data.draw(st.integers(0, 6))
    start = block + data.draw(st.sampled_from([0, 100, 124, 148, 156, 157, 257, 263, 345, 400, 500]))
    new = data.draw(st.binary(max_size=12))
    raw[start : start + len(new)] = new
    raw[block + 148 : block + 156] = b" " * 8
    raw[block + 148 : block + 156] = b"%06o\0 " % sum(raw[block : block + 512])
    path = tmp_path / "p"
    path.write_bytes(raw)
    try:
        with unpacked(path) as folder:
            assert all(is_package_name(name) for name in files(folder))
    except GaiaError:
        pass
