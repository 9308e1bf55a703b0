"""Makes the ATIF trajectory and the Harbor job folder in tests/exchange/fixtures, with Harbor's own models.

Usage: python tests/exchange/make_fixtures/harbor_files.py     (needs harbor, and Python 3.12)

Everything is fictional. Harbor's models refuse what the format does not allow.
"""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from harbor.models.job.result import JobResult, JobStats
from harbor.models.task.id import LocalTaskId
from harbor.models.trajectories import (
    Agent,
    ContentPart,
    ImageSource,
    Metrics,
    Observation,
    ObservationResult,
    Step,
    SubagentTrajectoryRef,
    ToolCall,
    Trajectory,
)
from harbor.models.trial.config import TaskConfig, TrialConfig
from harbor.models.trial.result import AgentInfo, ModelInfo, TrialResult
from harbor.models.verifier.result import VerifierResult

FIXTURES = Path(__file__).parents[1] / "fixtures"
AT = "2026-03-01T10:00:0{}Z"


def call(name: str, args: dict[str, object], number: int) -> ToolCall:
    return ToolCall(tool_call_id=f"call_{number}", function_name=name, arguments=args)


def result(text: str | list[ContentPart] | None, number: int | None, *refs: SubagentTrajectoryRef) -> ObservationResult:
    source = None if number is None else f"call_{number}"
    return ObservationResult(source_call_id=source, content=text, subagent_trajectory_ref=list(refs) or None)


def keeper() -> Trajectory:
    return Trajectory(
        trajectory_id="keeper-1",
        agent=Agent(name="keeper", version="1", model_name="acme/small"),
        steps=[
            Step(step_id=1, source="user", message="When was the lamp first lit?"),
            Step(
                step_id=2, source="agent", message="I look into the book.", tool_calls=[call("Read", {"path": "b"}, 1)],
                observation=Observation(results=[result("The lamp was lit on 3 May 1871.", 1)]),
            ),
            Step(step_id=3, source="agent", message="On 3 May 1871."),
        ],
    )  # fmt: skip


def light() -> Trajectory:
    picture = ContentPart(type="image", source=ImageSource(media_type="image/png", path="images/lamp.png"))
    return Trajectory(
        session_id="session-1",
        agent=Agent(name="claude-code", version="2.1", model_name="acme/large"),
        subagent_trajectories=[keeper()],
        steps=[
            Step(step_id=1, source="system", message="You answer questions about Port Merrow."),
            Step(
                step_id=2, source="user", timestamp=AT.format(1),
                message=[ContentPart(type="text", text="In which year was the lighthouse lit?"), picture],
            ),
            Step(
                step_id=3, source="agent", timestamp=AT.format(2), message="I search.", reasoning_content="Who knows?",
                tool_calls=[
                    call("WebSearch", {"query": "Port Merrow lighthouse"}, 1),
                    call("WebFetch", {"url": "https://merrow.example/light"}, 2),
                ],
                observation=Observation(results=[result("A page about the light.", 1), result("Ask the keeper.", 2)]),
                metrics=Metrics(prompt_tokens=120, completion_tokens=30, cached_tokens=20),
            ),
            Step(
                step_id=4, source="agent", message="", tool_calls=[call("Task", {"prompt": "Ask the keeper"}, 1)],
                observation=Observation(
                    results=[result("On 3 May 1871.", 1, SubagentTrajectoryRef(trajectory_id="keeper-1"))]
                ),
            ),
            Step(
                step_id=5, source="agent", message="I write it down.", model_name="acme/other",
                observation=Observation(results=[result("$ echo 1871 > /app/answer.txt", None)]),
            ),
            Step(step_id=6, source="agent", message="", llm_call_count=0, tool_calls=[call("mark", {}, 9)]),
            Step(step_id=7, source="agent", message="It was 1871."),
        ],
    )  # fmt: skip


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


def trial(name: str, number: int, reward: int, hour: int) -> TrialResult:
    return TrialResult(
        id=UUID(int=number), task_name=name, trial_name=f"{name}__{number}", trial_uri=f"file:///jobs/{name}__{number}",
        task_id=LocalTaskId(path=Path(f"datasets/gaia/{name}")), source="gaia", task_checksum="0" * 64,
        config=TrialConfig(task=TaskConfig(path=Path(f"datasets/gaia/{name}")), trial_name=f"{name}__{number}"),
        agent_info=AgentInfo(name="claude-code", version="2.1", model_info=ModelInfo(name="large", provider="acme")),
        verifier_result=VerifierResult(rewards={"reward": reward}),
        started_at=datetime(2026, 3, 1, hour, tzinfo=UTC), finished_at=datetime(2026, 3, 1, hour + 1, tzinfo=UTC),
    )  # fmt: skip


def main() -> None:
    trajectory = json.dumps(light().to_json_dict(), indent=1)
    write(FIXTURES / "atif" / "merrow-light.json", trajectory)
    job = FIXTURES / "harbor-job"
    shutil.rmtree(job, ignore_errors=True)
    trials = [trial("merrow-light", 2, 0, 14), trial("merrow-light", 7, 1, 10), trial("merrow-ferry", 3, 1, 12)]
    for one in trials:
        folder = job / one.trial_name
        write(folder / "result.json", one.model_dump_json(indent=1))
        write(folder / "agent" / "trajectory.json", trajectory)
        write(folder / "verifier" / "test-stdout.txt", "expected GOLD")
        write(folder / "artifacts" / "app" / "answer.txt", "1871" if one.verifier_result.rewards["reward"] else "1872")
    stats = JobStats.from_trial_results(trials, n_total_trials=3)
    whole = JobResult(id=UUID(int=1), started_at=datetime(2026, 3, 1, 10, tzinfo=UTC), n_total_trials=3, stats=stats)
    write(job / "result.json", whole.model_dump_json(indent=1, exclude={"trial_results"}))
    write(job / "config.json", json.dumps({"job_name": "merrow-job", "n_attempts": 2}))


if __name__ == "__main__":
    main()
