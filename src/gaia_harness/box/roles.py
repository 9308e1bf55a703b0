"""The names under which the record has what an agent in a box did, and the roles of these tools."""

from gaia_harness.box.conversations import ROLES as CONVERSATION_ROLES
from gaia_harness.protocol import AGENT_PROGRAM, AGENT_REFUSED, AGENT_SAYS, OWN_ROLES, ToolRole

PROGRAM = AGENT_PROGRAM
"""The program itself: its command, and how it ended."""
REFUSED = AGENT_REFUSED
"""What it tried and was not allowed."""
SAYS = AGENT_SAYS
"""What it says of its own work, where it speaks a protocol for that."""
TOKENS = "agent.tokens"
"""Tokens of a request that it let the provider count, without asking a model."""

ROLES: dict[str, ToolRole] = {
    **CONVERSATION_ROLES,
    PROGRAM: "other",
    REFUSED: "other",
    SAYS: "other",
    TOKENS: "other",
    **OWN_ROLES,
}
