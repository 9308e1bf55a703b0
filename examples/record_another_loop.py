"""Record an agent that is not ours as a run that can be audited, submitted and verified: see docs/recording.md."""

import sys

from gaia_harness import RunWriter, Selection, live, load_tasks

tasks = load_tasks("demo", selection=Selection(first=1, last=2))
origin = live("acme-loop 1.2", tools={"timetable": "fetch", "final_answer": "answer"}, unknown=["context_sha256"])
with RunWriter(sys.argv[1], dataset=tasks, model="acme/agent-7", origin=origin, declare="--declare" in sys.argv) as run:
    for task in run.tasks:
        with run.attempt(task) as attempt:
            attempt.prompt("You answer questions about ferries.", role="system")
            attempt.prompt(task.question)
            # … your model answers with a tool call …
            attempt.llm_call("I look it up.", tokens_in=40, tokens_out=5)
            call = attempt.tool_call("timetable", {"quay": "Needle Quay", "day": "Sunday"})
            # … your tool answers …
            attempt.tool_result("Sundays: 9:10, 11:40", call_id=call)
            attempt.llm_call("The second ferry leaves at 11:40.", tokens_in=70, tokens_out=12)
            attempt.answer("11:40")
summary = run.summary
print(f"{summary.finished} of {summary.total} tasks recorded, {summary.passed} right")
