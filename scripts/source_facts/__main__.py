"""`make facts`: write the facts of the sources as they are. With --check, only say whether they are written."""

import sys

from gaia_harness.audit.source_facts import FILE_NAME
from scripts.source_facts import is_current, write

if sys.argv[1:] == ["--check"]:
    if not is_current():
        sys.exit(f"src/gaia_harness/audit/{FILE_NAME} is of other sources than these: run `make facts` and commit it")
elif len(sys.argv) == 1:
    write()
else:
    sys.exit("usage: python -m scripts.source_facts [--check]")
