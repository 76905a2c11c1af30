"""Events of the records that the client writes about itself."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Level,
    Notification,
    Reset,
    Rewind,
    SlashCommand,
    Title,
    TitleSource,
    Topic,
)
from agentview.normalize.json_fields import as_text, number, text
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, whole_of
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.gemini.qwen_code.event_builder import QwenRecord
from agentview.providers.gemini.shared.content import parts_of, snapshot_in

END = "end:"
"""What the key of the last event of a record begins with."""

_BOOKKEEPING = {
    "attribution_snapshot": "which lines an agent wrote",
    "file_history_snapshot": "copies of files",
    "session_notes": "notes that the client keeps",
    "session_source": "which program began the session",
    "session_sources_snapshot": "where the session's parts come from",
    "session_execution_engine": "what runs the session",
    "session_artifact_event": "what the session made",
    "session_artifact_snapshot": "what the session made",
    "omni_recall": "what the client recalled",
    "user_text_elements": "how a prompt was typed",
    "branch_checkpoint": "where a branch may begin",
    "goal_state": "the state of a goal",
    "goal_runtime": "the state of a goal",
    "goal_turn_end": "the state of a goal",
    "agent_bootstrap": "history that an agent was given",
    "agent_launch_prompt": "how an agent was started",
    "agent_retry": "an agent tried again",
    "agent_session_ready": "an agent's session is ready",
}
_ERROR = "api_error"

_COMPRESSION = {
    1: "Compressed",
    2: "Not compressed, as the summary would not be shorter",
    3: "Not compressed: the tokens could not be counted",
    4: "Not compressed: the summary was empty",
    5: "Nothing to compress",
    6: "Not compressed: the summary was cut off",
    7: "Not compressed: the model could not be reached",
}
"""What each status of a compression says (`CompressionStatus` of the client)."""


def record_keys(record: str) -> tuple[str, ...]:
    """The key of the last event of a record, by the id of the record."""
    return (f"{END}{record}",)


def system_events(record: QwenRecord) -> Sequence[LightEvent]:
    """Events of a record of the type `system`, by its subtype; an unknown one is shown."""
    subtype = record.record.subtype or "(none)"
    if subtype == "ui_telemetry":
        return _telemetry(record)
    if subtype in _BOOKKEEPING or subtype.startswith("managed_session_"):
        return [hidden(record, _BOOKKEEPING.get(subtype, "how a session is kept"), subtype)]
    maker = _MAKERS.get(subtype)
    if maker is None:
        return [record.unknown(f"system/{subtype}")]
    return maker(record, fields_of(record.fields.get("systemPayload")), record.fields)


def _telemetry(record: QwenRecord) -> Sequence[LightEvent]:
    """Return a measurement; only an error of the interface is recorded nowhere else."""
    measured = record.payload.ui_event
    if measured is None or not (measured.name or "").endswith(_ERROR):
        return [hidden(record, "what was measured", "ui_telemetry")]
    event = fields_of(fields_of(record.fields.get("systemPayload")).get("uiEvent"))
    words = text(event, "error_message", "error") or "The model could not be reached"
    detail = text(event, "error_type")
    note = Notification(error_topic(words, detail), words, Level.ERROR, detail=detail)
    return [record.event("error", note)]


def _compacted(record: QwenRecord, payload: Fields, _fields: Fields) -> Sequence[LightEvent]:
    info = fields_of(payload.get("info"))
    history = [fields_of(item) for item in items_of(payload.get("compressedHistory"))]
    first = history[0].get("parts") if history else None
    first_text = "".join(part.text for part in parts_of(first) if part.text is not None)
    body = Compaction(
        trigger=text(payload, "trigger") or text(info, "trigger"),
        tokens_before=number(info, "originalTokenCount"),
        tokens_after=number(info, "newTokenCount"),
        summary=snapshot_in(first) or first_text or None,
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _command(record: QwenRecord, payload: Fields, _fields: Fields) -> Sequence[LightEvent]:
    raw = (text_of(payload.get("rawCommand")) or "").strip()
    name, _, args = raw.partition(" ")
    if payload.get("phase") == "result":
        shown = [
            _history_text(fields_of(item)) for item in items_of(payload.get("outputHistoryItems"))
        ]
        output = "\n".join(each for each in shown if each)
        if not output:
            return [hidden(record, "a command without output", "slash_command")]
        return [record.event("output", SlashCommand("", output=output))]
    if payload.get("hiddenInvocation") is True:
        return [hidden(record, "a command that the client gave itself", "slash_command")]
    return [record.event("command", SlashCommand(name, args.strip()))]


def _history_text(item: Fields) -> str | None:
    """Return the text of an item of the screen; one without a text is shown as it is recorded."""
    found = text_of(item.get("text")) or text_of(item.get("message"))
    found = found or _compression_text(fields_of(item.get("compression")))
    rest = {key: value for key, value in item.items() if key not in ("type", "id")}
    return found or (as_text(rest) if rest else None)


def _compression_text(info: Fields) -> str | None:
    """Return the outcome of /compress, which the screen of the client says in its own words."""
    status = whole_of(info.get("compressionStatus"))
    why = _COMPRESSION.get(status) if status is not None else None
    before, after = number(info, "originalTokenCount"), number(info, "newTokenCount")
    if why is None or None in (before, after):
        return why
    return f"{why}: {before} tokens before, {after} after"


def _at_command(record: QwenRecord, payload: Fields, _fields: Fields) -> Sequence[LightEvent]:
    """Files named in a prompt: the prompt that follows has their contents."""
    message = text_of(payload.get("message"))
    if payload.get("status") != "error":
        return [hidden(record, "files that the prompt names", "at_command")]
    words = message or "Files that the prompt names could not be read"
    return [record.event("files", Notification(Topic.SYSTEM, words, Level.WARNING))]


def _title(record: QwenRecord, payload: Fields, _fields: Fields) -> Sequence[LightEvent]:
    title = text_of(payload.get("customTitle"))
    if title is None:
        return [hidden(record, "a title that was taken back", "custom_title")]
    source = TitleSource.AI if payload.get("titleSource") == "auto" else TitleSource.CUSTOM
    return [record.event("title", Title(title, source))]


def _rewound(record: QwenRecord, payload: Fields, fields: Fields) -> Sequence[LightEvent]:
    """The person went back: the record before this one in the tree is the last that counts.

    Null where none is left. A record that does not say how far takes nothing back.
    """
    target = text_of(fields.get("parentUuid")) or text_of(payload.get("targetUuid"))
    event = record.event("rewind", Notification(Topic.REWIND, "Went back to an earlier point"))
    if target is None and fields.get("parentUuid", "") is not None:
        return [event]
    rewinds = Rewind(key="") if target is None else Rewind(after=target)
    return [replace(event, rewinds=rewinds)]


def _model(record: QwenRecord, payload: Fields, _fields: Fields) -> Sequence[LightEvent]:
    model = text_of(payload.get("modelId"))
    facts = replace(record.facts or Facts(), model=model)
    return [hidden(record, "the model", "session_model", facts=facts)]


def _mode(record: QwenRecord, payload: Fields, _fields: Fields) -> Sequence[LightEvent]:
    facts = replace(record.facts or Facts(), mode=text_of(payload.get("mode")))
    return [hidden(record, "what needs leave", "session_approval_mode", facts=facts)]


def _parent(record: QwenRecord, payload: Fields, _fields: Fields) -> Sequence[LightEvent]:
    words = f"Started by session {text_of(payload.get('parentSessionId')) or '?'}"
    return [record.event("parent", Notification(Topic.LINK, words))]


def _turn_result(record: QwenRecord, payload: Fields, _fields: Fields) -> Sequence[LightEvent]:
    error = fields_of(payload.get("error"))
    events: list[Event] = []
    if error:
        words = text_of(error.get("message")) or "The turn ended with an error"
        code = text(error, "code")
        note = Notification(error_topic(words, code), words, Level.ERROR, detail=code)
        events.append(record.event("error", note))
    milliseconds = whole_of(payload.get("durationMs"))
    duration = milliseconds / 1000 if milliseconds is not None else None
    ended = Notification(Topic.TURN_END, "Turn complete", duration=duration)
    return [*events, record.event("ended", ended)]


def _notice(record: QwenRecord, payload: Fields, _fields: Fields) -> Sequence[LightEvent]:
    words = text_of(payload.get("displayText")) or text_of(payload.get("message"))
    if words is None:
        return [hidden(record, "a notice without words", "notification")]
    return [record.event("notice", Notification(Topic.SYSTEM, words))]


_MAKERS = {
    "chat_compression": _compacted,
    "slash_command": _command,
    "at_command": _at_command,
    "custom_title": _title,
    "rewind": _rewound,
    "session_model": _model,
    "session_approval_mode": _mode,
    "parent_session": _parent,
    "turn_result": _turn_result,
    "notification": _notice,
}
