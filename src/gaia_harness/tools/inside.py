"""The first program in the sandbox, before the agent's code. It is run there as `python -c`, on its own.

It may import nothing but the standard library. Its one argument is a JSON object with the limits; the code comes by
standard input, so that its size does not matter and nothing of it shows in a process list.
"""

import ast
import json
import linecache
import os
import resource
import sys
import traceback
import types


def main(settings: dict) -> None:  # type: ignore[type-arg]
    """Take on the limits, then run the code as `__main__`."""
    code = sys.stdin.buffer.read().decode()
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    confine(settings)
    sys.path.extend(settings["packages"])
    sys.argv = ["code.py"]
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    run(code)


def confine(settings: dict) -> None:  # type: ignore[type-arg]
    """Drop to the user nobody if still root, and set the limits of this process and its children."""
    if settings["uid"] is not None:
        os.setgroups([])
        os.setresgid(settings["uid"], settings["uid"], settings["uid"])
        os.setresuid(settings["uid"], settings["uid"], settings["uid"])
    for name, value in settings["rlimits"].items():
        kind = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    try:
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")  # if the machine runs out of memory all the same, let it be this that goes
    except OSError:
        pass


def run(code: str) -> None:
    """Run the code; like a notebook, print the value of a last line that is an expression."""
    module = types.ModuleType("__main__")
    module.__dict__.update({"__builtins__": __builtins__, "__file__": "code.py"})
    sys.modules["__main__"] = module
    linecache.cache["code.py"] = (len(code), None, code.splitlines(True), "code.py")
    try:
        tree = ast.parse(code, "code.py")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        program = compile(tree, "code.py", "exec")
        value = compile(ast.Expression(last.value), "code.py", "eval") if isinstance(last, ast.Expr) else None
        exec(program, module.__dict__)  # noqa: S102
        result = eval(value, module.__dict__) if value is not None else None  # noqa: S307
        if result is not None:
            print(repr(result))
    except SystemExit:
        raise
    except BaseException as error:
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename != "code.py":
            frames = frames.tb_next  # ours and ast's
        traceback.print_exception(type(error), error, frames)
        sys.exit(1)


if __name__ == "__main__":
    import site

    site.setquit()  # -S leaves exit() and quit() out; code written for a prompt expects them
    main(json.loads(sys.argv[1]))
