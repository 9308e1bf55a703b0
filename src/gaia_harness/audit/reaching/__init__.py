"""What do tool calls reach for, and did they get there? AUD-4 asks so about graders, AUD-8 about answers.

From a call to a finding, with the module of each step:

    ToolCallStep   one call, with arguments by name
      Action       one argument that may reach for something, and what came back                  actions.py
        Reading    all that its text reaches                                                      reading.py
                     Python, by its syntax tree (code.py) with constants folded (folding.py)
                     commands, by their words (shell.py)
          Reach    one thing that it reaches: kind, target, line
      Verdict      what a check makes of a reach: rule, and severity if it got there or was refused
    Finding        the verdict, by whether the result says that it was refused                    actions.py

Kinds of a Reach, with their targets:

    read           a file, by its resolved path, also one that is moved, removed or copied by Python
    write          a file or a folder that is made, also by unpacking
    list           a folder, or a file that is only asked about
    tree           a folder, or a file by a command, that is copied, moved, packed or removed
    mention        a path that is bound or handed about: whether it is opened is not known, and it counts as if it were
    url, page      an address that code opens, or that a tool is given
    download       the whole command of a program that downloads
    load           what the library of a hub is asked for: names of a data set and its parts
    module         a dotted name; also the harness's own command
    serve, memory  the function that starts a server, or looks at memory

paths.py says where a path leads, whether that is the agent's own, and what is a grader's. What functions,
programs and arguments do stands in calls.toml, names of places in places.toml; tables.py reads both. To follow a
check, read this page, the check, places.toml, paths.py and the end of actions.py.
"""
