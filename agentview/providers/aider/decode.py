"""What happened: the events of a chat's first line, a prompt, or a response and what follows it."""

import re
from datetime import datetime

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import local_time_of
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import UNREADABLE
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


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    made = EventBuilder({}, record, source, session)
    try:
        return _record_events(made, record)
    except UNREADABLE as error:
        return [made.unreadable(f"a form that could not be read: {error}")]


def _record_events(record: EventBuilder, data: bytes) -> list[Event]:
    if data.startswith(BEGIN):
        return _chat(record, data)
    lines = [(sort, data[start:end].decode("utf-8", "replace")) for sort, start, end in sorts(data)]
    own = [line for sort, line in lines if sort is Sort.OWN]
    if all(sort in (Sort.PROMPT, Sort.BLANK) for sort, _ in lines):
        return _prompt(record, [line for sort, line in lines if sort is Sort.PROMPT])
    begin = next((at for at, (sort, _) in enumerate(lines) if sort is Sort.OWN), len(lines))
    said = "\n".join(line for _, line in lines[:begin])
    client = "\n".join(line.removeprefix("> ").rstrip() for line in own)
    if not said.strip():
        return _client(record, client)
    return _response(record, said, client)


def _chat(record: EventBuilder, data: bytes) -> list[Event]:
    """A chat begins: the only time that there is."""
    said = data[len(BEGIN) :].decode("utf-8", "replace").strip()
    record.time = local_time_of(said)
    when = said if record.time is None else f"{datetime.fromisoformat(said):%Y-%m-%d %H:%M:%S}"
    return [record.event("chat", Notification(Topic.SYSTEM, f"Chat started at {when}"))]


def _prompt(record: EventBuilder, lines: list[str]) -> list[Event]:
    """Return what the person typed, which may be a command of the client or of the shell."""
    text = "\n".join(line.removeprefix("####").removeprefix(" ").rstrip() for line in lines).strip()
    if text in ("", "<blank>"):
        return [record.hidden("an empty line", "prompt")]
    if text[0] in "/!" and not text.startswith("//"):
        name, _, args = text.partition(" ")
        shell = text[0] == "!" or name == "/run"
        if text[0] == "!":
            name, args = text[1:].strip(), ""
        return [record.event("command", SlashCommand(name, args, shell=shell))]
    return [record.event("prompt", User(text))]


def _client(record: EventBuilder, text: str) -> list[Event]:
    """Words of the client that follow no response."""
    events: list[Event] = []
    model, version = _MODEL.search(text), _VERSION.search(text)
    if model is not None or version is not None:
        record.facts = Facts(
            model=model[1] if model is not None else None,
            client_version=version[1] if version is not None else None,
            mode=model[2] if model is not None else None,
        )
    events += _usage(record, text)
    note = _note(record, text)
    return [*events, note]


def _note(record: EventBuilder, text: str) -> Event:
    error = _ERROR.search(text)
    if error is not None:
        again = "Retrying in" in text.rsplit("litellm.", 1)[-1]
        level = Level.WARNING if again else Level.ERROR
        return record.event("error", Notification(Topic.API_ERROR, error[1], level, text))
    if _INTERRUPTED.search(text) is not None:
        return record.event("stop", Notification(Topic.INTERRUPT, text))
    return record.event("note", Attachment("aider", "output", text))


def _response(record: EventBuilder, said: str, client: str) -> list[Event]:
    """Thoughts, words and changes of the model, then what the client made of them."""
    record.response_id = record.name
    applied = {match.strip() for match in _APPLIED.findall(client)}
    events: list[Event] = []
    at = 0
    for found in _THOUGHT.finditer(said):
        events += _said(record, said[at : found.start()], applied, client, len(events))
        body = Reasoning(found[2].strip())
        events.append(record.event(f"thought/{len(events)}", body))
        at = found.end()
    events += _said(record, said[at:], applied, client, len(events))
    usage = _usage(record, client)
    if not client:
        return events or [record.hidden("a response without words", "response")]
    note = _note(record, client)
    over = usage and _FAILED.search(client) is None and not isinstance(note.body, Notification)
    if over:
        # The model is asked again only where a change did not fit.
        note = record.event("end", Notification(Topic.TURN_END, client))
    return [*events, *usage, note]


def _said(
    record: EventBuilder, text: str, applied: set[str], client: str, first: int
) -> list[Event]:
    events: list[Event] = []
    for part in parts(text, applied):
        at = first + len(events)
        if isinstance(part, Change):
            events += _change(record, part, applied, client, at)
        else:
            events.append(record.event(f"said/{at}", Message(part)))
    return events


def _change(
    record: EventBuilder, change: Change, applied: set[str], client: str, at: int
) -> list[Event]:
    """A change, and whether the client says that it was made; else nothing is known of it."""
    call_id = f"{record.name}/{at}"
    spec = SPECS[change.form]
    call = tool_call(call_id=call_id, name=change.form, arguments=change.arguments, spec=spec)
    refused = {match.strip() for match in _FAILED_IN.findall(client)}
    ok: bool | None = None
    if change.path in refused:
        ok = not _was_refused(change, client)
    elif change.path in applied or (applied and not change.path):
        ok = True
    error = client if ok is False else None
    output = (TextBlock(client),) if ok is False else ()
    result = ToolResult(call_id, ok, output, error=error)
    return [record.event(f"call/{at}", call), record.event(f"result/{at}", result)]


def _was_refused(change: Change, client: str) -> bool:
    """Return True if the client says this block again, as it does with those that did not fit."""
    old = str(change.arguments.get("search") or "").strip()
    return not old or old in client


def _usage(record: EventBuilder, text: str) -> list[Event]:
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
    return [record.event("usage", body)]


def _number(text: str) -> int | None:
    """A count such as `2.5k`."""
    factor = {"k": 1000, "M": 1_000_000}.get(text[-1], 1)
    try:
        return round(float(text.rstrip("kM").replace(",", "")) * factor)
    except ValueError:
        return None
