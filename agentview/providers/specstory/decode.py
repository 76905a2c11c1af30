"""Events of one speaker's part, or of the head of the page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape

from agentview.domain.content import TextBlock
from agentview.domain.events import Facts, Title, TitleSource, ToolResult, User
from agentview.domain.session import Stream, StreamKind
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import time_of
from agentview.normalize.tools.registry import FAMILIES
from agentview.providers._kit.event_builder import model_facts
from agentview.providers._kit.named_agent import call_of_agent
from agentview.providers._kit.text_records import TextRecord, TextRecords
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.specstory.blocks import model_and_time, turns

_OPEN = re.compile(
    r"<think><details><summary>[^\n]{0,80}</summary>"
    r'|<tool-use data-tool-type="(?P<type>[^"\n]{0,40})" data-tool-name="(?P<name>[^"\n]{0,200})">'
    r"\n?<details>"
)
_ENDS = ("</details></think>", "</details></tool-use>", "</details>\n</tool-use>")
"""The ends of a thought and of a call."""
_SUMMARY = re.compile(r"\s{0,4}<summary>(?P<said>[^\n]{0,4000}?)</summary>")
_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<word>[^\n`]{0,40})$", re.MULTILINE)
_SCRIPT = re.compile(r"^(?P<fence>`{3,})(?:bash|sh)\n", re.MULTILINE)
_PRINTED = ("", "text")
"""The beginnings of fences around the output of a call."""
_LINE = re.compile(r"^`(?P<said>[^\n]*)`$", re.MULTILINE)
_QUOTED = re.compile(r"`(?P<said>[^`\n]+)`")
_TITLE = re.compile(r"^# (?P<said>[^\n]{1,400})$", re.MULTILINE)
_DATED = re.compile(r"\d{4}-\d\d-\d\d[ T][\d:]{5,8}Z?(?: \([^()\n]*\))?")
_RULE = "---"
"""The line between turns, and in some pages between parts of one."""
_ARGUED: Mapping[str, str] = {"shell": "command", "read": "path", "write": "path"}
"""The meaning of the quoted line of a call, by its type."""
_FAMILY: Mapping[str, str] = {"shell": "bash", "read": "read", "write": "edit", "task": "task"}
"""The family of a call that its client does not know, by its type."""
_DESCRIBED: Mapping[ToolKind, str] = {
    ToolKind.SHELL: "bash",
    ToolKind.READ: "read",
    ToolKind.WRITE: "write",
    ToolKind.EDIT: "edit",
}
"""The family of a call whose arguments a page describes in its own words."""


def _record_events(record: TextRecord, data: bytes) -> Sequence[LightEvent]:
    found = next(turns(data), None)
    if found is None or found.start() > 0:
        return _beginning(record, data.decode("utf-8", "replace"))
    said = data[found.end() :].decode("utf-8", "replace").replace("\r\n", "\n")
    model, time = model_and_time((found["said"] or b"").decode("utf-8", "replace"))
    record.time = time_of(time)
    if found["side"] is not None:
        record.stream = Stream(StreamKind.SIDECHAIN, "sidechain")
    if found["who"] == b"User":
        return _prompt(record, said)
    record.facts = model_facts(model) if model is not None else None
    return _response(record, said)


RECORDS = TextRecords(_record_events)


def _beginning(record: TextRecord, text: str) -> Sequence[LightEvent]:
    """The title, where it is not just a time."""
    facts = Facts(agent=record.session.label) if record.session.label else None
    events: list[LightEvent] = [hidden(record, "the beginning of a page", "page", facts=facts)]
    found = _TITLE.search(text)
    if found is not None and _DATED.fullmatch(found["said"].strip()) is None:
        events.append(record.event("title", Title(found["said"].strip(), TitleSource.SUMMARY)))
    return events


def _words(text: str) -> str:
    """A text without the rules around it, and the blank lines."""
    words = text.strip("\n")
    while words.startswith(f"{_RULE}\n") or words == _RULE:
        words = words.removeprefix(_RULE).strip("\n")
    return words.removesuffix(f"\n{_RULE}").strip("\n")


def _prompt(record: TextRecord, text: str) -> Sequence[LightEvent]:
    words = _words(text)
    if not words.strip():
        return [hidden(record, "a message without words", "User")]
    return [record.event("prompt", User(words))]


def _response(record: TextRecord, text: str) -> Sequence[LightEvent]:
    """Thoughts, words and calls in their order."""
    events: list[LightEvent] = []
    at = 0
    for found, start, stop, end in _parts(text):
        events += _said(record, text[at : found.start()], len(events))
        if found["name"] is None:
            thought = record.thought_part(f"thought/{len(events)}", text[start:stop].strip())
            events.append(thought)
        else:
            events += _call(record, found, text[start:stop], len(events))
        at = end
    events += _said(record, text[at:], len(events))
    return events or [hidden(record, "a message without words", "Agent")]


def _parts(text: str) -> Iterator[tuple[re.Match[str], int, int, int]]:
    """Thoughts and calls: how each begins, where what it has starts and stops, and where it ends.

    One that does not end is words.
    """
    at = 0
    endless: set[str] = set()
    while (found := _OPEN.search(text, at)) is not None:
        at = found.end()
        ends: list[tuple[int, str]] = []
        for each in _ENDS[:1] if found["name"] is None else _ENDS[1:]:
            stop = -1 if each in endless else text.find(each, at)
            if stop < 0:
                endless.add(each)
            else:
                ends.append((stop, each))
        if ends:
            stop, closing = min(ends)
            yield found, at, stop, stop + len(closing)
            at = stop + len(closing)


def _said(record: TextRecord, text: str, at: int) -> Iterator[LightEvent]:
    words = _words(text)
    if words.strip():
        yield record.text_part(f"said/{at}", words)


def _call(record: TextRecord, found: re.Match[str], body: str, at: int) -> Sequence[LightEvent]:
    """A call as a page describes it, and what it printed: the fences behind it have that."""
    call_id = f"{record.name}/{at}"
    body, printed = _without_output(body.strip())
    blocks = (TextBlock(printed),) if printed else ()
    call = _tool_call(call_id, found["type"], unescape(found["name"]), body)
    known = call_of_agent(call, record.session.label)
    own = _DESCRIBED.get(known.kind)
    structured = {"agent": record.session.label or "", "own": None} if own is None else None
    if own is not None:
        known = tool_call(
            call_id=call_id,
            name=call.provider_name,
            arguments=call.args or {},
            spec=FAMILIES[own],
        )
    result = ToolResult(call_id, None, blocks, structured=structured)
    return [record.event(f"call/{at}", known), record.event(f"result/{at}", result)]


def _without_output(body: str) -> tuple[str, str]:
    """The description of a call, and what is between the fences that end it."""
    opening: re.Match[str] | None = None
    for found in _FENCE.finditer(body):
        if opening is None:
            opening = found
        elif found["fence"] == opening["fence"] and not found["word"]:
            if found.end() == len(body) and opening["word"] in _PRINTED:
                return body[: opening.start()].strip(), body[opening.end() + 1 : found.start() - 1]
            opening = None
    return body, ""


def _tool_call(call_id: str, kind: str, name: str, body: str) -> ToolCall:
    summary = _SUMMARY.match(body)
    rest = body[summary.end() :] if summary is not None else body
    arguments: dict[str, object] = {}
    key = _ARGUED.get(kind)
    if key is not None:
        found, rest = _argument(kind, rest, summary["said"] if summary is not None else "")
        arguments |= {key: found} if found else {}
    if rest.strip():
        arguments["description"] = rest.strip()
    family = _FAMILY.get(kind)
    spec = FAMILIES[family] if family is not None else None
    return tool_call(call_id=call_id, name=name or "(none)", arguments=arguments, spec=spec)


def _argument(kind: str, body: str, summary: str) -> tuple[str, str]:
    """The command or the path of a call, and the rest of its description."""
    script = _SCRIPT.search(body) if kind == "shell" else None
    end = body.find(f"\n{script['fence']}", script.end() - 1) if script is not None else -1
    if script is not None and end >= 0:
        behind = end + 1 + len(script["fence"])
        return body[script.end() : end], f"{body[: script.start()]}{body[behind:]}"
    line = _LINE.search(body)
    if line is not None:
        return line["said"], f"{body[: line.start()]}{body[line.end() :]}"
    quoted = _QUOTED.search(summary)
    return quoted["said"] if quoted is not None else "", body
