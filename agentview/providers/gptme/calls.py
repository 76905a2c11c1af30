"""Calls in the words of the model: as JSON behind the name of a tool, in a fence, or in a tag."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import cast

from agentview.domain.value import Value
from agentview.normalize.json_values import Fields, fields_of
from agentview.providers.gptme.tools import FENCES

_THOUGHT = re.compile(r"<(think|thinking)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_CALL = re.compile(r"^@(\w{1,80})\(([^()\s]{0,200})\):[ \t]*", re.MULTILINE)
_TAGS = re.compile(
    r"<tool-use>\s*<(\w{1,80})((?:\s[^<>\n]{0,400})?)>\n?(.*?)\n?</\1>\s*</tool-use>", re.DOTALL
)
_ARGS = re.compile(r"args=(['\"])(.*?)\1")
_FENCE = re.compile(r"```[ \t]*(\S.*)?")
_DECODER = json.JSONDecoder()


class Call(Value):
    """A call as it was written; `call_id` is None where its form has none."""

    name: str
    arguments: Fields | str
    raw: str | None = None
    call_id: str | None = None


class Words(Value):
    """Text between calls, or a thought."""

    text: str
    thought: bool = False


def parts(content: str) -> Iterator[Words | Call]:
    """Split a message of the model into texts, thoughts and calls, in order."""
    at = 0
    for found in _THOUGHT.finditer(content):
        yield from _outside(content[at : found.start()])
        yield Words(found[2].strip(), thought=True)
        at = found.end()
    yield from _outside(content[at:])


def _outside(text: str) -> Iterator[Words | Call]:
    """Words and calls that are not in a thought."""
    at = 0
    for found in _CALL.finditer(text):
        if found.start() < at:
            continue
        yield from _tagged(text[at : found.start()])
        arguments, raw, at = _json_at(text, found.end())
        yield Call(found[1], arguments, raw, found[2])
    yield from _tagged(text[at:])


def _json_at(text: str, start: int) -> tuple[Fields | str, str | None, int]:
    """The object that begins at a place, its text and its end; all the rest where it is none."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return text[start:], None, len(text)
    found = fields_of(cast("object", value))
    return (found, text[start:end], end) if found else (text[start:end], None, end)


def _tagged(text: str) -> Iterator[Words | Call]:
    at = 0
    for found in _TAGS.finditer(text):
        yield from _fenced(text[at : found.start()])
        args = _ARGS.search(found[2])
        yield Call(found[1], _arguments(found[1], args[2] if args else "", found[3]))
        at = found.end()
    yield from _fenced(text[at:])


def _fenced(text: str) -> Iterator[Words | Call]:
    """Words, and the fences whose language is a tool."""
    said: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        found = _FENCE.fullmatch(lines[at])
        name, _, args = (
            (found[1] or "").strip().partition(" ") if found is not None else ("", "", "")
        )
        end = _end_of_fence(lines, at) if name in FENCES else None
        if end is None:
            said.append(lines[at])
            at += 1
            continue
        yield from _words(said)
        said = []
        yield Call(name, _arguments(name, args.strip(), "\n".join(lines[at + 1 : end])))
        at = end + 1
    yield from _words(said)


def _end_of_fence(lines: list[str], start: int) -> int | None:
    """The line that closes a fence, which may have others in it; None where none does."""
    depth = 0
    for at in range(start, len(lines)):
        found = _FENCE.fullmatch(lines[at])
        if found is None:
            continue
        depth += 1 if found[1] else -1
        if depth == 0:
            return at
    return None


def _words(said: list[str]) -> Iterator[Words]:
    text = "\n".join(said).strip()
    if text:
        yield Words(text)


def _arguments(name: str, args: str, body: str) -> Mapping[str, object]:
    """Arguments of a tool, under the names that its JSON form has for them."""
    first, second = FENCES.get(name, ("args", "content"))
    return {**({first: args} if args and first else {}), second: body}
