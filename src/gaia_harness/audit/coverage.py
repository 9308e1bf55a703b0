"""Coverage of an audit: how much of a run it examined, and what it could not."""

import msgspec

from gaia_harness.audit.attachments import left_unopened
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.figures import counted
from gaia_harness.records.steps import OUTPUT_HEAD, LlmCall, Prompt, ToolCallStep, ToolResultStep


class Coverage(msgspec.Struct, kw_only=True):
    """Counts over all trajectories. Bytes are those of the full texts, of which a trajectory keeps the beginnings."""

    tasks: int = 0
    trajectories: int = 0
    trajectories_unsound: int = 0
    attempts: int = 0
    steps: int = 0
    prompts: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    tool_calls_cut: int = 0  # arguments longer than are kept: the rest of them was not looked at
    tool_results: int = 0
    tool_results_scanned: int = 0  # in full, while the run had them in memory
    tool_results_unscanned_cut: int = 0  # only their first 4 KiB were looked at
    tool_output_bytes: int = 0
    tool_output_bytes_kept: int = 0
    windows: int = 0
    bodies_kept: int = 0
    redactions: int = 0
    words_cut: int | msgspec.UnsetType = msgspec.UNSET  # replies and thoughts of which the rest is kept nowhere
    prompts_cut: int | msgspec.UnsetType = msgspec.UNSET
    tool_outputs_cut: int | msgspec.UnsetType = msgspec.UNSET  # before the recorder had them; unset where there is none
    attachments_unopened: list[str] | msgspec.UnsetType = msgspec.UNSET  # tasks; reports of 0.1 do not say
    texts_unread: int | msgspec.UnsetType = msgspec.UNSET  # so long that they were not looked at; unset where none was

    def add(self, other: "Coverage") -> None:
        """Add what was counted elsewhere."""
        for name in self.__struct_fields__:
            count, more = getattr(self, name), getattr(other, name)
            if more is not msgspec.UNSET:
                setattr(self, name, more if count is msgspec.UNSET else count + more)

    def count(self, task: TaskEvidence) -> None:
        """Count one task."""
        if left_unopened(task):
            self.attachments_unopened = [task.task_id]
        self.tasks += bool(task.task_id)
        if task.trajectory is None:
            self.trajectories_unsound += task.fault is not None
            return
        self.trajectories += 1
        steps = task.trajectory.steps
        self.steps += len(steps)
        self.attempts += len({step.attempt for step in steps})
        self.words_cut, self.prompts_cut = self.words_cut or 0, self.prompts_cut or 0
        for step in steps:
            self.redactions += step.redactions
            if type(step) is ToolResultStep:
                self.tool_results += 1
                self.tool_output_bytes += step.bytes
                self.tool_output_bytes_kept += min(step.bytes, OUTPUT_HEAD)
                self.windows += len(step.windows)
                self.bodies_kept += step.body
                if step.cut is True:
                    self.tool_outputs_cut = (self.tool_outputs_cut or 0) + 1
                if step.scan is not None:
                    self.tool_results_scanned += 1
                elif step.truncated:
                    self.tool_results_unscanned_cut += 1
            elif type(step) is ToolCallStep:
                self.tool_calls += 1
                self.tool_calls_cut += bool(step.args_truncated)
            elif type(step) is LlmCall:
                self.model_calls += 1
                self.words_cut += sum(
                    said is not None and said.truncated and said.body is msgspec.UNSET for said in (step, step.thoughts)
                )
            elif type(step) is Prompt:
                self.prompts += 1
                self.prompts_cut += step.truncated and not step.is_stored

    def missing(self) -> list[str]:
        """What was cut when it was recorded, or is too long, so that nobody looked at it."""
        unread = counted(self.texts_unread or 0, "text was", "texts were")
        said = (
            (self.words_cut, f"{self.words_cut} replies or thoughts of the model were cut when they were recorded"),
            (self.prompts_cut, f"{self.prompts_cut} prompts were cut when they were recorded"),
            (self.tool_outputs_cut, f"{self.tool_outputs_cut} outputs of tools were cut before they were recorded"),
            (self.texts_unread, f"{unread} not read: no honest task has so many and such long ones"),
        )
        return [sentence for count, sentence in said if count]
