"""A Python program that sends itself a signal at a certain point, which no machine is too busy to meet.

`signal_at.py SIGKILL MODULE:NAME N PROGRAM…` does so before the N-th call of that function, or of any function at all
once that one was called (`MODULE:NAME+`). The program is as `python` has it: `-m NAME`, `-c TEXT` or a file first.
"""

import importlib
import os
import signal
import sys

from ready_python import run


def main(name: str, place: str, count: str, *program: str) -> None:
    number, left = signal.Signals[name], int(count)
    module, _, path = place.rstrip("+").partition(":")
    *owners, last = path.split(".")
    owner = importlib.import_module(module)
    for part in owners:
        owner = getattr(owner, part)
    real = getattr(owner, last)

    def count_down(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), number)

    def counted(*args, **options):
        if not place.endswith("+"):
            count_down()
        elif sys.getprofile() is None:
            sys.setprofile(count_down)
        return real(*args, **options)

    setattr(owner, last, counted)
    run([*program])


if __name__ == "__main__":
    main(*sys.argv[1:])
