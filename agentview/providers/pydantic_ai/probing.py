"""Recognizes by content a list of messages, events of runs, or a log of llm-do."""

import re

import orjson

from agentview.normalize.json_values import fields_of, items_of
from agentview.providers._kit.discovery import probe_lines
from agentview.providers._kit.signatures import Signature, SignatureTable, Texts, some

_PROBED_LINES = 20
_SURE = 0.97
_LIKELY = 0.8

_PARTS = (
    "system-prompt", "user-prompt", "tool-return", "retry-prompt", "instruction", "text",
    "thinking", "tool-call", "builtin-tool-call", "builtin-tool-return", "file", "compaction",
)  # fmt: skip
_PART = re.compile(rb'"part_kind"\s*:\s*"(?:' + "|".join(_PARTS).encode() + rb')"')
_LIST = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{\s*\"")
LIST_KEYS = ("messages", "all_messages", "new_messages", "message_history", "history")
"""Members under which programs keep a list of messages, in a document of their own."""

_WRAPPED = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{[^\[]{0,4096}?"(?:'
    + "|".join(LIST_KEYS).encode()
    + rb')"\s*:\s*\[\s*\{\s*"'
)
_CUT = re.compile(
    rb'\s*\{\s*(?:"seq"\s*:\s*\d+\s*,\s*"agent"\s*:\s*"|"parts"\s*:\s*\[\s*\{'
    rb'|"kind"\s*:\s*"re(?:quest|sponse)"|"instructions"\s*:|"(?:index|part|result)"\s*:)'
)
_KINDS = frozenset({"request", "response"})
_EVENTS = frozenset(
    {
        "part_start", "part_delta", "part_end", "final_result", "function_tool_call",
        "function_tool_result", "output_tool_call", "output_tool_result", "builtin_tool_call",
        "builtin_tool_result",
    }
)  # fmt: skip


def probe_head(head: bytes) -> float:
    """Confidence 0..1 that a file that begins with `head` is one of the library's."""
    if _LIST.match(head) is not None:
        return _SURE if _PART.search(head) else 0.0
    listed = _LIKELY if begins_list(head) else 0.0
    return max(listed, probe_lines(head, _probe_line, _PROBED_LINES))


def begins_list(head: bytes) -> bool:
    """Return True if a file that begins with `head` is one list of messages, not one on each line.

    The list may be a member of an object.
    """
    found = _LIST.match(head) or _WRAPPED.match(head)
    if found is None or _PART.search(head) is None:
        return False
    line, newline, rest = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not newline or not rest.strip():
        return True
    try:
        orjson.loads(line)
    except ValueError:
        return True
    return False


def _probe_line(line: bytes) -> float:
    if len(line) < 2:
        return 0.0
    try:
        value: object = orjson.loads(line.strip(b"\x00 \t\r"))
    except ValueError:
        return _LIKELY if _CUT.match(line) and _PART.search(line) else 0.0
    found = items_of(value)
    return _SIGNATURES.confidence(fields_of(found[0] if found else value))


def _said(confidence: float, at: str, **more: Texts) -> tuple[Signature, ...]:
    """A message, or an event of a run, in a record or at a key of it."""
    parts = some("part_kind", re.compile("(?s).+"))
    return (
        Signature(confidence, {f"{at}event_kind": _EVENTS}, **more),
        Signature(confidence, {f"{at}kind": _KINDS, f"{at}parts": parts}, **more),
    )


def _is_worker_type(kind: object) -> bool:
    # Imported here: few files get this far.
    from agentview.providers.pydantic_ai.llm_do import WORKER_TYPES

    return kind in WORKER_TYPES if isinstance(kind, str) else False


_PLACE = frozenset({"seq", "depth"})
_SIGNATURES = SignatureTable(
    *_said(_SURE, "message/", keys={"agent"}, any_of=_PLACE),
    *_said(_SURE, "event/", keys={"agent"}, any_of=_PLACE),
    Signature(0.6, {"repr": str}, {"agent", "seq"}),
    Signature(0.0, {}, {"agent"}, any_of=_PLACE),
    *_said(_SURE, ""),
    Signature(0.9, {"worker": str, "type": _is_worker_type}),
)
