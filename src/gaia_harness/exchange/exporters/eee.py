"""Every Eval Ever, version 0.3: a folder as its datastore wants it, with the aggregate and a file of samples."""

import hashlib
import re
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.errors import UsageError
from gaia_harness.exchange.export_source import ExportedTask, ExportSource, RunInfo, Told
from gaia_harness.figures import rate
from gaia_harness.judge import scorer
from gaia_harness.records.origin import is_unknown
from gaia_harness.records.steps import Answer, LlmCall, Prompt, ToolCallStep, ToolResultStep

NAME = "eee"
FOLDER = True
ENDING = ""

VERSION = "0.3.0"
RESULT_ID = "gaia.accuracy"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d|data)(\..*)?")


def write(source: ExportSource, out: Path) -> list[str]:
    """The samples first, one line per task, then the aggregate that names their file and its hash."""
    info = source.info
    if unscored := sum(facts.correct is None for facts in source.results.values()):
        raise UsageError(
            f"{unscored} of {len(source.results)} results have no score, and Every Eval Ever wants one of each",
            hint="export with another --format; runs on the test split are scored by GAIA's leaderboard alone",
        )
    developer, model = _developer_and_name(info.model)
    folder = Path("data", _folder_name(_dataset(info)), _folder_name(developer), _folder_name(model))
    name = uuid.UUID(hashlib.sha256(info.run_id.encode("utf-8", "replace")).hexdigest()[:32], version=4)
    (out / folder).mkdir(parents=True)
    identity = f"{_dataset(info)}/{info.model}/{source.exported_at}"
    hasher, rows, passed = hashlib.sha256(), 0, 0
    samples = folder / f"{name}_samples.jsonl"
    with (out / samples).open("xb") as file:
        for task in source.tasks():
            line = msgspec.json.encode(sample(info, task, identity)) + b"\n"
            hasher.update(line)
            file.write(line)
            rows += 1
            passed += task.facts.correct is True
    value = _aggregate(source, identity, passed)
    if rows:
        value["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": samples.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": hasher.hexdigest(),
            "total_rows": rows,
        }
    else:
        (out / samples).unlink()
    data = msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
    (out / folder / f"{name}.json").write_bytes(data)
    return ["what sub-agents did is not in it: the format has one conversation per sample"] if source.sub_agents else []


def sample(info: RunInfo, task: ExportedTask, identity: str) -> dict[str, Any]:
    """One task, by the attempt whose answer counts. The reference answer is left empty."""
    facts = task.facts
    chosen = next((attempt for attempt in task.attempts if attempt.selected), None)
    steps = [told for told in chosen.steps if not isinstance(told.step.agent, str)] if chosen else []
    messages, cut = _messages(steps)
    asked = next((one["content"] for one in messages if one["role"] == "user"), "")
    times_known = info.origin is None or not is_unknown(info.origin, "times")
    tokens = (facts.input_tokens, facts.output_tokens)
    return {
        "schema_version": VERSION,
        "evaluation_id": identity,
        "model_id": info.model,
        "evaluation_name": _evaluation_name(info),
        "evaluation_result_id": RESULT_ID,
        "sample_id": facts.task_id,
        "interaction_type": "agentic",
        "input": {"raw": asked if task.question is None else task.question, "reference": []},
        "output": None,
        "messages": messages,
        "answer_attribution": _attribution(steps, messages, facts.answer),
        "evaluation": {
            "score": 1.0 if facts.correct else 0.0,
            "is_correct": facts.correct is True,
            "num_turns": facts.turns or None,
            "tool_calls_count": sum(len(one.get("tool_calls") or ()) for one in messages),
        },
        "token_usage": None if tokens[0] is None or tokens[1] is None else {
            "input_tokens": tokens[0], "output_tokens": tokens[1], "total_tokens": tokens[0] + tokens[1],
        },
        "performance": {"latency_ms": facts.wall_ms} if times_known else None,
        "error": facts.error,
        "metadata": {
            "level": str(facts.level),
            "attempts": str(facts.attempts),
            "run_id": info.run_id,
            **({"cut_turns": ",".join(map(str, cut))} if cut else {}),
        },
    }  # fmt: skip


def _messages(steps: Sequence[Told]) -> tuple[list[dict[str, Any]], list[int]]:
    """The conversation, and the places of the texts that are cut."""
    messages: list[dict[str, Any]] = []
    cut: list[int] = []
    calls: list[dict[str, Any]] = []
    for told in steps:
        step = told.step
        message: dict[str, Any] = {"turn_idx": len(messages), "content": told.text}
        if isinstance(step, ToolCallStep):
            if not messages or messages[-1]["role"] in ("system", "user"):
                calls = []
                messages.append({"turn_idx": len(messages), "role": "assistant", "content": None, "tool_calls": calls})
            calls.append({"id": step.call_id, "name": step.name, "arguments": _arguments(step)})
            continue
        if isinstance(step, LlmCall):
            calls = []
            message |= {"role": "assistant", "reasoning_trace": told.thoughts or None, "tool_calls": calls}
        elif isinstance(step, ToolResultStep):
            message |= {"role": "tool", "tool_call_id": [step.call_id]}
        elif isinstance(step, Prompt) and told.text:
            message["role"] = "system" if step.role in ("system", "tools") else "user"
        else:
            continue
        if told.cut or told.thoughts_cut:
            cut.append(len(messages))
        messages.append(message)
    return messages, cut


