"""Traffic of the full-screen client, one JSON object a line: `{ts, dir, kind, …}`.

It is written where a person asks for it (`CODEX_TUI_RECORD_SESSION=1`). Reports of the agent have
the form of those that were printed; prompts are operations that the terminal sends.

Source: the client's public source (`tui/src/session_log.rs`) and a public log of August 2025.
"""

from collections.abc import Sequence

from agentview.domain.events import Facts
from agentview.normalize.json_values import Fields, text_of, time_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers._kit.typed_values import read_as
from agentview.providers.codex.content import asked, block_of, in_front
from agentview.providers.codex.event_builder import CodexRecord, path_of
from agentview.providers.codex.exec_stream import has_report, message_events
from agentview.providers.codex.schema import Report

_DIRECTIONS = frozenset({"meta", "to_tui", "from_tui"})
_PROMPTS = frozenset({"user_input", "user_turn", "user_input_with_turn_context"})
_SILENT = {
    "session_end": "the log ends",
    "app_event": "an event of the terminal",
    "key_event": "a key that was pressed",
    "log_line": "a line of the client's own log",
    "insert_history": "lines that the terminal shows",
    "insert_history_cell": "lines that the terminal shows",
    "new_session": "a session begins in the terminal",
    "file_search_start": "a search of file names while typing",
    "file_search_result": "a search of file names while typing",
}


def is_passed(fields: Fields) -> bool:
    """Return True if a line is of such a log."""
    known = text_of(fields.get("dir")) in _DIRECTIONS
    return known and isinstance(fields.get("kind"), str) and "ts" in fields


def passed_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of one line."""
    kind = read_as(record.fields, Report).kind or "(none)"
    time = time_of(record.fields.get("ts"))
    if kind == "codex_event":
        if not has_report(record):
            return [record.unknown(kind)]
        record.time = time
        return message_events(record)
    record.time = time
    if kind == "op":
        return _operation(record, record.payload.type or "(none)")
    if kind == "session_start":
        facts = _facts(record.report)
        return [hidden(record, "settings of the session", kind, facts=facts)]
    reason = _SILENT.get(kind)
    return [record.unknown(kind) if reason is None else hidden(record, reason, kind)]


def _facts(own: Report) -> Facts:
    policy = text_of(own.approval_policy)
    return Facts(path_of(own.cwd), model=own.model or None, mode=policy)


def _operation(record: CodexRecord, kind: str) -> Sequence[LightEvent]:
    if kind not in _PROMPTS:
        return [hidden(record, "what the terminal asks of the client", f"op/{kind}")]
    own = record.report
    record.facts = _facts(own)
    sent = [(item, read_as(item, Report)) for item in own.items or ()]
    words = "\n".join(filter(None, (said.text for _, said in sent)))
    blocks = tuple(block_of(item) for item, said in sent if said.type != "text")
    said = asked(words)
    # Later clients report the prompt as well.
    keys = record.twins("prompt", said, first=True)
    return [record.event("prompt", spoken(said, blocks, context=in_front(words)), **keys)]
