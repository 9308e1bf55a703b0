"""A tool of your own: it counts the words of a text, or of the task's file.

`gaia run --tool word_count` makes one for each task: `WordCount(attachment)`.
"""

from collections.abc import Mapping
from typing import Any

from gaia_harness import Attachment, ToolError, ToolOutput


class WordCount:
    """What gaia-harness asks of a tool: a name, a description, parameters as a JSON schema, and `call`."""

    name = "word_count"
    description = "Counts the words of a text; without a text, those of the file that comes with the question."
    parameters: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}}  # noqa: RUF012

    def __init__(self, attachment: Attachment | None) -> None:
        self._attachment = attachment

    async def call(self, args: Mapping[str, Any]) -> ToolOutput:
        """Do what the model asks for; what it reads of an error is the message of a `ToolError`."""
        text = args.get("text")
        if text is None and self._attachment is not None:
            text = self._attachment.path.read_text("utf-8", "replace")
        if not isinstance(text, str):
            raise ToolError("give a text: there is no file with this question")
        return ToolOutput(text=f"{len(text.split())} words")
