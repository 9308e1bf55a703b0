"""Speaks with an agent by the Agent Client Protocol (agentclientprotocol.com, version 1), inside of the box.

It may import nothing but the standard library. Its arguments are the agent's command. The question comes on standard
input; what the agent says as its reply is printed. What it tells of its work is handed to the gateway as the agent's
own words: only what the gateway sees is evidence of what was done.
"""

import json
import os
import subprocess
import sys
import urllib.request
from typing import Any

LONGEST_LINE = 32 << 20
LONGEST_TEXT = 32 << 10
AUTH_REQUIRED, NO_SUCH_METHOD = -32000, -32601
SAYS = os.environ.get("GAIA_SAYS_URL", "")


class Failed(Exception):
    """The agent answered with an error, or not at all."""

    def __init__(self, message: str, code: object = None) -> None:
        super().__init__(message)
        self.code = code


class Talk:
    """JSON-RPC 2.0 with the agent, a line for each message."""

    def __init__(self, agent: "subprocess.Popen[bytes]", told: "Told") -> None:
        self._agent = agent
        self._told = told
        self._number = 0

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request, and answer whatever the agent asks and tells until its result is there."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            line = self._agent.stdout.readline(LONGEST_LINE) if self._agent.stdout else b""
            if not line:
                raise Failed(f"the agent ended before it answered {method}")
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if not isinstance(message, dict):
                sys.stderr.write("not a message: " + line[:2000].decode("utf-8", "replace").rstrip() + "\n")
            elif "method" in message:
                self._take(message)
            elif message.get("id") == self._number:
                error = message.get("error")
                if error is None:
                    result = message.get("result")
                    return result if isinstance(result, dict) else {}
                code = error.get("code") if isinstance(error, dict) else None
                raise Failed(f"{method}: {json.dumps(error)[:2000]}", code)

    def _take(self, message: dict[str, Any]) -> None:
        given = message.get("params")
        params: dict[str, Any] = given if isinstance(given, dict) else {}
        if message["method"] == "session/update":
            self._told.take(params.get("update"))
        elif "id" in message and message["method"] == "session/request_permission":
            self._send({"id": message["id"], "result": {"outcome": permission(params.get("options"))}})
        elif "id" in message:  # files and terminals: it is in a box and has its own
            error = {"code": NO_SUCH_METHOD, "message": f"{str(message['method'])[:200]} is not offered"}
            self._send({"id": message["id"], "error": error})

    def _send(self, message: dict[str, Any]) -> None:
        try:
            if self._agent.stdin is not None:
                self._agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
                self._agent.stdin.flush()
        except OSError:
            pass  # it has ended: the next line that is read says so


def permission(options: object) -> dict[str, Any]:
    """Everything is allowed: the box is what holds the agent."""
    for kind in ("allow_always", "allow_once"):
        for option in objects(options):
            if option.get("kind") == kind:
                return {"outcome": "selected", "optionId": option.get("optionId")}
    return {"outcome": "cancelled"}


class Told:
    """What the agent tells of its work while it works, put together from its pieces."""

    def __init__(self) -> None:
        self.reply: list[str] = []
        self._kind = ""
        self._pieces: list[str] = []
        self._calls: dict[str, dict[str, Any]] = {}

    def take(self, update: Any) -> None:
        """One update of the session."""
        update = update if isinstance(update, dict) else {}
        kind = update.get("sessionUpdate")
        if kind in ("agent_message_chunk", "agent_thought_chunk"):
            text = text_of(update)
            if kind != self._kind:
                self.flush()
            self._kind = kind
            self._pieces.append(text)
            if kind == "agent_message_chunk":
                self.reply.append(text)
            return
        if kind in ("tool_call", "tool_call_update"):
            self.flush()
            call = self._calls.setdefault(str(update.get("toolCallId")), {})
            call.update((name, value) for name, value in update.items() if value is not None)
            if call.get("status") in ("completed", "failed"):
                self._say_call(self._calls.pop(str(update.get("toolCallId"))))
        elif kind == "plan":
            self.flush()
            say({"kind": "plan", "text": json.dumps(update.get("entries"), ensure_ascii=False)})

    def flush(self) -> None:
        """What was said so far is one saying."""
        text, self._pieces = "".join(self._pieces).strip(), []
        if text:
            say({"kind": "message" if self._kind == "agent_message_chunk" else "thought", "text": text})
            self.reply.append("\n")
        self._kind = ""

    def end(self) -> None:
        """The agent has done what it was asked for."""
        self.flush()
        for call in self._calls.values():
            self._say_call(call)

    def _say_call(self, call: dict[str, Any]) -> None:
        texts = [text_of(part) for part in objects(call.get("content"))]
        if not any(texts) and call.get("rawOutput") is not None:
            output = call["rawOutput"]
            texts = [output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)]
        shown = {name: call[name] for name in ("title", "rawInput") if call.get(name)}
        say({"kind": "tool_call", "what": shown, "failed": call.get("status") == "failed", "text": "\n".join(texts)})