def _arguments(step: ToolCallStep) -> dict[str, str]:
    """All of them as text, as the format wants."""
    if isinstance(step.args, str):
        return {"input": step.args}
    return {
        name: value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for name, value in step.args.items()
    }


def _attribution(steps: Sequence[Told], messages: Sequence[dict[str, Any]], answer: str | None) -> list[dict[str, Any]]:
    if answer is None:
        return []
    at = max((one["turn_idx"] for one in messages if one["role"] == "assistant"), default=0)
    handed_in = any(isinstance(told.step, Answer) and told.step.call_id is not None for told in steps)
    return [
        {
            "turn_idx": at,
            "source": f"messages[{at}].{'tool_calls' if handed_in else 'content'}",
            "extracted_value": answer,
            "extraction_method": "custom",
            "is_terminal": True,
        }
    ]


def _aggregate(source: ExportSource, identity: str, passed: int) -> dict[str, Any]:
    info = source.info
    share = rate(passed, len(info.task_ids) or len(source.results))
    developer = _developer_and_name(info.model)[0]
    levels: dict[int, list[bool]] = {}
    for facts in source.results.values():
        levels.setdefault(facts.level, []).append(facts.correct is True)
    details = {f"level_{level}": f"{sum(right)} of {len(right)}" for level, right in sorted(levels.items())}
    result: dict[str, Any] = {
        "evaluation_result_id": RESULT_ID,
        "evaluation_name": _evaluation_name(info),
        "source_data": _source_data(info),
        "metric_config": {
            "evaluation_description": "Share of GAIA tasks with the right answer, by GAIA's own scorer",
            "metric_id": "accuracy", "metric_name": "Accuracy", "metric_kind": "accuracy",
            "metric_unit": "proportion", "lower_is_better": False, "score_type": "continuous", "min_score": 0,
            "max_score": 1, "additional_details": {"scorer": scorer.NAME, "scorer_version": scorer.VERSION},
        },
        "score_details": {
            "score": share.pass_rate,
            "details": {"passed": str(passed), "tasks": str(share.total), **details},
            "uncertainty": {
                "confidence_interval": {
                    "lower": share.low, "upper": share.high, "confidence_level": 0.95, "method": "wilson",
                },
                "num_samples": share.total,
            },
        },
        "generation_config": {
            "generation_args": _temperature(info),
            "additional_details": {
                "voting_attempts": str(info.voting_attempts),
                **{f"isolation_{name}": how for name, how in sorted(info.isolation.items())},
            },
        },
    }  # fmt: skip
    if info.started_at:
        result["evaluation_timestamp"] = info.started_at
    return {
        "schema_version": VERSION,
        "evaluation_id": identity,
        "retrieved_timestamp": str(source.exported_at),
        **({"evaluation_timestamp": info.started_at} if info.started_at else {}),
        "source_metadata": {
            "source_name": "gaia-harness",
            "source_type": "evaluation_run",
            "source_organization_name": "not stated",
            "evaluator_relationship": "other",
            "additional_details": {
                "run_id": info.run_id,
                "dataset_digest": info.digest,
                **({"origin": info.origin.describe()} if info.origin else {}),
            },
        },
        "eval_library": {"name": "gaia-harness", "version": info.harness_version or "unknown"},
        "model_info": {
            "name": info.model,
            "id": info.model,
            **({"developer": developer} if developer else {}),
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [result],
    }


def _dataset(info: RunInfo) -> str:
    return "GAIA" if info.dataset == "hub" else f"gaia-harness-{info.dataset}"


def _evaluation_name(info: RunInfo) -> str:
    return f"{_dataset(info)} {info.split}"


def _source_data(info: RunInfo) -> dict[str, Any]:
    details = {"digest": info.digest, **({"revision": info.revision} if info.revision else {})}
    if info.dataset != "hub":
        return {"dataset_name": _dataset(info), "source_type": "other", "additional_details": details}
    return {
        "dataset_name": "GAIA",
        "source_type": "hf_dataset",
        "hf_repo": "gaia-benchmark/GAIA",
        "hf_split": {"validation": "val"}.get(info.split, info.split),
        "samples_number": len(info.task_ids),
        "sample_ids": list(info.task_ids),
        "additional_details": details,
    }


def _temperature(info: RunInfo) -> dict[str, Any]:
    temperature = info.options.get("temperature")
    return {"temperature": temperature} if isinstance(temperature, int | float) else {}


def _developer_and_name(model: str) -> tuple[str, str]:
    first, _, rest = model.partition("/")
    return (first, rest) if rest else ("", first)


def _folder_name(text: str) -> str:
    """A name that the datastore takes for a folder."""
    name = _UNSAFE.sub("_", text)[:100].strip(". ") or "unstated"
    return f"_{name}" if _RESERVED.fullmatch(name) else name
