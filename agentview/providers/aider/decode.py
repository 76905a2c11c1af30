"""Events of a chat's first line, a prompt, or a response and what follows it."""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Level,
    Notification,
    SlashCommand,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import local_time_of
from agentview.normalize.tools.specs import KnownCall, known_call
from agentview.providers._kit.text_records import TextRecord, TextRecords
from agentview.providers._kit.typed_records import (
    LightEvent,
    hidden,
)
from agentview.providers.aider.blocks import BEGIN, Sort, sorts
from agentview.providers.aider.changes import Change, parts
from agentview.providers.aider.tools import SPECS

_THOUGHT = re.compile(
    r"<(thinking-content-[0-9a-f]{1,64}|think|thinking)>(.*?)(?:</\1>|\Z)", re.DOTALL
)
_MODEL = re.compile(r"(?:Main m|M)odel: (\S+)(?: with (.*?) edit format)?")
_VERSION = re.compile(r"Aider v(\d\S*)")
_APPLIED = re.compile(r"Applied edit to (.+)")
_FAILED = re.compile(r"# (\d{1,6}) SEARCH/REPLACE blocks? failed to match!")
_FAILED_IN = re.compile(r"failed to exactly match lines in (.+)")
_COUNT = r"([\d.,]{1,20}[kM]?)"
_TOKENS = re.compile(rf"Tokens: {_COUNT} sent.*?{_COUNT} received")
_WRITTEN = re.compile(rf"{_COUNT} cache write")
_CACHED = re.compile(rf"{_COUNT} cache hit")
_COST = re.compile(r"Cost: \$([\d.]{1,20}) message")
_ERROR = re.compile(r"litellm\.(\w*(?:Error|Exception))")
_INTERRUPTED = re.compile(r"\^C|KeyboardInterrupt|Interrupted")


def _record_events(record: TextRecord, data: bytes) -> Sequence[LightEvent]:
    if data.startswith(BEGIN):
        return _chat(record, data)
    lines = list(sorts(data))
    if all(sort in (Sort.PROMPT, Sort.BLANK) for sort, _, _ in lines):
        prompt = (data[start:end] for sort, start, end in lines if sort is Sort.PROMPT)
        return _prompt(record, [line.decode("utf-8", "replace") for line in prompt])
    own = [(start, end) for sort, start, end in lines if sort is Sort.OWN]
    said = _text(data[: own[0][0] - 1 if own and own[0][0] else 0 if own else len(data)])
    client = "\n".join(_text(data[start:end]).removeprefix("> ").rstrip() for start, end in own)
    if not said.strip():
        return _client(record, client)
    return _response(record, said, client)


RECORDS = TextRecords(_record_events)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\r")


def _chat(record: TextRecord, data: bytes) -> Sequence[LightEvent]:
    """A chat begins: the only time that there is."""
    said = data[len(BEGIN) :].decode("utf-8", "replace").strip()
    record.time = local_time_of(said)
    when = said if record.time is None else f"{datetime.fromisoformat(said):%Y-%m-%d %H:%M:%S}"
    return [record.event("chat", Notification(Topic.SYSTEM, f"Chat started at {when}"))]


def _prompt(record: TextRecord, lines: list[str]) -> Sequence[LightEvent]:
    """Return the typed text, which may be a command of the client or of the shell."""
    text = "\n".join(line.removeprefix("####").removeprefix(" ").rstrip() for line in lines).strip()
    if text in ("", "<blank>"):
        return [hidden(record, "an empty line", "prompt")]
    if text[0] in "/!" and not text.startswith("//"):
        name, _, args = text.partition(" ")
        shell = text[0] == "!" or name == "/run"
        if text[0] == "!":
            name, args = text[1:].strip(), ""
        return [record.event("command", SlashCommand(name, args, shell=shell))]
    return [record.event("prompt", User(text))]


def _client(record: TextRecord, text: str) -> Sequence[LightEvent]:
    """Words of the client that follow no response."""
    model, version = _MODEL.search(text), _VERSION.search(text)
    if model is not None or version is not None:
        record.facts = Facts(
            model=model[1] if model is not None else None,
            client_version=version[1] if version is not None else None,
            mode=model[2] if model is not None else None,
        )
    return [*_usage(record, text), _note(record, text)]


