"""Whether a file holds what the client printed, and what its ends say about the session."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from agentview.domain.session import MAIN_STREAM, LiveState, SessionInfo, SessionRef
from agentview.normalize.json_document import records_in
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of
from agentview.providers._kit import defaults
from agentview.providers._kit.prompt_context import parted
from agentview.providers._kit.session_info import is_stale
from agentview.providers.claude.claude_stream.probing import probe_head
from agentview.providers.claude.claude_stream.to_transcript import stream_of
from agentview.providers.claude.shared.assistant_records import SYNTHETIC
from agentview.providers.claude.shared.content import text_in
from agentview.providers.claude.shared.prompt_tags import unwrap
from agentview.sources.files import files_below, read_ends, read_part

NAME = "claude_stream"

_HEAD = 16_384
"""Bytes read of a file to tell whose it is and which session it holds."""
_ENDINGS = (".jsonl", ".ndjson", ".json", ".log")
_LIKELY = 0.6
_TITLE_CHARS = 200


roots = defaults.roots
children = defaults.children
child_places = defaults.child_places
spilled = defaults.spilled


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` is a printed stream."""
    _ = path
    return probe_head(head)


def files(root: Path) -> Iterable["os.DirEntry[str]"]:
    """Files under a directory that may hold what was printed."""
    return files_below(root, _ENDINGS)


def held(path: Path) -> SessionRef | None:
    """The session in a file, told by its content."""
    head = read_part(path, 0, _HEAD)
    return _reference(path, head) if probe_head(head) >= _LIKELY else None


def ref(path: Path) -> SessionRef:
    """The session that a file holds: its id as the first record that has one says it."""
    return _reference(path, read_part(path, 0, _HEAD))


def _reference(path: Path, head: bytes) -> SessionRef:
    ids = (text_of(record.get("session_id")) for record in records_in(head))
    found = SessionRef(NAME, next(filter(None, ids), path.stem), str(path))
    try:
        status = path.stat()
    except OSError:
        return found
    return replace(found, modified=status.st_mtime, size=status.st_size)


def info(ref: SessionRef) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    head, tail, _ = read_ends(Path(ref.path))
    records = [*records_in(head), *records_in(tail)]
    times = [time for record in records if (time := time_of(record.get("timestamp"))) is not None]
    return SessionInfo(
        ref=ref,
        title=_title(records),
        project=_told(records, "cwd"),
        model=_model(records),
        client_version=_told(records, "claude_code_version"),
        started=min(times, default=None),
        last_activity=max(times, default=None),
        state=_state(records, max(times, default=ref.modified)),
    )


def _told(records: Sequence[Fields], key: str) -> str | None:
    """What the client said last of itself."""
    said = (record for record in reversed(records) if record.get("type") == "system")
    return next(filter(None, (text_of(record.get(key)) for record in said)), None)


def _model(records: Sequence[Fields]) -> str | None:
    """The model that the session, none of its agents, used last."""
    for record in reversed(records):
        if stream_of(record) != MAIN_STREAM:
            continue
        begun = fields_of(record.get("event")).get("message")
        told = fields_of(record.get("message") or begun)
        model = text_of((record if record.get("subtype") == "init" else told).get("model"))
        if model not in (None, SYNTHETIC):
            return model
    return None


def _title(records: Sequence[Fields]) -> str | None:
    """The first prompt where prompts are printed, else the first words of the answer."""
    said: str | None = None
    for record in records:
        kind = record.get("type")
        if kind not in ("user", "assistant") or stream_of(record) != MAIN_STREAM:
            continue
        text = text_in(fields_of(record.get("message")).get("content")).strip()
        if kind == "assistant":
            said = said or text
        elif record.get("isSynthetic") is not True and not _is_result(record):
            prompt = parted(unwrap(text).prompt)[1].strip()
            if prompt:
                return _line(prompt)
    return _line(said) if said else None


def _is_result(record: Fields) -> bool:
    content = fields_of(record.get("message")).get("content")
    return any(fields_of(item).get("type") == "tool_result" for item in items_of(content))


def _is_answer(record: Fields) -> bool:
    """Whether the session itself said something last, and called nothing."""
    content = fields_of(record.get("message")).get("content")
    last = fields_of(next(reversed(items_of(content)), None))
    said = isinstance(content, str) or last.get("type") == "text"
    return said and stream_of(record) == MAIN_STREAM


def _line(text: str) -> str:
    return text.partition("\n")[0][:_TITLE_CHARS]


def _state(records: Sequence[Fields], heard: float | None) -> LiveState:
    """Whether the last run has ended: what it said last is its result, or an answer."""
    at_work = LiveState.STALE if is_stale(heard) else LiveState.WORKING
    state = LiveState.UNKNOWN
    for record in reversed(records):
        kind = record.get("type")
        if kind == "result" or (kind == "assistant" and _is_answer(record)):
            return LiveState.WAITING_INPUT
        if kind in ("user", "assistant", "stream_event"):
            state = at_work
            # While an agent is at work, its session says nothing.
            if stream_of(record) == MAIN_STREAM:
                break
    return state
