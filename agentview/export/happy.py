"""Calls and results as envelopes of the second version of Happier's tool traces.

An envelope is what its client traces: `{v, ts, direction, sessionId, protocol, provider, kind,
payload}`. The payload's input or output is an object with the metadata under `_happy` (v, protocol,
provider, rawToolName, canonicalToolName) and the recorded value, cut where it is large, under
`_raw`.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import cast

from agentview.domain.blocks import ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.payloads import (
    DeletePayload,
    EditPayload,
    GlobPayload,
    GrepPayload,
    LsPayload,
    ReadPayload,
    ShellPayload,
    WritePayload,
)
from agentview.domain.results import ReadResult, ShellResult
from agentview.domain.tools import ToolState
from agentview.export.events import Fields, Status
from agentview.normalize.fields import mapping

VERSION = 2
"""Version of the metadata."""

RAW_CHARS = 2000
RAW_ITEMS = 50
RAW_DEPTH = 6
"""How much of a recorded value is repeated under `_raw`: of a text, of a list or object, in it."""

_TRACE_VERSION = 1
_PROTOCOL = "acp"
"""The protocol whose calls and results have the form of `payload`, whichever client ran them."""

_UNFINISHED = ToolState.INPUT_STREAMING
_OUTCOMES = frozenset({ToolState.OUTPUT_AVAILABLE, ToolState.OUTPUT_ERROR, ToolState.OUTPUT_DENIED})
_CUT = "…"
_METADATA = frozenset({"_happy", "_happier", "_raw"})


class HappyLines:
    """Turns joined lines into envelopes: one of each call, and one of its outcome.

    With `follow`, a line may be printed again: only what is new is given, and a call once it has
    all its arguments.
    """

    def __init__(self, *, follow: bool = False) -> None:
        self._follow = follow
        self._called: set[object] = set()
        self._answered: set[object] = set()

    def envelopes(self, line: Mapping[str, object]) -> Iterator[Fields]:
        """Envelopes of a line; none where it tells of no tool by name."""
        name, own = line.get("provider_name"), line.get("id")
        if line.get("type") != "tool_call" or not isinstance(name, str) or not name:
            return
        if line.get("status") is not Status.ACTIVE:
            return
        whole = not self._follow or line.get("state") is not _UNFINISHED
        if whole and own not in self._called:
            self._called.add(own)
            yield _envelope(line, name, "tool-call", "input", _input(line))
        if line.get("state") in _OUTCOMES and own not in self._answered:
            self._answered.add(own)
            yield _envelope(line, name, "tool-result", "output", _output(line))


def _envelope(
    line: Mapping[str, object], name: str, kind: str, key: str, content: tuple[Fields, object]
) -> Fields:
    canonical = line.get("canonical_name") or name
    fields, raw = content
    told = {
        "v": VERSION,
        "protocol": _PROTOCOL,
        "provider": line.get("provider"),
        "rawToolName": name,
        "canonicalToolName": canonical,
    }
    return {
        "v": _TRACE_VERSION,
        "ts": _milliseconds(line.get("time" if key == "input" else "ended")),
        "direction": "outbound",
        "sessionId": line.get("session"),
        "protocol": _PROTOCOL,
        "provider": line.get("provider"),
        "kind": kind,
        "payload": {
            "type": kind,
            "callId": line.get("call_id"),
            "name": canonical,
            key: {**fields, "_happy": told, "_raw": cut(raw)},
            "id": line.get("id"),
        },
    }


def cut(value: object, depth: int = RAW_DEPTH) -> object:
    """The value without what makes it large; a cut text ends with an ellipsis."""
    if isinstance(value, str):
        return value if len(value) <= RAW_CHARS else value[:RAW_CHARS] + _CUT
    if not isinstance(value, Mapping | list | tuple):
        return value
    if depth == 0:
        return _CUT
    if isinstance(value, Mapping):
        pairs = list(cast("Mapping[str, object]", value).items())[:RAW_ITEMS]
        return {key[:RAW_CHARS]: cut(item, depth - 1) for key, item in pairs}
    return [cut(item, depth - 1) for item in list(cast("list[object]", value))[:RAW_ITEMS]]


def _milliseconds(moment: object) -> int | None:
    if not isinstance(moment, str):
        return None
    return round(datetime.fromisoformat(moment).timestamp() * 1000)


def _input(line: Mapping[str, object]) -> tuple[Fields, object]:
    """The arguments, with what the common names of them hold, and as they were recorded."""
    args = line.get("args")
    kept = mapping(None if isinstance(args, str) else args)
    known = {key: value for key, value in _common(line.get("payload")).items() if value is not None}
    raw: object = kept if isinstance(args, Mapping) else line.get("args_json")
    own = {key: value for key, value in kept.items() if key not in _METADATA}
    return {**own, **known}, raw


def _common(payload: object) -> Fields:
    """Arguments by the names that all readers of such envelopes know."""
    if isinstance(payload, ShellPayload):
        timeout = payload.timeout
        milliseconds = round(timeout * 1000) if timeout is not None else None
        return {"command": payload.command or None, "timeout": milliseconds}
    if isinstance(payload, ReadPayload):
        return {"file_path": payload.path, "offset": payload.start, "limit": payload.limit}
    if isinstance(payload, WritePayload):
        return {"file_path": payload.path, "content": payload.content}
    if isinstance(payload, EditPayload):
        return _edits(payload)
    if isinstance(payload, DeletePayload):
        return {"file_paths": list(payload.paths)}
    if isinstance(payload, GrepPayload | GlobPayload):
        return {"pattern": payload.pattern, "path": payload.path}
    return {"path": payload.path} if isinstance(payload, LsPayload) else {}


def _edits(payload: EditPayload) -> Fields:
    if len(payload.files) != 1 or payload.files[0].patch is not None:
        return {}
    file = payload.files[0]
    if len(file.edits) == 1:
        edit = file.edits[0]
        return {"file_path": file.path, "old_string": edit.old, "new_string": edit.new}
    pairs = [{"old_string": edit.old, "new_string": edit.new} for edit in file.edits]
    return {"file_path": file.path, "edits": pairs}


def _output(line: Mapping[str, object]) -> tuple[Fields, object]:
    """The outcome by the names of its family, and its blocks as they were recorded."""
    blocks = cast("tuple[object, ...]", line.get("output") or ())
    raw = [_plain(block) for block in blocks]
    texts = [block.text for block in blocks if isinstance(block, TextBlock)]
    found: Fields = {}
    result = line.get("result")
    if isinstance(result, ShellResult):
        said = result.stdout if result.stdout is not None else result.output
        found = {"stdout": said, "stderr": result.stderr, "exit_code": result.exit_code}
    elif isinstance(result, ReadResult) and result.content is not None:
        found = {
            "file": {
                "content": result.content,
                "startLine": result.start,
                "numLines": result.line_count,
                "totalLines": result.total_lines,
            }
        }
    elif texts:
        found = {"content": [{"type": "text", "text": text} for text in texts]}
    if line.get("ok") is False or line.get("denial") is not None:
        words = line.get("error") or "\n".join(texts) or "failed"
        status = "denied" if line.get("denial") is not None else "failed"
        found = {**found, "ok": False, "status": status, "errorMessage": words}
    return {key: value for key, value in found.items() if value is not None}, raw


def _plain(block: object) -> object:
    if isinstance(block, TextBlock):
        return block.text
    if isinstance(block, JsonBlock):
        return block.value
    if isinstance(block, ImageBlock):
        return {"type": "image", "mimeType": block.media_type, "uri": block.uri}
    if isinstance(block, ResourceBlock):
        return {"type": "resource", "uri": block.uri, "name": block.name, "text": block.text}
    return None
