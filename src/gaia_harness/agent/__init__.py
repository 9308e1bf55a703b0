"""How: the agent loop, its prompts, answer extraction, voting."""

from gaia_harness.agent.loop import AgentResult, AgentRun, Limits, Settings, run_agent
from gaia_harness.agent.voting import Choice, choose

__all__ = ["AgentResult", "AgentRun", "Choice", "Limits", "Settings", "choose", "run_agent"]
