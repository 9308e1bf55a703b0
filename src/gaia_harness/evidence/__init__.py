"""The recorder: records the typed steps of an agent, in any loop."""

from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.evidence.recording import FinishedTask, Recording, TaskRecording
from gaia_harness.records.steps import (
    LlmCall,
    Prompt,
    Shortened,
    ShortResult,
    Source,
    Step,
    ToolCallStep,
    ToolResultStep,
)
from gaia_harness.records.trajectories import Trajectory, read_trajectories

__all__ = [
    "FinishedTask",
    "LlmCall",
    "Prompt",
    "Recorder",
    "RecorderSettings",
    "Recording",
    "ShortResult",
    "Shortened",
    "Source",
    "Step",
    "TaskRecording",
    "ToolCallStep",
    "ToolResultStep",
    "Trajectory",
    "read_trajectories",
]
