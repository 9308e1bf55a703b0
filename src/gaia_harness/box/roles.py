"""The names under which the record has what an agent in a box did, and the roles of these tools."""

from gaia_harness.protocol import OWN_ROLES, ToolRole

HTTP = "agent.http"
"""A page, a download or a WebSocket."""
PROGRAM = "agent.program"
"""The program itself: its command, and how it ended."""
REFUSED = "agent.refused"
"""What it tried and was not allowed."""

ROLES: dict[str, ToolRole] = {HTTP: "fetch", PROGRAM: "other", REFUSED: "other", **OWN_ROLES}