def text_of(part: dict[str, Any]) -> str:
    """The text of a piece of content; of anything else its type."""
    content = part.get("content")
    if isinstance(content, dict):
        text = content.get("text")
        return text if isinstance(text, str) else f"[{content.get('type')}]"
    return "" if part.get("type") is None else f"[{part['type']}: {part.get('path', '')}]"


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list, if it is one."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def say(saying: dict[str, Any]) -> None:
    """Hand the agent's words to the gateway, for the record."""
    saying["text"] = saying["text"][:LONGEST_TEXT]
    if len(json.dumps(saying.get("what", {}))) > LONGEST_TEXT:
        saying["what"] = {"title": str(saying["what"].get("title"))[:200]}
    request = urllib.request.Request(SAYS, json.dumps(saying).encode(), {"content-type": "application/json"})  # noqa: S310
    try:
        urllib.request.urlopen(request, timeout=60).close()  # noqa: S310
    except OSError as error:
        sys.stderr.write(f"not recorded: {error}\n")


def open_session(talk: Talk, ready: dict[str, Any]) -> dict[str, Any]:
    """A session with our tools, where the agent takes them; who wants a login first gets the dummy key's."""
    servers = []
    can = ready.get("agentCapabilities")
    by = can.get("mcpCapabilities") if isinstance(can, dict) else None
    if isinstance(by, dict) and by.get("http"):
        servers.append({"type": "http", "name": "gaia", "url": os.environ["GAIA_MCP_URL"], "headers": []})
    wanted = {"cwd": os.getcwd(), "mcpServers": servers}  # noqa: PTH109
    try:
        return talk.ask("session/new", wanted)
    except Failed as error:
        methods = [each.get("id") for each in objects(ready.get("authMethods"))]
        if error.code != AUTH_REQUIRED or not methods:
            raise
    by_key = [each for each in methods if "key" in str(each)]
    talk.ask("authenticate", {"methodId": (by_key or methods)[0]})
    return talk.ask("session/new", wanted)


def choose_model(talk: Talk, session: dict[str, Any]) -> None:
    """Have the session ask the run's model, where it offers a choice."""
    model = os.environ.get("GAIA_MODEL", "")
    for option in objects(session.get("configOptions")):
        if option.get("category") != "model":
            continue
        listed = objects(option.get("options"))
        listed += [inner for each in listed for inner in objects(each.get("options"))]
        for value in (each.get("value") for each in listed):
            if isinstance(value, str) and value != option.get("currentValue") and f"/{value}".endswith(f"/{model}"):
                chosen = {"sessionId": session["sessionId"], "configId": option.get("id"), "value": value}
                talk.ask("session/set_config_option", chosen)
                return


def main(argv: list[str]) -> int:
    """Put the question to the agent, and print its reply."""
    question = sys.stdin.read()
    agent = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    told = Told()
    talk = Talk(agent, told)
    try:
        can = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        who = {"name": "gaia-harness", "version": "1"}
        ready = talk.ask("initialize", {"protocolVersion": 1, "clientCapabilities": can, "clientInfo": who})
        session = open_session(talk, ready)
        choose_model(talk, session)
        block = {"type": "text", "text": question}
        done = talk.ask("session/prompt", {"sessionId": session["sessionId"], "prompt": [block]})
    except (Failed, KeyError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        told.end()
        sys.stdout.write("".join(told.reply) + "\n")
        sys.stdout.flush()
        agent.terminate()
        try:
            agent.wait(5)
        except subprocess.TimeoutExpired:
            agent.kill()
    return 0 if done.get("stopReason") in ("end_turn", None) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
