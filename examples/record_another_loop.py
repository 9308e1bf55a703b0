"""Record the steps of an agent that is not ours: the example of docs/recording.md."""

from pathlib import Path

from gaia_harness.evidence import Recording

questions = {"tide-1": "At what hour does the second ferry leave Needle Quay on a Sunday?"}

with Recording(Path("evidence"), questions, secrets=["my-secret-api-key"]) as recording:
    for task_id, question in questions.items():
        task = recording.task(task_id, model="acme/agent-7")
        attempt = task.attempt()
        attempt.prompt(1, "system", "You answer questions about ferries.", context_sha256=None)
        attempt.prompt(1, "user", question, context_sha256=None)
        # … your model answers with a tool call …
        attempt.llm_call(1, "I look it up.", model="acme/agent-7", tokens_in=40, tokens_out=5)
        attempt.tool_call(1, "call-1", "timetable", {"quay": "Needle Quay", "day": "Sunday"})
        # … your tool answers …
        attempt.tool_result(1, "call-1", "timetable", "Sundays: 9:10, 11:40")
        attempt.prompt(2, "context", "", context_sha256=None)
        attempt.llm_call(2, "FINAL ANSWER: 11:40", model="acme/agent-7", tokens_in=70, tokens_out=6)
        finished = task.finish("11:40")
        print(task_id, finished.sha256)
