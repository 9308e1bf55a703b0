"""Runs any program as the agent, in a sandbox whose only way out is a gateway that records what goes through it."""
