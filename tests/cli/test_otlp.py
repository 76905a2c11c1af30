"""Sessions as OpenTelemetry spans: their sums, their ids, and what a receiver gets by HTTP."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import isclose
from pathlib import Path
from socket import create_server
from threading import Thread
from typing import Any, ClassVar

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.providers import load_provider
from agentview.reports.export import otlp_sender
from agentview.reports.export.otlp import requests
from agentview.reports.export.session_data import read_session
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import CommandLine
from tests.nested_agents import nested_logs

Span = dict[str, Any]

PROVIDERS = ("claude_code", "codex", "gemini_cli", "pi", "kimi", "copilot", "cline")
SAMPLES = [
    path for name in PROVIDERS for path in sorted((sample_sessions_dir() / name).glob("*.jsonl"))
]


def of_request(request: dict[str, Any]) -> list[Span]:
    return [
        span
        for resource in request["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def spans_of(ref: SessionRef) -> list[Span]:
    """All spans of a session, as a receiver reads them."""
    data = read_session(ref, PriceList())
    made = json.loads(json.dumps([*requests(data)]))
    return [span for request in made for span in of_request(request)]


def attributes(span: Span) -> dict[str, Any]:
    """The attributes with their values in the types of Python."""
    found: dict[str, Any] = {}
    for pair in span["attributes"]:
        ((kind, value),) = pair["value"].items()
        found[pair["key"]] = int(value) if kind == "intValue" else value
    assert len(found) == len(span["attributes"])
    return found


def of_operation(spans: Sequence[Span], name: str) -> list[Span]:
    return [span for span in spans if attributes(span)["gen_ai.operation.name"] == name]


def tokens_of(spans: Sequence[Span]) -> int:
    names = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
    return sum(attributes(span).get(name, 0) for span in spans for name in names)


def cost_of(spans: Sequence[Span]) -> float:
    return sum(attributes(span).get("agentview.facts.usage.cost_estimate", 0.0) for span in spans)


def named(span: Span) -> str:
    return str(attributes(span).get("gen_ai.tool.name"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_its_sums_are_those_of_stats(path: Path):
    ref = load_provider(path.parent.name).discovery.ref(path)
    used, spans = measure(ref, PriceList()), spans_of(ref)
    assert tokens_of(spans) == (used.total.tokens or 0)
    assert isclose(cost_of(spans), used.total.cost or 0.0, abs_tol=1e-9)
    (root,) = [span for span in spans if "parentSpanId" not in span]
    assert attributes(root).get("agentview.session.client_cost") == used.cost.client
    calls = sum(tool.calls for tool in used.tools.values())
    # Calls of abandoned branches were made, but `stats` does not count them.
    lines = read_session(ref, PriceList()).lines
    left = sum(line["type"] == "tool_call" and line["status"] == "abandoned" for line in lines)
    assert len(of_operation(spans, "execute_tool")) == calls + left


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_is_one_tree_of_spans_with_the_same_ids_each_time(path: Path):
    ref = load_provider(path.parent.name).discovery.ref(path)
    spans = spans_of(ref)
    assert spans_of(ref) == spans
    ids = [span["spanId"] for span in spans]
    assert len(ids) == len(set(ids))
    assert len({span["traceId"] for span in spans}) == 1
    (root,) = [span for span in spans if "parentSpanId" not in span]
    assert root["name"].startswith("invoke_agent ")
    assert {span["parentSpanId"] for span in spans if span is not root} <= set(ids)
    for span in spans:
        assert len(bytes.fromhex(span["traceId"])) == 16
        assert len(bytes.fromhex(span["spanId"])) == 8
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
        assert attributes(span)["gen_ai.conversation.id"] == ref.session_id


def test_agents_are_below_the_calls_that_started_them(tmp_path: Path):
    path = nested_logs(tmp_path / "p", 2)
    spans = spans_of(load_provider("claude_code").discovery.ref(path))
    by_id = {span["spanId"]: span for span in spans}
    agents = [span for span in of_operation(spans, "invoke_agent") if "parentSpanId" in span]
    assert len(agents) == 2
    for span in agents:
        call = by_id[span["parentSpanId"]]
        assert named(call) == "Task"
    inner = [span for span in agents if by_id[span["parentSpanId"]]["parentSpanId"] in by_id]
    above = {by_id[by_id[span["parentSpanId"]]["parentSpanId"]]["name"] for span in inner}
    assert above == {"invoke_agent Claude Code", "invoke_agent kind1"}


def test_what_failed_has_a_type_of_error(tmp_path: Path):
    log = ClaudeLog()
    records = [
        log.prompt("Go"),
        log.call("t1", "Bash", command="false"),
        log.result("t1", "Exit code 1", is_error=True),
    ]
    spans = spans_of(
        load_provider("claude_code").discovery.ref(write(tmp_path / "l.jsonl", records))
    )
    (call,) = of_operation(spans, "execute_tool")
    assert attributes(call)["error.type"] == "tool_error"
    assert call["status"] == {"code": 2, "message": "Exit code 1"}
    (chat,) = of_operation(spans, "chat")
    assert "status" not in chat
    assert attributes(chat)["gen_ai.provider.name"] == "anthropic"


@pytest.mark.slow
def test_an_export_can_be_opened_and_counted_again(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog("the-session")
    records = [
        log.prompt("What is in the file?"),
        log.call("t1", "Bash", command="cat a.txt"),
        log.result("t1", "hello"),
        log.text("It says hello."),
    ]
    original = write(tmp_path / "log.jsonl", records)
    copy = tmp_path / "spans.jsonl"
    copy.write_text(agentview.ok("events", str(original), "--format", "otlp"))
    before, after = (
        json.loads(agentview.ok("stats", str(path), "--json")) for path in (original, copy)
    )
    assert after["total"] == before["total"]
    assert [tool["calls"] for tool in after["tools"]] == [1]
    events = [json.loads(line) for line in agentview.ok("events", str(copy)).splitlines()]
    assert {event["session"] for event in events} == {"the-session"}
    assert [event["text"] for event in events if event["type"] == "user"] == [
        "What is in the file?"
    ]
    assert [event["text"] for event in events if event["type"] == "message"] == ["It says hello."]
    (call,) = [event for event in events if event["type"] == "tool_call"]
    assert (call["provider_name"], call["args"]) == ("Bash", {"command": "cat a.txt"})
    assert call["output"][0]["text"] == "hello"


@pytest.mark.slow
def test_secrets_are_masked_unless_asked_otherwise(agentview: CommandLine, tmp_path: Path):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", [log.prompt(f"Use {secret}"), log.text("Yes")])
    assert secret not in agentview.ok("events", str(path), "--format", "otlp")
    assert secret in agentview.ok("events", str(path), "--format", "otlp", "--no-mask")


@dataclass
class Receiver:
    """What an OTLP receiver was sent."""

    answers: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    """Answers before it takes what comes: status and body."""
    spans: dict[str, Span] = field(default_factory=dict[str, Span])
    paths: list[str] = field(default_factory=list[str])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    binary_ids: set[str] = field(default_factory=set[str])
    """Ids of spans that came as protobuf."""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def take(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        self.paths.append(path)
        self.headers.append(headers)
        if self.answers:
            return self.answers.pop(0)
        if headers["Content-Type"] == "application/x-protobuf":
            request = ExportTraceServiceRequest.FromString(body)
            self.binary_ids |= {
                span.span_id.hex()
                for resource in request.resource_spans
                for scope in resource.scope_spans
                for span in scope.spans
            }
            return 200, b""
        self.spans |= {span["spanId"]: span for span in of_request(json.loads(body))}
        return 200, b"{}"


class _Handler(BaseHTTPRequestHandler):
    receiver: ClassVar[Receiver]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, answer = self.receiver.take(self.path, dict(self.headers.items()), body)
        self.send_response(status)
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Print nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    handler = type("Handler", (_Handler,), {"receiver": found})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    found.port = server.server_port
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.slow
def test_a_receiver_gets_what_stats_counts_and_the_same_twice(
    agentview: CommandLine, projects: Path, receiver: Receiver
):
    send = ("events", "@all", "--format", "otlp", "--endpoint", receiver.url)
    assert agentview.ok(*send, "--header", "X-Key=abc") == ""
    stats = json.loads(agentview.ok("stats", "--json"))
    spans = [*receiver.spans.values()]
    assert len({span["traceId"] for span in spans}) == stats["sessions"] == 3
    assert tokens_of(spans) == stats["total"]["tokens"]
    assert isclose(cost_of(spans), stats["cost"])
    # The three logs have responses with the same ids and times: each counts once.
    counted = [span for span in spans if "gen_ai.usage.output_tokens" in attributes(span)]
    assert len(counted) == stats["total"]["responses"]
    assert set(receiver.paths) == {"/v1/traces"}
    assert {each["X-Key"] for each in receiver.headers} == {"abc"}
    assert {each["Content-Type"] for each in receiver.headers} == {"application/json"}
    before = dict(receiver.spans)
    agentview.ok(*send)
    assert receiver.spans == before


@pytest.mark.slow
def test_a_busy_receiver_is_asked_again(agentview: CommandLine, projects: Path, receiver: Receiver):
    receiver.answers = [(503, b""), (429, b"")]
    path = next(iter(sorted(projects.rglob("*.jsonl"))))
    agentview.ok("events", str(path), "--format", "otlp", "--endpoint", f"{receiver.url}/in")
    assert receiver.paths == ["/in"] * 3
    assert receiver.spans


@pytest.mark.slow
def test_a_receiver_that_takes_no_json_gets_protobuf(
    agentview: CommandLine, projects: Path, receiver: Receiver
):
    path = next(iter(sorted(projects.rglob("*.jsonl"))))
    agentview.ok("events", str(path), "--format", "otlp", "--endpoint", receiver.url)
    receiver.answers = [(415, b"")]
    agentview.ok("events", str(path), "--format", "otlp", "--endpoint", receiver.url)
    assert receiver.binary_ids == set(receiver.spans)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((400, b"no"), "status 400"),
        ((200, b'{"partialSuccess": {"rejectedSpans": "3"}}'), "rejected 3 spans"),
    ],
)
def test_what_a_receiver_refuses_is_an_error(
    agentview: CommandLine,
    projects: Path,
    receiver: Receiver,
    answer: tuple[int, bytes],
    said: str,
):
    receiver.answers = [answer]
    path = next(iter(sorted(projects.rglob("*.jsonl"))))
    arguments = ("events", str(path), "--format", "otlp", "--endpoint", receiver.url)
    assert said in agentview.fails(1, *arguments)


def test_a_receiver_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(otlp_sender, "_TIMEOUT", 0.1)
    with create_server(("127.0.0.1", 0)) as silent:
        sender = otlp_sender.OtlpSender(f"http://127.0.0.1:{silent.getsockname()[1]}", {})
        with pytest.raises(AgentViewError, match="no answer within"):
            sender.send({"resourceSpans": []})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (1, ("--endpoint", "http://127.0.0.1:1")),
        (2, ("--endpoint", "ftp://127.0.0.1")),
        (2, ("--endpoint", "http://user:word@127.0.0.1")),
        (2, ("--endpoint", "http://127.0.0.1:99999")),
        (2, ("--endpoint", "http://127.0.0.1/a b")),
        (2, ("--endpoint", "")),
        (2, ("--endpoint", "http://127.0.0.1:1", "--header", "a=b\r\nc: d")),
        (2, ("--header", "a=b")),
        (2, ("--follow",)),
        (2, ("--records",)),
    ],
)
def test_wrong_use_is_a_sentence(
    agentview: CommandLine, projects: Path, code: int, arguments: tuple[str, ...]
):
    agentview.fails(code, "events", "@all", "--format", "otlp", *arguments)


@pytest.mark.slow
def test_a_format_needs_a_session(agentview: CommandLine):
    agentview.fails(2, "events", "--format", "otlp")
    agentview.fails(2, "events", "-", "--format", "otlp")
    agentview.fails(2, "events", "@all", "--endpoint", "http://127.0.0.1:1")
