"""The scripted model speaks the protocols of clients and follows a conversation."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.live.client import Place
from tests.live.clients import CLIENTS
from tests.live.clients.claude import CLAUDE
from tests.live.model_server import Model, ModelServer
from tests.live.script import CONVERSATIONS, Ask, Delegate, Plan, Run, Write, ended

PROTOCOLS = (
    "/v1/responses",
    "/v1/chat/completions",
    "/v1/messages",
    "/v1beta/models/x:streamGenerateContent",
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ModelServer]:
    model = Model(CLAUDE, lambda: Place(tmp_path, tmp_path, 0))
    with ModelServer(model) as served:
        yield served


def body_of(path: str, text: str) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    if "gemini" in path or "models" in path:
        tools = [{"functionDeclarations": [{"name": "Bash"}]}]
        return {"contents": [{"role": "user", "parts": [{"text": text}]}], "tools": tools}
    common = {"stream": True, "tools": [{"name": "Bash"}]}
    return {**common, ("input" if path.endswith("responses") else "messages"): [message]}


def asked(server: ModelServer, path: str, text: str) -> str:
    data = json.dumps(body_of(path, text)).encode()
    request = Request(f"http://127.0.0.1:{server.server_address[1]}{path}", data)
    with urlopen(request) as answer:  # noqa: S310
        return str(answer.read().decode())


@pytest.mark.parametrize("path", PROTOCOLS)
def test_a_conversation_goes_step_by_step_and_begins_again(server: ModelServer, path: str):
    first = asked(server, path, "Do it. [[command]]")
    assert "I run a command." in first
    assert "touch command-runs" in first
    assert ended("command") in asked(server, path, "Do it. [[command]]")
    server.model.begin("command")
    assert "touch command-runs" in asked(server, path, "Do it. [[command]]")


def test_the_last_prompt_decides_and_results_of_calls_do_not(server: ModelServer):
    result = {"type": "tool_result", "content": "[[refused]]"}
    body = {
        "stream": True,
        "tools": [{"name": "Bash"}],
        "messages": [
            {"role": "user", "content": "[[refused]]"},
            {"role": "user", "content": "[[last]]"},
            {"role": "assistant", "content": "[[stream]]"},
            {"role": "user", "content": [result]},
        ],
    }
    said = server.model.says(body)
    assert not isinstance(said, int)
    assert said.text == ended("last")


def test_a_request_can_fail(server: ModelServer):
    with pytest.raises(HTTPError) as raised:
        asked(server, "/v1/messages", "[[error]]")
    assert raised.value.code == 400


def test_what_the_client_asks_by_itself_is_no_step(server: ModelServer):
    said = server.model.says({"messages": [{"role": "user", "content": "Title of [[command]]?"}]})
    assert not isinstance(said, int)
    assert said.text == "Scripted work"
    assert "I run a command." in asked(server, "/v1/messages", "[[command]]")


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_every_client_can_be_made_to_run_a_command(client: Any, tmp_path: Path):
    place = Place(tmp_path, tmp_path, 0)
    actions = [step.action for steps in CONVERSATIONS.values() for step in steps if step.action]
    assert {type(action) for action in actions} == {Run, Write, Ask, Delegate, Plan}
    for action in actions:
        answers = client.answers(action, place)
        assert answers or not isinstance(action, Run | Write)
