"""Which functions reach files, commands and memory, and for what; which have to do with texts alone?"""

import re

from gaia_harness.audit.constants import words
from gaia_harness.audit.routines import Called

# Functions that take texts and do nothing with them but text.
HARMLESS = words(
    "print len str repr format int float input isinstance hasattr any all sum min max sorted type ValueError Exception "
    "RuntimeError KeyError json.dumps json.loads .append .extend .add .write .writelines .split .strip .find .index "
    ".startswith .endswith .replace .join .format .count .encode .decode .get .pop .update .remove .sub .match .search "
    ".findall .finditer .fullmatch .insert .setdefault .lower .upper .sort .title .text .set .select .css .xpath "
    ".find_all .findtext .send_keys .partition .hexdigest .info .debug .warning .error .lstrip .rstrip"
)
HARMLESS_MODULES = (
    "re.",
    "logging.",
    "hashlib.",
    "string.",
    "textwrap.",
    "datetime.",
    "math.",
    "warnings.",
    "collections.",
    "urllib.parse.",
    "html.",
    "argparse.",
    "time.",
    "difflib.",
    "unicodedata.",
    "sympy.",
)
LISTS = words("os.listdir os.scandir os.walk os.fwalk glob.glob glob.iglob Path.iterdir Path.glob Path.rglob Path.walk")
LOOKS = words(
    "os.stat os.lstat os.access os.path.exists os.path.isfile os.path.isdir os.path.getsize os.path.lexists "
    "os.path.islink os.readlink Path.exists Path.is_file Path.is_dir Path.stat"
)
WRITES = words(
    "os.remove os.unlink os.rename os.replace os.rmdir os.truncate os.chmod os.chown shutil.move "
    "Path.write_text Path.write_bytes Path.unlink Path.rename Path.replace Path.touch Path.chmod "
    ".to_csv .to_json .to_excel .to_parquet .to_pickle .savefig .save shutil.copyfile"
)
TREES = words(
    "shutil.copytree shutil.make_archive distutils.dir_util.copy_tree tarfile.open().add tarfile.TarFile().add "
    "tarfile.TarFile.open().add"
)
"""What takes a whole folder, with all that is below it."""
CLEARS = words("shutil.rmtree distutils.dir_util.remove_tree")
MAKES = words("os.mkdir os.makedirs Path.mkdir")
METHODS = words(".open .read_text .read_bytes .load .copy .connect .extract .extractall .read .iterdir .glob .rglob")
COMMANDS = words(
    "os.system os.popen subprocess.run subprocess.call subprocess.check_output subprocess.check_call "
    "subprocess.Popen subprocess.getoutput subprocess.getstatusoutput pty.spawn os.execv os.execvp os.execl "
    "os.execlp os.execve os.spawnl os.spawnv asyncio.create_subprocess_shell "
    "asyncio.create_subprocess_exec commands.getoutput"
)
MEMORY = words(
    "gc.get_objects gc.get_referrers gc.get_referents ctypes.string_at ctypes.from_address ctypes.memmove ctypes.cast"
)
MEMORY_NAMES = frozenset(("process_vm_readv", "ptrace", "from_address", "PyDLL"))
PACKAGES = re.compile(
    r"pkgutil\.(?:get_data|get_loader|find_loader|resolve_name)|importlib\.util\.find_spec|runpy\.run_module|"
    r"(?:importlib\.resources|importlib_resources|pkg_resources)\.\w+|"
    r"(?:importlib\.metadata|importlib_metadata)\.(?:files|distribution|metadata|entry_points)"
)
"""What finds a package by its name, or takes what lies beside its code."""
QUERIES = re.compile(r"duckdb\b.*|(?:.*\.)?(?:execute|executescript|sql|query|read_sql|read_sql_query)")
"""What is given a text in a language in which files have their names between quotes."""
ARCHIVES = words("zipfile.ZipFile tarfile.open tarfile.TarFile")
MEMBERS = re.compile(
    r"(?:zipfile\.ZipFile|tarfile\.open|tarfile\.TarFile)\(\)\.(?:read|open|extract|extractfile|getinfo|getmember)"
)
"""What is given the name of something within an archive."""
FILE_FUNCTIONS = ("open", "os.", "Path.", "shutil.", "glob.", "pandas.", "codecs.", "sqlite3.", "?")
_KINDS = (
    ("list", LISTS), ("look", LOOKS), ("write", WRITES), ("make", MAKES), ("tree", TREES), ("clear", CLEARS),
)  # fmt: skip


def kind_of(call: Called) -> str:
    """For what a call takes the files that it is given."""
    if call.name in ("open", "os.open", "codecs.open", "Path.open", ".open", "os.fdopen"):
        place = 0 if call.receiver is not None else 1
        mode = call.keywords.get("mode", call.args[place] if len(call.args) > place else "r")
        return "write" if isinstance(mode, str) and set(mode) & set("wax") else "read"  # r+ takes a file that is there
    for kind, names in _KINDS:
        if call.name in names:
            return kind
    return "read"