def _note(record: TextRecord, text: str) -> Event:
    error = _ERROR.search(text)
    if error is not None:
        again = "Retrying in" in text.rsplit("litellm.", 1)[-1]
        level = Level.WARNING if again else Level.ERROR
        return record.event("error", Notification(Topic.API_ERROR, error[1], level, text))
    if _INTERRUPTED.search(text) is not None:
        return record.event("stop", Notification(Topic.INTERRUPT, text))
    return record.event("note", Attachment("aider", "output", text))


class Applied(Value):
    """The client's words on the changes in a response."""

    applied: set[str]
    """Files that it changed."""
    refused: set[str]
    """Files in which a block did not fit."""
    words: str


def _response(record: TextRecord, said: str, client: str) -> Sequence[LightEvent]:
    """Thoughts, words and changes of the model, then what the client made of them."""
    record.response_id = record.name
    applied, refused = ({*map(str.strip, p.findall(client))} for p in (_APPLIED, _FAILED_IN))
    known = Applied(applied, refused, client)
    events: list[LightEvent] = []
    at = 0
    for found in _THOUGHT.finditer(said):
        events += _said(record, said[at : found.start()], known, len(events))
        events.append(record.thought_part(f"thought/{len(events)}", found[2].strip()))
        at = found.end()
    events += _said(record, said[at:], known, len(events))
    usage = _usage(record, client)
    if not client:
        return events or [hidden(record, "a response without words", "response")]
    note = _note(record, client)
    over = usage and _FAILED.search(client) is None and not isinstance(note.body, Notification)
    if over:
        # The model is asked again only where a change did not fit.
        note = record.event("end", Notification(Topic.TURN_END, client))
    return [*events, *usage, note]


def _said(record: TextRecord, text: str, known: Applied, first: int) -> Sequence[LightEvent]:
    events: list[LightEvent] = []
    for part in parts(text, known.applied):
        at = first + len(events)
        if isinstance(part, Change):
            events += _change(record, part, known, at)
        else:
            events.append(record.text_part(f"said/{at}", part))
    return events


def _change(record: TextRecord, change: Change, known: Applied, at: int) -> Sequence[LightEvent]:
    """A change, and whether the client says that it was made; else nothing is known of it."""
    call_id = f"{record.name}/{at}"
    client, ok = known.words, None
    if change.path in known.refused:
        ok = not _was_refused(change, client)
    elif change.path in known.applied or (known.applied and not change.path):
        ok = True
    made, failed = (call_id, ok, client), None if ok is None else not ok
    return [
        record.call_event(f"call/{at}", call_id, _known(change.form), _call, (call_id, change)),
        record.result_part(f"result/{at}", call_id, _result, made, failed=failed),
    ]


@cache
def _known(form: str) -> KnownCall | None:
    return known_call(form, SPECS[form])


def _call(call_id: str, change: Change) -> ToolCall:
    spec, given = SPECS[change.form], change.arguments
    return tool_call(call_id=call_id, name=change.form, arguments=given, spec=spec)


def _result(call_id: str, ok: bool | None, client: str) -> ToolResult:
    if ok is not False:
        return ToolResult(call_id, ok)
    return ToolResult(call_id, ok, (TextBlock(client),), error=client)


def _was_refused(change: Change, client: str) -> bool:
    """Return True if the client says this block again, as it does with those that did not fit."""
    old = str(change.arguments.get("search") or "").strip()
    return not old or old in client


def _usage(record: TextRecord, text: str) -> Sequence[LightEvent]:
    """Tokens as the client rounds them; what a cache gave or took is part of what was sent."""
    found = _TOKENS.search(text)
    if found is None:
        return []
    written, cached = _WRITTEN.search(found[0]), _CACHED.search(found[0])
    sent, received = _number(found[1]), _number(found[2])
    took = _number(written[1]) if written is not None else None
    gave = _number(cached[1]) if cached is not None else None
    cost = _COST.search(text)
    usage = Usage(
        None if sent is None else max(0, sent - (gave or 0) - (took or 0)), gave, took, received
    )
    body = TokenUsage(record.name, usage, cost=float(cost[1]) if cost is not None else None)
    return [record.usage_part(body)]


def _number(text: str) -> int | None:
    """A count such as `2.5k`."""
    factor = {"k": 1000, "M": 1_000_000}.get(text[-1], 1)
    try:
        return round(float(text.rstrip("kM").replace(",", "")) * factor)
    except ValueError:
        return None
