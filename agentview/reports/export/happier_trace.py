"""Calls and results as envelopes of the second version of Happier's tool traces.

An envelope is what its client traces: `{v, ts, direction, sessionId, protocol, provider, kind,
payload}`. The payload's input or output is an object with the metadata under `_happy` (v, protocol,
provider, rawToolName, canonicalToolName) and the recorded value, cut where it is large, under
`_raw`.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import cast

from agentview.domain.content import ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import Facts
from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    GlobPayload,
    GrepPayload,
    LsPayload,
    NotebookEditPayload,
    ReadPayload,
    SemSearchPayload,
    ShellPayload,
    SubagentPayload,
    TodoItem,
    TodosAction,
    TodosPayload,
    WebFetchPayload,
    WebSearchPayload,
    WritePayload,
)
from agentview.domain.tool_results import ReadResult, ShellResult
from agentview.domain.tools import ToolState
from agentview.domain.value import Value
from agentview.normalize.json_fields import mapping
from agentview.providers import load_provider
from agentview.reports.export.events import TOPIC, Fields, Status

VERSION = 2
"""Version of the metadata."""

RAW_CHARS = 2000
RAW_ITEMS = 50
RAW_DEPTH = 6
"""How much of a recorded value is repeated under `_raw`: of a text, of a list or object, in it."""

_TRACE_VERSION = 1
_PROTOCOL = "acp"
"""The protocol of agents that have none of their own."""

_UNFINISHED = ToolState.INPUT_STREAMING
_OUTCOMES = frozenset({ToolState.OUTPUT_AVAILABLE, ToolState.OUTPUT_ERROR, ToolState.OUTPUT_DENIED})
_WHERE_MISSING = frozenset({"todos", "operation"})
"""Arguments that are as the agent gave them, where it gave them."""
_OPERATIONS = ("create", "update", "list")
_CUT = "…"
_MARKS = frozenset({"_happy", "_happier"})
_METADATA = _MARKS | {"_raw"}


_CALLS = ("tool_call", TOPIC)
"""Types of lines that its client records as calls."""


class Agent(Value):
    """The program whose calls these are, and how it exchanges them."""

    name: str
    protocol: str


class HappyLines:
    """Turns joined lines into envelopes: one of each call, and one of its outcome.

    The agent and its protocol are those that the log has for the call or before it, else those of
    the provider. With `follow`, a line may be printed again: only what is new is given, and a call
    once it has all its arguments.
    """

    def __init__(self, *, follow: bool = False) -> None:
        self._agent: Agent | None = None
        self._follow = follow
        self._called: set[object] = set()
        self._answered: set[object] = set()

    def envelopes(self, line: Mapping[str, object]) -> Iterator[Fields]:
        """Envelopes of a line; none where it names no tool."""
        name, own = line.get("provider_name"), line.get("id")
        facts = line.get("facts")
        if isinstance(facts, Facts) and facts.agent is not None:
            self._agent = Agent(facts.agent, facts.protocol or _PROTOCOL)
        if line.get("type") not in _CALLS or not isinstance(name, str) or not name:
            return
        if line.get("status") is not Status.ACTIVE:
            return
        whole = not self._follow or line.get("state") is not _UNFINISHED
        if whole and own not in self._called:
            self._called.add(own)
            yield self._envelope(line, name, "tool-call", "input")
        if line.get("state") in _OUTCOMES and own not in self._answered:
            self._answered.add(own)
            yield self._envelope(line, name, "tool-result", "output")

    def _envelope(self, line: Mapping[str, object], name: str, kind: str, key: str) -> Fields:
        agent = self._agent or _agent_of(str(line.get("provider")))
        canonical = line.get("canonical_name") or name
        fields, raw = _input(line) if key == "input" else _output(line)
        happier_fields = {
            "v": VERSION,
            "protocol": agent.protocol,
            "provider": agent.name,
            "rawToolName": name,
            "canonicalToolName": canonical,
        }
        return {
            "v": _TRACE_VERSION,
            "ts": _milliseconds(line.get("time" if key == "input" else "ended")),
            "direction": "outbound",
            "sessionId": line.get("session"),
            "protocol": agent.protocol,
            "provider": agent.name,
            "kind": kind,
            "payload": {
                "type": kind,
                "callId": line.get("call_id"),
                "name": canonical,
                key: {**fields, "_happy": happier_fields, "_raw": cut(raw)},
                "id": line.get("id"),
            },
        }


def _agent_of(name: str) -> Agent:
    provider = load_provider(name)
    return Agent(provider.agent or name, provider.protocol or _PROTOCOL)


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
    common = _common(line.get("payload"))
    if isinstance(line.get("payload"), SubagentPayload):
        common = {**common, "operation": _operation(str(line.get("provider_name")))}
    known = {
        key: value
        for key, value in common.items()
        if value is not None and not (key in _WHERE_MISSING and key in kept)
    }
    raw: object = kept if isinstance(args, Mapping) else line.get("args_json")
    if kept.keys() & _MARKS and "_raw" in kept:
        # An envelope of the same form: what it was made of stays what it was.
        raw = kept["_raw"]
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
    if isinstance(payload, LsPayload):
        return {"path": payload.path}
    return _more(payload)


def _more(payload: object) -> Fields:
    if isinstance(payload, WebFetchPayload):
        return {"url": payload.url or None}
    if isinstance(payload, WebSearchPayload | SemSearchPayload):
        return {"query": payload.query or None}
    if isinstance(payload, NotebookEditPayload):
        return {"notebook_path": payload.path or None}
    if isinstance(payload, TodosPayload) and payload.action is TodosAction.REPLACE:
        return {"todos": [_todo(item) for item in payload.items]}
    if isinstance(payload, SubagentPayload):
        return {
            "description": payload.description,
            "prompt": payload.prompt,
            "subagent_type": payload.agent_type,
        }
    return {}


def _operation(name: str) -> str:
    """The operation of a call on a task, by the name of the tool: by default it runs one."""
    return next((word for word in _OPERATIONS if word in name.lower()), "run")


def _todo(item: TodoItem) -> Fields:
    values: Fields = {
        "id": item.id,
        "content": item.text,
        "status": item.status,
        "priority": item.priority,
        "activeForm": item.active,
    }
    return {key: value for key, value in values.items() if value is not None}


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
    raw: object = [_plain(block) for block in blocks]
    if len(blocks) == 1:
        raw = _plain(blocks[0])
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
