"""How: the agent loop."""

from gaia_harness.agent.loop import AgentResult, AgentRun, Limits, Settings, run_agent

__all__ = ["AgentResult", "AgentRun", "Limits", "Settings", "run_agent"]
