"""The scripted model: an HTTP server on loopback."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self, cast

from tests.live import protocols
from tests.live.client import Answer, Client, Place, Request
from tests.live.protocols import Response
from tests.live.script import CONVERSATIONS, Step, ended

_NAMED = re.compile(r"\[\[([a-z]+)\]\]")
"""How a prompt names its conversation."""
_RESULTS = frozenset(
    {
        "tool_result",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
    }
)
"""Types of what calls contain and give back, which may repeat the prompt of an agent."""


class Model:
    """Answers each request by the conversation that its prompt names."""

    def __init__(self, client: Client, place: Callable[[], Place], log: Path | None = None) -> None:
        """With a `log`, the conversation and the body of each request are written there."""
        self._client = client
        self._place = place
        self._taken: dict[str, int] = {}
        self._lock = threading.Lock()
        self._log = log
        self.asked = 0
        """How many requests there were."""
        self.streams = 0
        """How many of them are being answered."""

    def begin(self, conversation: str) -> None:
        """Start a conversation, also one that took place before."""
        with self._lock:
            self._taken.pop(conversation, None)

    def has_begun(self, conversation: str) -> bool:
        """Whether the client has asked for a step of a conversation."""
        return conversation in self._taken

    def says(self, body: Mapping[str, Any]) -> Response | int:
        """The response to a request, or the status of an error."""
        offered = frozenset(_offered(body))
        request = Request(json.dumps(body), offered)
        conversation = _conversation(body) if offered and not _asks_json(body) else None
        model = str(body.get("model"))
        with self._lock:
            self.asked += 1
            self.note(str(conversation), body)
            if conversation not in CONVERSATIONS:
                return Response(model, _side_answer(body), None)
            taken = self._taken.get(conversation, 0)
            self._taken[conversation] = taken + 1
        steps = list(self._steps(CONVERSATIONS[conversation]))
        step, answer = steps[taken] if taken < len(steps) else (Step(ended(conversation)), None)
        if step.error:
            return step.error
        said = answer(request) if answer else None
        if isinstance(said, str):
            return Response(model, said, None)
        return Response(model, step.text, said, step.is_endless)

    def note(self, what: str, body: Mapping[str, Any] | None = None) -> None:
        """Write a line to the log."""
        if self._log is not None:
            with self._log.open("a") as log:
                log.write(json.dumps([what, body]) + "\n")

    def _steps(
        self, steps: tuple[Step, ...]
    ) -> Iterator[tuple[Step, Callable[[Request], Answer] | None]]:
        for step in steps:
            if step.action is None:
                yield step, None
            else:
                for answer in self._client.answers(step.action, self._place()):
                    yield step, answer


def _offered(body: Mapping[str, Any]) -> Iterator[str]:
    """The names of the tools of a request, in any of the protocols."""
    yield from _names_of(body.get("tools") or ())
    for item in cast("list[Any]", body.get("input") or []):
        yield from _names_of(item.get("tools") or ())


def _names_of(tools: Any) -> Iterator[str]:
    for tool in tools:
        if group := tool.get("functionDeclarations") or tool.get("tools"):
            yield from _names_of(group)
        else:
            declared = tool.get("function") or tool
            yield str(declared.get("name") or declared.get("type"))


def _texts(value: Any) -> Iterator[str]:
    """All texts of a message, without the results of calls."""
    match value:
        case str():
            yield value
        case list():
            for each in cast("list[Any]", value):
                yield from _texts(each)
        case dict():
            fields = cast("dict[str, Any]", value)
            if fields.get("type") not in _RESULTS and "functionResponse" not in fields:
                for each in fields.values():
                    yield from _texts(each)
        case _:
            pass


def _conversation(body: Mapping[str, Any]) -> str | None:
    """The conversation that the last prompt names."""
    messages: Any = body.get("messages") or body.get("input") or body.get("contents") or []
    for message in reversed(cast("list[Any]", messages)):
        if message.get("role", "user") == "user":
            named = [name for text in _texts(message) for name in _NAMED.findall(text)]
            if named:
                return str(named[-1])
    return None


def _asks_json(body: Mapping[str, Any]) -> bool:
    """Whether the answer must be JSON, which no client asks of a turn."""
    text: Any = body.get("text") or {}
    form: Any = text.get("format") or body.get("response_format") or {}
    config: Any = body.get("generationConfig") or {}
    is_json = config.get("responseMimeType") == "application/json"
    return is_json or str(form.get("type")).startswith("json")


def _side_answer(body: Mapping[str, Any]) -> str:
    """The answer to what a client asks by itself, such as a title."""
    return json.dumps({"title": "Scripted work"}) if _asks_json(body) else "Scripted work"


_STREAMS: tuple[tuple[str, protocols.Stream, protocols.Document | None], ...] = (
    (r"/responses$", protocols.responses, None),
    (r"/chat/completions$", protocols.chat, protocols.chat_document),
    (r"/v1/messages$", protocols.messages, protocols.messages_document),
    (r":streamGenerateContent$", protocols.gemini, None),
    (r":generateContent$", protocols.gemini, protocols.gemini_document),
)
_DOCUMENTS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    (r"/count_tokens$", {"input_tokens": 1000}),
    (r":countTokens$", {"totalTokens": 1000}),
    (r"/models$", {"object": "list", "data": [{"id": "scripted", "object": "model"}]}),
)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _model(self) -> Model:
        return cast("ModelServer", self.server).model

    def do_GET(self) -> None:
        self._document_or_nothing()

    def do_HEAD(self) -> None:
        self._document_or_nothing()

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.split("?")[0]
        for pattern, stream, document in _STREAMS:
            if re.search(pattern, path):
                body = json.loads(data)
                self._respond(self._model.says(body), body, stream, document)
                return
        self._document_or_nothing()

    def _respond(
        self,
        said: Response | int,
        body: Mapping[str, Any],
        stream: protocols.Stream,
        document: protocols.Document | None,
    ) -> None:
        if isinstance(said, int):
            error = {"type": "api_error", "code": said, "message": "scripted error"}
            self._send(said, {"type": "error", "error": error})
        elif document and not body.get("stream"):
            self._send(200, document(said))
        else:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self._model.streams += 1
            try:
                for part in stream(said):
                    self.wfile.write(part)
                    self.wfile.flush()
            finally:
                self._model.streams -= 1
            self.close_connection = True

    def _document_or_nothing(self) -> None:
        path = self.path.split("?")[0]
        for pattern, document in _DOCUMENTS:
            if re.search(pattern, path):
                self._send(200, document)
                return
        self._model.note(f"not found: {self.command} {self.path}")
        self._send(404, {"error": {"message": "not found", "type": "not_found_error"}})

    def _send(self, code: int, document: Mapping[str, Any]) -> None:
        data = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing: the requests are in the model."""


class ModelServer(ThreadingHTTPServer):
    """Serves a model on a free port until the end of the block."""

    daemon_threads = True

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error."""
