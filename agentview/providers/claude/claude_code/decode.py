"""What happened: the events of one line of a session log."""

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit.json_line import LineForm, line_events, value_events
from agentview.providers.claude.claude_code.attachments import attachment_events
from agentview.providers.claude.claude_code.metadata_records import state_events
from agentview.providers.claude.claude_code.progress import progress_events
from agentview.providers.claude.claude_code.system import system_events
from agentview.providers.claude.shared.assistant_records import assistant_events
from agentview.providers.claude.shared.event_builder import Frame
from agentview.providers.claude.shared.parsing import read_pieces
from agentview.providers.claude.shared.user_records import user_events


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list.

    Two records on one line are both decoded; what cannot be read becomes `Unparsed`.
    """
    return line_events(record, source, session, _LINES)


def decode_parsed(value: object, raw: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of a JSON value whose text is `raw`."""
    return value_events(value, raw, source, session, _LINES)


def _decode_record(
    fields: Fields, raw: bytes, source: SourceRef, session: SessionRef
) -> list[Event]:
    frame = Frame(fields, raw, source, session)
    record_type = fields.get("type")
    if "type" not in fields:
        # A message that lost its type still says whose it is.
        record_type = fields_of(fields.get("message")).get("role")
    if record_type == "assistant":
        return assistant_events(frame)
    if record_type == "user":
        return user_events(frame)
    if record_type == "progress":
        return progress_events(frame, session)
    if record_type == "system":
        return system_events(frame)
    if record_type == "attachment":
        return attachment_events(frame)
    if record_type in ("tool_use", "tool_result"):
        return _alone(frame, session)
    name = text_of(record_type)
    if name is None:
        return [frame.unknown("(none)")]
    found = state_events(frame, name)
    return found if found is not None else [frame.unknown(name)]


def _alone(frame: Frame, session: SessionRef) -> list[Event]:
    """Events of a call or a result that is a record of its own, as other tools write them.

    The block is in a message as usual, or it is the record itself: then its id is the record's, and
    what a tool brought back may be all that its message has.
    """
    fields = frame.fields
    kind = text_of(fields.get("type"))
    message = fields_of(fields.get("message"))
    content = message.get("content")
    if all(fields_of(item).get("type") != kind for item in items_of(content)):
        if content is None:
            content = fields.get("content", fields.get("output"))
        block = {**fields, "id": fields.get("id") or frame.uuid, "content": content}
        message = {"content": [block]}
    whole = Frame({**fields, "message": message}, frame.raw, frame.source, session)
    return assistant_events(whole) if kind == "tool_use" else user_events(whole)


_LINES = LineForm(read_pieces, _decode_record)
