"""The agent loop."""

from gaia_harness.agent.loop import AgentResult, AgentRun, Settings, run_agent
from gaia_harness.records.config import Limits

__all__ = ["AgentResult", "AgentRun", "Limits", "Settings", "run_agent"]
