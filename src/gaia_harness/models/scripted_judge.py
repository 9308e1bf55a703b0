"""A deterministic judge for the demo, which compares the answers in its prompt."""

import hashlib
import json
import re

import msgspec

from gaia_harness.errors import ModelError
from gaia_harness.models.messages import Reply, Request, Usage, User
from gaia_harness.normalization import ballot

_REFERENCE = re.compile(r'^Reference answer: (".*")$', re.MULTILINE)
_CANDIDATE = re.compile(r'^<(candidate-[0-9a-f]+)>\n(".*")\n</\1>$', re.MULTILINE)


class ScriptedJudge:
    """Says that a candidate is correct if it is the reference answer but for case, punctuation and spacing."""

    name = "scripted/judge"
    address = ""

    async def reply(self, request: Request) -> Reply:
        """The verdict on the case in the last message."""
        text = "\n".join(message.text for message in request.messages if isinstance(message, User))
        reference, candidate = _REFERENCE.search(text), _CANDIDATE.search(text)
        if reference is None or candidate is None:
            raise ModelError("scripted/judge judges answers only", hint="use it as --judge-model")
        same = ballot(json.loads(reference[1])) == ballot(json.loads(candidate[2]))
        reason = "the same but for its form" if same else "not what the reference answer says"
        data = msgspec.json.encode(request)
        verdict = json.dumps({"correct": same, "reason": reason})
        return Reply(
            text=verdict,
            stop_reason="stop",
            usage=Usage(input_tokens=-(-len(data) // 4), output_tokens=-(-len(verdict) // 4)),
            model=self.name,
            request_sha256=hashlib.sha256(data).hexdigest(),
        )

    async def aclose(self) -> None:
        """Nothing is kept open."""
