"""Tables of library functions: those that open files, run commands or start servers, and those that only build text."""

import re
from typing import Any

from gaia_harness.audit.constant_folding import HOLE, words
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
CHANGES = words(
    "os.remove os.unlink os.rename os.replace os.rmdir os.truncate os.chmod os.chown shutil.move "
    "Path.unlink Path.rename Path.replace Path.chmod"
)
"""What is done to a file that is there."""
WRITES = words("Path.write_text Path.write_bytes Path.touch shutil.copyfile")
_WRITING = re.compile(
    r"to_(?!numpy|list|dict|string|datetime|numeric)\w+|save\w*|imsave|imwrite|write_\w+|dump|export_\w+|urlretrieve|"
    r"download_file\w*"
)
"""What a function is called that takes the name of the file it makes, whoever has it."""
_UNPACKING = words("extract extractall unpack_archive extract_archive clone_from clone_repository")
"""What fills a folder with files whose names are others' choice."""
_ASKING = words(
    "find findall find_all findtext iterfind iter xpath css cssselect select select_one get_node list_nodes get post "
    "put patch delete head options request route websocket mount add_url_rule add_route add_api_route register url_for "
    "create_group create_dataset require_group require_dataset create_array visit search match fullmatch sub split "
    "replace startswith endswith removeprefix removesuffix strip count index filter evaluate goto locator find_element "
    "find_elements wait_for_selector query_selector query_selector_all resolve_pointer add_get add_post add_put "
    "add_delete add_view re_path get_object Route Rule APIRouter Blueprint urljoin"
)
"""Methods that are given a place within a document, a route of a site or a pattern. None of them opens a file."""
NO_FILES = words(
    "group key Key xpath selector css route prefix endpoint pattern regex sep delimiter href Bucket query url_prefix "
    "rule root_path json_path expr text string value label title columns index_col"
)
"""Arguments by name that are given a place within something, or a text."""
_ROOTS = words(
    "home srv opt data mnt var usr tmp etc root proc dev sys run runs users media workspace workspaces app content "
    "kaggle task private nix gaia eval evals harness bench benchmark benchmarks dataset datasets output outputs lib "
    "lib64 boot volumes scratch work net nfs export storage"
)
_LOCAL_STORES = ("fsspec.", "os.", "shutil.", "Path.", "pathlib.", "pandas.", "glob.")
TREES = words(
    "shutil.copytree shutil.make_archive distutils.dir_util.copy_tree tarfile.open().add tarfile.TarFile().add "
    "tarfile.TarFile.open().add"
)
"""What takes a whole folder, with all that is below it."""
CLEARS = words("shutil.rmtree distutils.dir_util.remove_tree")
MAKES = words("os.mkdir os.makedirs Path.mkdir")
METHODS = words(
    ".open .read_text .read_bytes .load .copy .connect .extract .extractall .read .iterdir .glob .rglob .unpack_archive"
)
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
_PAGES = ("pandas.read_html", "pandas.read_xml")
_KINDS = (
    ("list", LISTS), ("look", LOOKS), ("write", WRITES), ("change", CHANGES), ("make", MAKES), ("tree", TREES),
    ("clear", CLEARS),
)  # fmt: skip
_SERVERS = words("make_server bind create_server start_server run_simple run_app TCPSite")
_STARTED = words("run serve listen")
"""What starts a server where a port is named as such, or the library is one for servers."""
_USUAL_PORTS = (("flask.", "5000"), ("uvicorn.", "8000"), ("bottle.", "8080"), ("aiohttp.", "8080"))


def kind_of(call: Called) -> str:
    """For what a call takes the files that it is given."""
    if call.name in ("open", "os.open", "codecs.open", "Path.open", ".open", "os.fdopen"):
        place = 0 if call.receiver is not None else 1
        mode = call.keywords.get("mode", call.args[place] if len(call.args) > place else "r")
        return "write" if isinstance(mode, str) and set(mode) & set("wax") else "read"  # r+ takes a file that is there
    for kind, names in _KINDS:
        if call.name in names:
            return kind
    return "write" if writes(call.name) else "read"


def writes(name: str) -> bool:
    """Whether a function makes the file that it is given the name of, by what it is called itself."""
    return _WRITING.fullmatch(name.rpartition(".")[2]) is not None


def asks_within(name: str) -> bool:
    """Whether a call is a method of something that is no file system, and its texts are no files."""
    owner, _, last = name.rpartition(".")
    if last not in _ASKING:
        return name == "django.urls.path"
    return owner != "" and not name.startswith(_LOCAL_STORES)


def is_not_a_path(text: str, name: str) -> bool:
    """Whether a text, given to what is not known to open files, begins and ends as no path of a file does."""
    if not text.startswith(("/", HOLE)) or (name.startswith(FILE_FUNCTIONS) and name not in _PAGES):
        return False
    parts = [part for part in text.lower().split("/") if part]
    return bool(parts) and parts[0] not in _ROOTS and "." not in parts[-1] and "*" not in text


def ports_of(call: Called) -> list[str]:
    """At which ports of this machine a call makes a server listen."""
    last = call.name.rpartition(".")[2]
    usual = ""
    if last in _STARTED:
        usual = next((port for library, port in _USUAL_PORTS if call.name.startswith(library)), "")
        given = [call.keywords.get("port")]
    elif last in _SERVERS or last.endswith(("HTTPServer", "TCPServer")):
        given = [*call.args, *call.keywords.values()]
    else:
        return []
    numbers = [part for value in given for part in (value if isinstance(value, tuple) else (value,))]
    found = [str(number) for number in numbers if isinstance(number, int) and 9 < number < 65536]
    return found or ([usual] if usual else [])


def unpacked_into(call: Called) -> Any:
    """The folder that a call fills with files; None where it fills none, or does not say which."""
    last = call.name.rpartition(".")[2]
    if last not in _UNPACKING:
        return None
    for word in ("path", "extract_dir", "outdir", "to_path", "targetdir", "directory"):
        if word in call.keywords:
            return call.keywords[word]
    place = 0 if last == "extractall" else 1
    return call.args[place] if len(call.args) > place else "."
