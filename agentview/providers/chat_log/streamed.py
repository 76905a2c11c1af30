"""Puts the pieces of a streamed response together, as three APIs send them.

A piece is an object of its own: a line of a log, or one behind `data:` in the text of an answer.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from agentview.normalize.json_fields import mapping, text
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    items_of,
    text_of,
    whole_of,
    without,
)
from agentview.normalize.partial_json import load
from agentview.normalize.raw_span import Span, value_spans

_CHUNK = "chat.completion.chunk"
_BEGINS = frozenset({"message_start", "response.created"})
_OF_MESSAGE = frozenset({
    "message_start", "content_block_start", "content_block_delta", "content_block_stop",
    "message_delta", "message_stop", "ping",
})  # fmt: skip
_SAID = ("content", "reasoning_content", "reasoning", "refusal")
_ADDED = ("text", "thinking", "partial_json")
_ITEM_DONE, _DELTA = "response.output_item.done", "response.output_text.delta"
_NOTHING: Fields = {}
_WHOLE = frozenset({"response.completed", "response.incomplete", "response.failed"})
_LOOKS = (b"response.", b"chat.completion.chunk", b'"type"')
"""Bytes of which each piece has some."""
_SENT = re.compile(r"^data:[ \t]*(\{.*\})[ \t]*\r?$", re.MULTILINE)
_EVENT = re.compile(r"\s*(?:event|data|id|:)[^\n]*\n")


def is_piece(value: Fields) -> bool:
    """Whether it is a piece of a streamed response."""
    kind = text_of(value.get("type")) or ""
    if kind.startswith("response."):
        return True
    if kind in _OF_MESSAGE:
        return "role" not in value
    return value.get("object") == _CHUNK


def begins_response(value: Fields, before: Fields) -> bool:
    """Whether a piece is of another response than the one `before` it."""
    if value.get("object") == _CHUNK:
        return value.get("id") != before.get("id")
    return text_of(value.get("type")) in _BEGINS or before.get("object") == _CHUNK


def sent(value: object) -> Fields:
    """The response in the text of a stream of events; empty for any other value."""
    words = value if isinstance(value, str) else ""
    if _EVENT.match(words) is None:
        return {}
    pieces = [piece for found in _SENT.finditer(words) if (piece := mapping(found[1]))]
    return together(list(filter(is_piece, pieces)))


def pieces_of(data: bytes) -> list[Fields]:
    """The pieces that a record consists of; none where it has anything else."""
    try:
        found = [fields_of(load(data[slice(*span)])) for span in value_spans(data)]
    except ValueError:
        return []
    return found if all(map(is_piece, found)) else []


def responses(data: bytes, spans: Sequence[Span]) -> Sequence[Span]:
    """The spans of values, with those of the pieces of one response as one."""
    joined: list[Span] = []
    before: Fields = {}
    for begin, end in spans:
        value = _piece(data[begin:end])
        if value and before and not begins_response(value, before):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
        before = value
    return joined


def begins_piece(line: bytes) -> bool:
    """Whether a line is a piece of a streamed response."""
    return bool(_piece(line))


def _piece(data: bytes) -> Fields:
    """A piece of a response; empty for any other value."""
    if not any(each in data for each in _LOOKS):
        return {}
    try:
        value = fields_of(load(data))
    except ValueError:
        return {}
    return value if is_piece(value) else {}


def together(pieces: Sequence[Fields]) -> Fields:
    """The response that the pieces are of; empty where there are none."""
    if not pieces:
        return {}
    if pieces[0].get("object") == _CHUNK:
        return _of_chunks(pieces)
    kind = text_of(pieces[0].get("type")) or ""
    return _of_items(pieces) if kind.startswith("response.") else _of_blocks(pieces)


def _of_chunks(pieces: Sequence[Fields]) -> Fields:
    said: defaultdict[str, list[str]] = defaultdict(list)
    calls: dict[int, _Call] = {}
    for delta in _deltas(pieces):
        for key in _SAID:
            said[key].append(text_of(delta.get(key)) or "")
        for at, call in enumerate(map(fields_of, items_of(delta.get("tool_calls")))):
            place = whole_of(call.get("index"))
            calls.setdefault(at if place is None else place, _Call()).add(call)
    message: dict[str, object] = {key: "".join(words) for key, words in said.items()}
    message["role"] = "assistant"
    message["tool_calls"] = [call.whole() for _, call in sorted(calls.items())]
    counted = (fields_of(piece.get("usage")) for piece in reversed(pieces))
    usage = next(filter(None, counted), None)
    return changed(pieces[0], {"choices": [{"message": message}], "usage": usage})


class _Call:
    """A call, whose arguments come in pieces."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._name: str | None = None
        self._arguments: list[str] = []

    def add(self, piece: Fields) -> None:
        function = fields_of(piece.get("function"))
        self._id = self._id or text_of(piece.get("id"))
        self._name = self._name or text_of(function.get("name"))
        self._arguments.append(text_of(function.get("arguments")) or "")

    def whole(self) -> Fields:
        function = {"name": self._name, "arguments": "".join(self._arguments)}
        return {"id": self._id, "type": "function", "function": function}


def _deltas(pieces: Sequence[Fields]) -> Iterator[Fields]:
    """The delta of each piece, of the first of several answers."""
    for piece in pieces:
        for choice in map(fields_of, items_of(piece.get("choices"))):
            if not whole_of(choice.get("index")):
                yield fields_of(choice.get("delta"))


def _of_blocks(pieces: Sequence[Fields]) -> Fields:
    message: Fields = {"role": "assistant"}
    usage: dict[str, object] = {}
    begun: dict[int, Fields] = {}
    added: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for piece in pieces:
        kind, at = piece.get("type"), whole_of(piece.get("index")) or 0
        if kind == "message_start":
            message = fields_of(piece.get("message"))
            # The output that is written when a response begins is not what it came to.
            usage = dict(without(fields_of(message.get("usage")), ("output_tokens",)))
        elif kind == "content_block_start":
            begun[at] = fields_of(piece.get("content_block"))
        elif kind == "content_block_delta":
            delta = fields_of(piece.get("delta"))
            begun.setdefault(at, {"type": "text"})
            for key in _ADDED:
                added[at, key].append(text_of(delta.get(key)) or "")
        elif kind == "message_delta":
            usage |= fields_of(piece.get("usage"))
    content = [
        changed(block, {**_grown(added, at, block), **_input("".join(added[at, "partial_json"]))})
        for at, block in sorted(begun.items())
    ]
    return changed(message, {"content": content, "usage": usage or None})


def _grown(added: Mapping[tuple[int, str], list[str]], at: int, block: Fields) -> Fields:
    """The words of a block with all that was added to them."""
    found = {key: "".join(added.get((at, key), ())) for key in ("text", "thinking")}
    return {key: (text_of(block.get(key)) or "") + more for key, more in found.items() if more}


def _input(written: str) -> Fields:
    return {"input": mapping(written) or written} if written else {}


def _of_items(pieces: Sequence[Fields]) -> Fields:
    whole = [
        fields_of(each.get("response")) for each in pieces if text_of(each.get("type")) in _WHOLE
    ]
    begun = [fields_of(each.get("response")) for each in pieces if "response" in each]
    response = (whole or begun or [_NOTHING])[-1]
    if items_of(response.get("output")):
        return response
    done = [each.get("item") for each in pieces if each.get("type") == _ITEM_DONE]
    if not done:
        said = "".join(text(each, "delta") or "" for each in pieces if each.get("type") == _DELTA)
        done = [{"type": "message", "role": "assistant", "content": said}] if said else []
    return changed(response, {"output": done})
