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
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import fields_of, items_of, seconds_of, text_of, whole_of
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, hidden, read_as
from agentview.providers.gemini.qwen_code.event_builder import QwenRecord
from agentview.providers.gemini.qwen_code.schema import Compression, Failure, ScreenItem
from agentview.providers.gemini.shared.content import parts_of, snapshot_in

END = "end:"
"""Prefix of the key of the last event of a record."""

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
"""Texts of each status of a compression (`CompressionStatus` of the client)."""


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
    return maker(record)


def _telemetry(record: QwenRecord) -> Sequence[LightEvent]:
    """Return a measurement; only an error of the interface is recorded nowhere else."""
    measured = record.payload.ui_event
    if measured is None or not (measured.name or "").endswith(_ERROR):
        return [hidden(record, "what was measured", "ui_telemetry")]
    said = measured.error if measured.error_message is None else measured.error_message
    words = as_text(said) or "The model could not be reached"
    detail = as_text(measured.error_type)
    note = Notification(error_topic(words, detail), words, Level.ERROR, detail=detail)
    return [record.event("error", note)]


def _compacted(record: QwenRecord) -> Sequence[LightEvent]:
    payload = record.payload
    info = payload.info or Compression()
    history = items_of(record.value_of(payload.compressed_history))
    first = fields_of(history[0]).get("parts") if history else None
    first_text = "".join(part.text for part in parts_of(first) if part.text is not None)
    trigger = info.trigger if payload.trigger is None else payload.trigger
    body = Compaction(
        trigger=as_text(trigger),
        tokens_before=whole_of(info.original_token_count),
        tokens_after=whole_of(info.new_token_count),
        summary=snapshot_in(first) or first_text or None,
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _command(record: QwenRecord) -> Sequence[LightEvent]:
    command = record.payload
    name, _, args = (command.raw_command or "").strip().partition(" ")
    if command.phase == "result":
        shown = map(_history_text, items_of(record.value_of(command.output_history_items)))
        output = "\n".join(each for each in shown if each)
        if not output:
            return [hidden(record, "a command without output", "slash_command")]
        return [record.event("output", SlashCommand("", output=output))]
    if command.hidden_invocation:
        return [hidden(record, "a command that the client gave itself", "slash_command")]
    return [record.event("command", SlashCommand(name, args.strip()))]


def _history_text(item: object) -> str | None:
    """Return the text of an item of the screen; one without a text is shown as it is recorded."""
    shown = read_as(item, ScreenItem)
    found = shown.text or shown.message or _compression_text(shown.compression or Compression())
    rest = {key: value for key, value in fields_of(item).items() if key not in ("type", "id")}
    return found or (as_text(rest) if rest else None)


def _compression_text(info: Compression) -> str | None:
    """Return the outcome of /compress, which the screen of the client says in its own words."""
    status = whole_of(info.compression_status)
    why = _COMPRESSION.get(status) if status is not None else None
    before, after = whole_of(info.original_token_count), whole_of(info.new_token_count)
    if why is None or None in (before, after):
        return why
    return f"{why}: {before} tokens before, {after} after"


def _at_command(record: QwenRecord) -> Sequence[LightEvent]:
    """Files named in a prompt: the prompt that follows has their contents."""
    said = record.payload
    if said.status != "error":
        return [hidden(record, "files that the prompt names", "at_command")]
    words = said.message or "Files that the prompt names could not be read"
    return [record.event("files", Notification(Topic.SYSTEM, words, Level.WARNING))]


def _title(record: QwenRecord) -> Sequence[LightEvent]:
    named = record.payload
    if not named.custom_title:
        return [hidden(record, "a title that was taken back", "custom_title")]
    source = TitleSource.AI if named.title_source == "auto" else TitleSource.CUSTOM
    return [record.event("title", Title(named.custom_title, source))]


def _rewound(record: QwenRecord) -> Sequence[LightEvent]:
    """The person went back: the record before this one in the tree is the last that counts.

    Null where none is left. A record that does not say how far takes nothing back.
    """
    target = record.record.parent_uuid or record.payload.target_uuid or None
    event = record.event("rewind", Notification(Topic.REWIND, "Went back to an earlier point"))
    if target is None and record.fields.get("parentUuid", "") is not None:
        return [event]
    rewinds = Rewind(key="") if target is None else Rewind(after=target)
    return [replace(event, rewinds=rewinds)]


def _model(record: QwenRecord) -> Sequence[LightEvent]:
    model = record.payload.model_id or None
    facts = replace(record.facts or Facts(), model=model)
    return [hidden(record, "the model", "session_model", facts=facts)]


def _mode(record: QwenRecord) -> Sequence[LightEvent]:
    facts = replace(record.facts or Facts(), mode=record.payload.mode or None)
    return [hidden(record, "what needs leave", "session_approval_mode", facts=facts)]


def _parent(record: QwenRecord) -> Sequence[LightEvent]:
    words = f"Started by session {record.payload.parent_session_id or '?'}"
    return [record.event("parent", Notification(Topic.LINK, words))]


def _turn_result(record: QwenRecord) -> Sequence[LightEvent]:
    turn = record.payload
    events: list[Event] = []
    error = record.value_of(turn.error)
    if fields_of(error):
        failure = read_as(error, Failure)
        words, code = failure.message or "The turn ended with an error", as_text(failure.code)
        note = Notification(error_topic(words, code), words, Level.ERROR, detail=code)
        events.append(record.event("error", note))
    duration = seconds_of(whole_of(turn.duration_ms))
    ended = Notification(Topic.TURN_END, "Turn complete", duration=duration)
    return [*events, record.event("ended", ended)]


def _notice(record: QwenRecord) -> Sequence[LightEvent]:
    payload = record.payload
    words = text_of(record.value_of(payload.display_text)) or payload.message
    if not words:
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
