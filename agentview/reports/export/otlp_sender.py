"""Sends OTLP requests to a receiver by HTTP; the only place of agentview that uses a network."""

import http.client
import time
from base64 import b64encode
from collections.abc import Mapping
from importlib import import_module
from typing import Any
from urllib.parse import SplitResult, urlsplit

import orjson

from agentview.errors import AgentViewError, UsageError
from agentview.normalize.json_fields import number, text
from agentview.normalize.json_values import fields_of
from agentview.reports.export.encoding import Object, to_json_line

_PATH = "/v1/traces"
_TRIES = 4
_AGAIN = frozenset({429, 502, 503, 504})
"""Answers after which the protocol asks to send again."""
_OTHER_TYPE = 415
"""The answer of a receiver that takes no JSON."""
_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
_TIMEOUT = 10.0
"""Seconds without any answer after which a receiver is given up."""
_IDS = frozenset({"traceId", "spanId", "parentSpanId"})
_ANSWER = 65_536
"""Bytes of an answer that are read."""


class OtlpSender:
    """Sends requests to one endpoint, one after the other."""

    def __init__(self, endpoint: str, headers: Mapping[str, str]) -> None:
        """`endpoint` is a URL; without a path, that of traces is added. Raises UsageError."""
        self._url = _checked(endpoint)
        self._headers = headers
        self.rejected = 0
        """Spans that the receiver did not take."""

    def send(self, request: Object) -> None:
        """Send a request; again, when the receiver asks for that. Raises AgentViewError."""
        status, answer = self._post_until_taken(to_json_line(request), "application/json")
        if status == _OTHER_TYPE:
            body = _as_protobuf(request)
            status, answer = self._post_until_taken(body, "application/x-protobuf")
            answer = b""
        if not 200 <= status < 300:
            raise AgentViewError(
                f"{self._url.geturl()} answered with status {status}.",
                "The receiver must accept OTLP over HTTP.",
            )
        self._note_rejected(answer)

    def _post_until_taken(self, body: bytes, kind: str) -> tuple[int, bytes]:
        status, after, answer = self._post(body, kind)
        for _ in range(_TRIES - 1):
            if status not in _AGAIN:
                break
            time.sleep(min(_LONGEST_PAUSE, _PAUSE if after is None else after))
            status, after, answer = self._post(body, kind)
        return status, answer

    def _post(self, body: bytes, kind: str) -> tuple[int, float | None, bytes]:
        url = self._url
        secure = url.scheme == "https"
        make = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = make(url.hostname or "", url.port, timeout=_TIMEOUT)
        path = f"{url.path}?{url.query}" if url.query else url.path
        try:
            connection.request("POST", path, body, {"Content-Type": kind, **self._headers})
            response = connection.getresponse()
            after = response.getheader("Retry-After", "")
            pause = float(after) if after.isdigit() else None
            return response.status, pause, response.read(_ANSWER)
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = (
                f"no answer within {_TIMEOUT:.0f} seconds"
                if isinstance(error, TimeoutError)
                else error or type(error).__name__
            )
            raise AgentViewError(
                f"Cannot send to {url.geturl()}: {why}.", "Check that a receiver listens there."
            ) from error
        finally:
            connection.close()

    def _note_rejected(self, answer: bytes) -> None:
        try:
            partial = fields_of(fields_of(orjson.loads(answer)).get("partialSuccess"))
        except ValueError:
            return
        said = text(partial, "rejectedSpans")
        self.rejected += (
            int(said) if said and said.isdigit() else number(partial, "rejectedSpans") or 0
        )


def _as_protobuf(request: Object) -> bytes:
    """The request in the binary form. Raises AgentViewError where the package is missing."""
    try:
        service = import_module("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
        json_format = import_module("google.protobuf.json_format")
    except ImportError as error:
        raise AgentViewError(
            "The receiver takes OTLP only as protobuf.",
            "Install it with: pip install 'agentview[otlp]'.",
        ) from error
    copy: Any = orjson.loads(to_json_line(request))
    for resource in copy["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                # OTLP has ids in base 16, JSON of protobuf has bytes in base 64.
                for key in _IDS & span.keys():
                    span[key] = b64encode(bytes.fromhex(span[key])).decode()
    message = json_format.ParseDict(copy, service.ExportTraceServiceRequest())
    binary: bytes = message.SerializeToString()
    return binary


def _checked(endpoint: str) -> SplitResult:
    hint = "Give a URL such as http://localhost:4318."
    try:
        url = urlsplit(endpoint)
        usable = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError as error:
        raise UsageError(f"--endpoint cannot be {endpoint}: {error}.", hint) from error
    if not usable or not endpoint.isascii() or any(char.isspace() for char in endpoint):
        raise UsageError(f"--endpoint cannot be {endpoint}.", hint)
    if url.username is not None:
        raise UsageError("--endpoint cannot hold a password.", "Use --header for credentials.")
    return url if url.path.strip("/") else url._replace(path=_PATH)


def headers_of(given: list[str]) -> Mapping[str, str]:
    """Headers from texts such as `Authorization=Bearer x`. Raises UsageError."""
    found: dict[str, str] = {}
    for each in given:
        name, equals, value = each.partition("=")
        valid = name.replace("-", "").replace("_", "").isalnum() and name.isascii()
        if not equals or not valid or not value.isprintable() or not value.isascii():
            raise UsageError("--header is not NAME=VALUE.", "Give --header NAME=VALUE.")
        found[name] = value
    return found
