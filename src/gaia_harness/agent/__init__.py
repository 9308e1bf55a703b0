"""How: the agent loop, its prompts, answer extraction, voting."""

from gaia_harness.agent.loop import AgentResult, AgentRun, Limits, run_agent
from gaia_harness.agent.voting import Choice, choose

__all__ = ["AgentResult", "AgentRun", "Choice", "Limits", "choose", "run_agent"]
