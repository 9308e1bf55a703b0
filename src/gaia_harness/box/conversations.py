"""Turns the model calls of an attempt into its steps: which conversation a request goes on with, and what is new in it.

A request carries its whole history. Its items are hashed once, and then known by a chain of hashes: that costs a
look-up for each item, however many conversations there are.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Literal

import msgspec

from gaia_harness.box.wire_formats import WireReply, WireRequest
from gaia_harness.box.wire_items import Item
from gaia_harness.evidence.recorder import Agent, Recorder
from gaia_harness.models.messages import ToolCall, Usage
from gaia_harness.protocol import AGENT_HTTP, ToolRole

OBSERVATION = "observation"
"""The tool that stands for what the agent ran itself, because of the model's words, and showed it only as text."""
_OURS = "agent."
"""So begin the ids of what is recorded beside the conversations."""
HTTP = AGENT_HTTP
"""The tool that stands for every page that the agent asked for."""
ROLES: dict[str, ToolRole] = {OBSERVATION: "code", HTTP: "fetch"}

Relation = Literal["new", "grown", "retry", "fork", "rewritten"]

_OBSERVED = re.compile(
    r"\s*(?:Call id: (\S{1,200})\s+)?"
    r"(?:\W{0,3}(?:observations?|(?:execution |tool )?(?:results?|output|error)|tool response)\W{0,3}:"
    r"|<(?:observation|output|result|tool_response|returncode|function_results?)\b)",
    re.IGNORECASE,
)
"""How a message begins that shows what came of code or an action, as smolagents and ReAct agents write it."""
_CODE = re.compile(r"<code>(.*?)(?:</code>|\Z)|```[\w+-]{0,20}[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_ACTION = re.compile(r"(?:^\W{0,3}Action\W{0,3}:|<(?:tool_call|function|execute|invoke)\b).*", re.MULTILINE | re.DOTALL)
_LOOK_BACK = 16
"""Conversations, and open calls of each, among which a sub-agent's beginning is looked for."""
_SHORTEST_TASK = 8
_MOST_ECHOES = 64
"""Items of a request that are held against the words of the reply before it."""


class ModelCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a model: what was asked, and what came back; None where that was an error, or nothing."""

    request: WireRequest
    reply: WireReply | None = None
    latency_ms: int = 0


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """Where a call belongs: how it relates to what was said before, its turn, and the sub-agent it is of, if any."""

    relation: Relation
    turn: int
    by: Agent | None


class _Made(msgspec.Struct, frozen=True):
    """A call as it was recorded."""

    call: ToolCall
    seq: int


class _Conversation:
    """One conversation: how far it has come, and what was said last."""

    def __init__(self, by: Agent | None) -> None:
        self.by = by
        self.tip = b""
        self.sha256 = ""
        self.seen: set[bytes] = set()
        self.standing: dict[str, str] = {}  # the catalogue, and what other fields said
        self.reply: WireReply | None = None
        self.failed = False
        self.shown: dict[str, str] = {}  # ids of its calls on the wire, and those under which they are recorded
        self.open: dict[str, _Made] = {}  # by the latter: calls of the last reply that have no result yet


class Conversations:
    """Is told of every model call of an attempt when it has ended, and records what is new in it."""

    def __init__(self, recorder: Recorder, names: Mapping[str, str] | None = None) -> None:
        """`names` are those of sub-agents, each with words of what it is told first."""
        self._recorder = recorder
        self._names = names or {}
        self._asked = False  # whether a model has spoken in this turn
        self._all: list[_Conversation] = []
        self._places: set[bytes] = set()  # that a conversation has come by
        self._tips: dict[bytes, list[_Conversation]] = {}
        self._holders: dict[bytes, _Conversation] = {}  # of items
        self._said: set[bytes] = set()  # by a model, and not by the agent in its name
        self._made: dict[str, _Made] = {}  # calls, by the ids under which they are recorded
        self._answered: set[str] = set()
        self._shown: dict[str, str] = {}  # as in a conversation, for all of them
        self._number = 0
        self.turn = 1
        """The turn that is under way: one call of a model and what follows from it."""
        self.relations: Counter[Relation] = Counter()
        self.usages: list[Usage] = []
        self.tools_used: set[str] = set()
        self.embeddings = 0
        self.inferred = 0
        """Results that were shown only as text."""

    def record(self, call: ModelCall) -> Placed | None:
        """Take down a call of a model. None for embeddings, which are only counted."""
        request, reply = call.request, call.reply
        if request.api == "embeddings":
            self.embeddings += 1
            self.usages += [] if reply is None else [reply.usage]
            return None
        hashes = [_hash(item) for item in request.items]
        chain = _chained(request.items, hashes)
        relation, talk, known = self._find(request.items, hashes, chain)
        self.relations[relation] += 1
        if relation == "rewritten":
            fresh = [digest not in talk.seen for digest in hashes]
        else:
            fresh = [at >= known for at in range(len(hashes))]
        new = [
            item
            for item, digest, is_new in zip(request.items, hashes, fresh, strict=True)
            if (digest not in talk.seen if item.thought else is_new)
        ]
        asked = {item.call.call_id: item.call for item in new if item.call is not None}
        self._adopt(talk, asked.values())
        new = [item for item in new if not self._take_result(talk, item, asked)]
        again = relation == "retry" and talk.sha256 == request.sha256 and not self._asked
        if self._asked:
            self.turn += 1
            self._asked = False
        if not again:
            self._prompts(talk, request, new)
        self._remember(talk, request.sha256, hashes, chain)
        talk.failed = reply is None or not reply.finished
        if reply is not None and (reply.items or reply.finished):
            self._take_reply(talk, reply, request.model, call.latency_ms)
        return Placed(relation=relation, turn=self.turn, by=talk.by)

    def _find(
        self, items: Sequence[Item], hashes: Sequence[bytes], chain: Sequence[bytes]
    ) -> tuple[Relation, _Conversation, int]:
        """How a request relates to what was said, the conversation it is of, and how many of its items are known."""
        last = len(chain) - 1
        for at in range(last, -1, -1):
            if ends := self._tips.get(chain[at]):
                if at < last:
                    behind = items[at + 1 :]
                    return "grown", next((end for end in reversed(ends) if _echoes(end, behind)), ends[-1]), at + 1
                failed = next((talk for talk in reversed(ends) if talk.failed), None)
                if failed is not None:
                    return "retry", failed, len(chain)
            if chain[at] in self._places:
                if at < last:
                    break
                talk = self._begin(items)
                if (before := self._holders.get(hashes[-1])) is not None:
                    talk.standing |= before.standing
                talk.seen.update(hashes)
                return "fork", talk, len(chain)
        holder = self._holder(items, hashes, chain)
        return ("new", self._begin(items), 0) if holder is None else ("rewritten", holder, 0)

    def _holder(self, items: Sequence[Item], hashes: Sequence[bytes], chain: Sequence[bytes]) -> _Conversation | None:
        """The conversation that shares a call with these items, or most of their words."""
        shared: dict[_Conversation, int] = {}
        acting: set[_Conversation] = set()  # that share what came of a model, and not only the question
        whole = 0
        for item, digest in zip(items, hashes, strict=True):
            if item.role == "system" or item.thought:
                continue
            size = 1 + len(item.text) + (len(item.call.raw) if item.call else 0)
            whole += size
            if (talk := self._holders.get(digest)) is not None:
                shared[talk] = shared.get(talk, 0) + size
                acting |= {talk} if item.role in ("assistant", "call", "tool") else set()
                if item.call is not None and item.call.call_id:
                    shared[talk] += len(items) + (1 << 40)  # more than all words
        if not shared:
            return None
        talk = max(shared, key=lambda each: shared[each])
        begin = next((at for at, item in enumerate(items) if item.role != "system"), 0)
        same_agent = begin == 0 or chain[begin - 1] in self._places
        return talk if 2 * shared[talk] > whole and (same_agent or talk in acting) else None

    def _begin(self, items: Sequence[Item]) -> _Conversation:
        """A conversation of its own; each but the first is a sub-agent's."""
        by: Agent | None = None
        if self._all:
            told = [item.text for item in items[:_LOOK_BACK]]
            name = next((name for name, words in self._names.items() if any(words in text for text in told)), "agent")
            by = Agent(f"{name}-{len(self._all) + 1}", self._parent(items))
        self._all.append(_Conversation(by))
        return self._all[-1]

    def _parent(self, items: Sequence[Item]) -> int | None:
        """The call that started a sub-agent: an open one that has the sub-agent's task among its arguments."""
        task = next((item.text for item in items if item.role == "user"), "")
        for talk in reversed(self._all[-_LOOK_BACK:]):
            for made in [*talk.open.values()][-_LOOK_BACK:]:
                given = islice((made.call.args or {}).values(), _LOOK_BACK)
                if any(isinstance(text, str) and len(text) >= _SHORTEST_TASK and text in task for text in given):
                    return made.seq
        return None

    def _remember(self, talk: _Conversation, sha256: str, hashes: Sequence[bytes], chain: Sequence[bytes]) -> None:
        here = self._tips.get(talk.tip, [])
        if talk in here:
            here.remove(talk)
        talk.tip, talk.sha256 = (chain[-1] if chain else b""), sha256
        self._tips.setdefault(talk.tip, []).append(talk)
        self._places.update(chain)
        talk.seen.update(hashes)
        self._holders.update(dict.fromkeys(hashes, talk))

    def _prompts(self, talk: _Conversation, request: WireRequest, new: Iterable[Item]) -> None:
        """What is put before the model: standing instructions, then the catalogue, then the rest."""
        words = [] if talk.reply is None else [*filter(None, _words(talk.reply))]
        texts: list[tuple[str, str]] = []
        for at, item in enumerate(new):
            if (text := self._unsaid(item, words if at < _MOST_ECHOES else [])) is not None:
                texts.append((item.role, text))
        begin = next((at for at, (role, _) in enumerate(texts) if role != "system"), len(texts))
        for role, text in (("request", request.extra), ("tools", request.tools)):
            if text and text != talk.standing.get(role):
                talk.standing[role] = text
                texts.insert(begin, (role, text))
        for role, text in texts or [("context", "")]:
            role = "assistant" if role == "call" else role
            self._recorder.prompt(self.turn, role, text, context_sha256=request.sha256, by=talk.by)

    def _unsaid(self, item: Item, words: Sequence[str]) -> str | None:
        """The text of an item; in the model's role only what no model has said, and not in these `words`, or None."""
        if item.call is not None:
            call = item.call
            shown = {"id": call.call_id, "name": call.name, "arguments": call.raw}
            return None if _hash(item) in self._said else msgspec.json.encode(shown).decode()
        if item.role != "assistant":
            return item.text
        text = item.text.strip()
        if not text or _hash(item) in self._said:
            return None
        for own in words:
            if text in own:
                return None
            if text.startswith(own):
                return text[len(own) :].strip()
        return item.text

    def _adopt(self, talk: _Conversation, calls: Iterable[ToolCall]) -> None:
        """Ids that the agent gave to calls for which the model's server had none."""
        for call in calls:
            nameless = Item(role="call", call=msgspec.structs.replace(call, call_id=""))
            if call.call_id and _hash(nameless) in self._said and call.call_id not in talk.shown:
                talk.shown[call.call_id] = _last_of(talk, call.name)
                self._said.add(_hash(Item(role="call", call=call)))

    def _take_result(self, talk: _Conversation, item: Item, asked: Mapping[str, ToolCall]) -> bool:
        """Record an item that is a result, or shows one as text; False if it is none."""
        if item.role == "user":
            return self._take_observation(talk, item)
        if item.role != "tool":
            return False
        if _hash(item) in self._said:
            return True
        shown = talk.shown.get(item.call_id) or self._shown.get(item.call_id, "")
        if not item.call_id:
            shown = _last_of(talk, item.name)
        if shown in self._answered:  # an old result in other words: something that is put before the model
            return False
        if not shown:  # no model has asked for it, whatever the agent says
            shown = self._take_call(
                talk, asked.get(item.call_id) or ToolCall(item.call_id, item.name or "tool", "", {})
            )
        self._answer(talk, shown, item)
        return True

    def _take_observation(self, talk: _Conversation, item: Item) -> bool:
        """Record a result that is shown as text, for an open call or for what the model's words set off."""
        found = None if talk.reply is None else _OBSERVED.match(item.text)
        if found is None or talk.reply is None:
            return False
        shown = talk.shown.get(found[1] or "", "")
        if shown not in talk.open and talk.open:
            shown = next(reversed(talk.open))  # several at once are shown together: recorded with the last
        if shown not in talk.open:
            if (args := _acted(talk.reply.text)) is None:
                return False
            raw = msgspec.json.encode(args).decode()
            shown = self._take_call(talk, ToolCall(OBSERVATION, OBSERVATION, raw, dict(args)))
        self.inferred += 1
        self._answer(talk, shown, item)
        return True

    def _answer(self, talk: _Conversation, shown: str, item: Item) -> None:
        name = self._made[shown].call.name
        self._answered.add(shown)
        talk.open.pop(shown, None)
        self.tools_used.add(name)
        self._recorder.tool_result(self.turn, shown, name, item.text, is_error=item.is_error, by=talk.by)

    def _take_call(self, talk: _Conversation, call: ToolCall) -> str:
        """Record a call under an id that no other call of the attempt has."""
        shown = call.call_id
        while not shown or shown in self._made or shown.startswith(_OURS):
            self._number += 1
            shown = f"{'call' if shown.startswith(_OURS) else call.call_id or 'call'}-{self._number}"
        self._made[shown] = talk.open[shown] = _Made(call, self._recorder.next_seq)
        if call.call_id:
            self._shown[call.call_id] = talk.shown[call.call_id] = shown
        self._recorder.tool_call(self.turn, shown, call.name, call.args, raw=call.raw, by=talk.by)
        return shown

    def _take_reply(self, talk: _Conversation, reply: WireReply, model: str, latency_ms: int) -> None:
        self._recorder.llm_call(
            self.turn,
            reply.text,
            model=reply.model or model,
            tokens_in=reply.usage.input_tokens,
            tokens_out=reply.usage.output_tokens,
            stop_reason=reply.stop_reason,
            latency_ms=latency_ms,
            response_id=reply.response_id,
            thoughts=reply.thoughts,
            tokens_cached=reply.usage.cached_input_tokens,
            by=talk.by,
        )
        self.usages.append(reply.usage)
        self._asked = True
        talk.reply = reply
        talk.open.clear()
        for item in reply.items:
            if item.call is not None:
                self._take_call(talk, item.call)
        for item in reply.items:
            if item.role == "tool":  # of a tool on the provider's side
                self._take_result(talk, item, {})
            self._said.add(_hash(item))


def _hash(item: Item) -> bytes:
    """What an item is known by: its words, without the space round those of a model, which agents trim."""
    said = item.text.strip() if item.role == "assistant" else item.text
    call = item.call
    made = None if call is None else (call.call_id, call.name, call.raw if call.args is None else call.args)
    data = msgspec.json.encode((item.role, said, item.call_id, made), order="deterministic")
    return hashlib.sha256(data).digest()


def _chained(items: Sequence[Item], hashes: Sequence[bytes]) -> list[bytes]:
    """For each item what all up to it are known by. Thoughts are left out: agents give them back, or not."""
    chain: list[bytes] = []
    before = b""
    for item, digest in zip(items, hashes, strict=True):
        before = before if item.thought else hashlib.sha256(before + digest).digest()
        chain.append(before)
    return chain


def _words(reply: WireReply) -> list[str]:
    """The words of a reply, and its thoughts."""
    return [reply.text.strip(), "\n".join(item.text for item in reply.items if item.thought).strip()]


def _echoes(talk: _Conversation, items: Sequence[Item]) -> bool:
    """Whether these items begin with what the model said last in a conversation."""
    if talk.reply is None:
        return False
    said = next((item for item in items if item.role in ("assistant", "call") and not item.thought), None)
    if said is None:
        return False
    if said.call is not None:
        return any(call.call_id == said.call.call_id for call in talk.reply.calls)
    words, text = talk.reply.text.strip(), said.text.strip()
    return text in words or (bool(words) and text.startswith(words))


def _last_of(talk: _Conversation, name: str) -> str:
    """The last open call of a tool, or nothing."""
    return next((shown for shown, made in reversed(talk.open.items()) if made.call.name == name), "")


def _acted(text: str) -> dict[str, str] | None:
    """The code or the action in a model's words, as arguments; None where it only spoke."""
    if blocks := _CODE.findall(text):
        return {"code": "\n\n".join((inner or other).strip("\n") for inner, other in blocks)}
    found = _ACTION.search(text)
    return None if found is None else {"action": found.group().strip()}
