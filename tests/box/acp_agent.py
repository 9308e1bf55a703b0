"""A small agent that speaks the Agent Client Protocol, version 1, as agentclientprotocol.com describes it.

It wants a login, offers a choice of models, asks for a permission and for a file, talks while it works, writes a line
that is no message, and asks the model.
"""

import json
import os
import sys
import urllib.request


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(event, **more):
    told = {"sessionId": "s1", "update": {"sessionUpdate": event, **more}}
    send(method="session/update", params=told)


def text(words):
    return {"type": "text", "text": words}


def ask(number, method, **params):
    send(id=number, method=method, params={"sessionId": "s1", **params})
    answer = json.loads(sys.stdin.readline())
    assert answer["id"] == number
    return answer


def ask_model(model, question):
    body = {"model": model, "messages": [{"role": "user", "content": question}]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]


def work(question):
    print("a line that is no message", flush=True)
    for piece in ("I must ", "think."):
        update("agent_thought_chunk", content=text(piece))
    update("plan", entries=[{"content": "look", "priority": "high", "status": "pending"}])
    options = [
        {"optionId": "no", "name": "No", "kind": "reject_once"},
        {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    ]
    allowed = ask(70, "session/request_permission", toolCall={"toolCallId": "c1"}, options=options)
    assert allowed["result"]["outcome"] == {"outcome": "selected", "optionId": "yes"}, allowed
    assert ask(71, "fs/read_text_file", path="/etc/passwd")["error"]["code"] == -32601
    update("tool_call", toolCallId="c1", title="Read the log", kind="read", status="pending", rawInput={"path": "log"})
    update(
        "tool_call_update", toolCallId="c1", status="completed", content=[{"type": "content", "content": text("fog")}]
    )
    update("tool_call", toolCallId="c2", title="Never done", status="in_progress")
    update("agent_message_chunk", content=text("I read it.\n"))
    for piece in ask_model(chosen, question).partition(":"):
        update("agent_message_chunk", content=text(piece))


chosen, known = "wrong-model", False
for line in sys.stdin:
    message = json.loads(line)
    number, method, params = message["id"], message["method"], message["params"]
    if method == "initialize":
        methods = [{"id": "by-browser", "name": "Browser"}, {"id": "api-key", "name": "Key"}]
        capabilities = {"mcpCapabilities": {"http": True}}
        send(id=number, result={"protocolVersion": 1, "agentCapabilities": capabilities, "authMethods": methods})
    elif method == "authenticate":
        known = params["methodId"] == "api-key"
        send(id=number, result={})
    elif method == "session/new" and not known:
        send(id=number, error={"code": -32000, "message": "Authentication required"})
    elif method == "session/new":
        (server,) = params["mcpServers"]
        assert (
            server["url"] == os.environ["GAIA_MCP_URL"] and server["type"] == "http" and params["cwd"].startswith("/")
        )
        values = [{"value": "wrong-model", "name": "W"}, {"value": "openai/tester", "name": "T"}]
        option = {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": chosen}
        send(id=number, result={"sessionId": "s1", "configOptions": [{**option, "options": values}]})
    elif method == "session/set_config_option":
        chosen = params["value"].partition("/")[2]
        send(id=number, result={"configOptions": []})
    elif method == "session/prompt":
        work(params["prompt"][0]["text"])
        send(id=number, result={"stopReason": "end_turn"})
