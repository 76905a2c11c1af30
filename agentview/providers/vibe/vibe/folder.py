"""How a session is kept: a snapshot in chunks, and a journal of what came after it.

Source: recordings of 3.0.3. `CURRENT` names a generation, whose manifest lists the chunks with all
entries up to a sequence number; the segments of the journal have what was added or replaced since.
At the end of a turn the client writes a generation and deletes older ones, later their journal too:
what was read of them stays. Calls that are not run get no entry; only the journal has them, in the
response that asked for them and in the request that answers or ignores them.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from functools import partial
from threading import Lock
from typing import cast

import orjson
from msgspec import UNSET

from agentview.normalize.json_values import Fields, fields_of, items_of, whole_of
from agentview.providers._kit.typed_values import read_as
from agentview.providers.vibe.vibe.schema import (
    AnswerTo,
    Change,
    Counts,
    Envelope,
    JournalLine,
    Kept,
    Manifest,
    ModelInput,
    Named,
    Payload,
    Pointer,
    Request,
    Response,
    Session,
    Used,
)
from agentview.sources.member import DirectoryRecord, Folder, first_bytes
from agentview.sources.packed_file import content_size

CURRENT = "CURRENT"
META = "meta.json"
_JOURNAL = "journal"
_SEGMENT = re.compile(r"\d{1,20}\.jsonl")
_GENERATION = re.compile(r"\d{1,20}")
_CHUNK = re.compile(r"[0-9a-f]{64}")
_LARGEST = 512 * 1024 * 1024
"""Bytes of a file that are read."""
_TRIES = 3
"""How often the snapshot is read again because another one took its place."""
_SHOWN = re.compile(rb'"type"\s*:\s*"(?:projection_delta|callback_registered|callback_resolved)"')
_REQUEST = re.compile(rb'"type"\s*:\s*"(?:action_intent|action_result|core_input)"')


class _Session:
    """The records of one session by their keys, in the order in which they first came."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._records: dict[str, tuple[int, bytes]] = {}
        self._state: dict[str, tuple[int, bytes]] = {}
        """Records of the session as a whole, which come last."""
        self._number = 0
        self._current: bytes | None = None
        """The content of `CURRENT` when its generation was read."""
        self._sequence = 0
        """Number of the last record of the journal that is in the records."""
        self._offsets: dict[str, int] = {}
        """How many bytes of each segment were read."""
        self._requests: dict[str, Used] = {}
        """Tokens of the requests in the journal: the client's own count leaves some out."""
        self._base: Counts | None = None
        """The client's counts before these requests; None where they are not known."""
        self._asked: dict[str, Fields] = {}
        """Calls that the model asked for and that are not run yet, by their ids."""
        self._last: str | None = None
        """The key of the record that the journal added last."""
        self._ids: set[str] = set()
        """Ids of all entries."""
        self._reading = Lock()

    def records(self) -> Iterable[DirectoryRecord]:
        with self._reading:
            return self._now() if os.path.lexists(f"{self._path}/{CURRENT}") else []

    def _now(self) -> list[DirectoryRecord]:
        for _ in range(_TRIES):
            current = _read(f"{self._path}/{CURRENT}")
            self._take_snapshot(current)
            self._take_journal()
            if _read(f"{self._path}/{CURRENT}") == current:
                break
        meta = fields_of(_parsed(_read(f"{self._path}/{META}")))
        if meta:
            self._put(self._state, "meta", meta)
        found = (*self._records.items(), *self._state.items())
        return [DirectoryRecord(key, number, partial(bytes, line)) for key, (number, line) in found]

    def _put(self, table: dict[str, tuple[int, bytes]], key: str, value: object) -> None:
        # Chunks and the journal may have the keys of an entry in another order.
        line = value if isinstance(value, bytes) else orjson.dumps(value, option=_SORTED)
        known = table.get(key)
        if known is None or known[1] != line:
            self._number += 1
            table[key] = (self._number, line)

    def _take_snapshot(self, current: bytes | None) -> None:
        pointer = read_as(_parsed(current), Pointer)
        name = pointer.generation or ""
        if current == self._current or not _GENERATION.fullmatch(name):
            return
        folder = f"{self._path}/generations/{name}"
        manifest = fields_of(_parsed(_read(f"{folder}/manifest.json")))
        if not manifest:
            return
        sequence = whole_of(pointer.snapshot_sequence) or 0
        newer = sequence >= self._sequence
        chunks = read_as(manifest, Manifest).projection_state.chunks
        found = [item for chunk in chunks for item in self._entries(chunk)]
        missing = any("missing_chunk" in fields_of(entry) for _, entry in found)
        if missing and _read(f"{self._path}/{CURRENT}") != current:
            return
        for key, entry in found:
            # The journal may have a later version of it by now.
            if newer or key not in self._records:
                self._put(self._records, key, entry)
        state = _parsed(_read(f"{folder}/projection-state.json"))
        if newer:
            self._take_envelope(read_as(state, Kept).snapshot)
        self._sequence = max(self._sequence, sequence)
        if not missing:
            self._current = current

    def _entries(self, chunk: str | None) -> Iterator[tuple[str, object]]:
        if not chunk or not _CHUNK.fullmatch(chunk):
            yield f"chunk/{chunk}", {"missing_chunk": chunk}
            return
        data = _read(f"{self._path}/chunks/{chunk}.json")
        listed = _parsed(data)
        if not isinstance(listed, list):
            yield f"chunk/{chunk}", data.strip() if data else {"missing_chunk": chunk}
            return
        self._records.pop(f"chunk/{chunk}", None)
        for index, entry in enumerate(items_of(cast("object", listed))):
            yield self._key_of(entry) or f"{chunk}/{index}", entry

    def _take_journal(self) -> None:
        try:
            names = os.listdir(f"{self._path}/{_JOURNAL}")  # noqa: PTH208
        except OSError:
            return
        for name in sorted(filter(_SEGMENT.fullmatch, names), key=lambda each: int(each[:-6])):
            for line in self._lines(name):
                self._take_line(line)

    def _lines(self, name: str) -> list[bytes]:
        """The whole lines of a segment that were not read."""
        path = f"{self._path}/{_JOURNAL}/{name}"
        size, at = _size(path), self._offsets.get(name, 0)
        if size < at:
            at = 0
        data = first_bytes(path, min(size - at, _LARGEST), at) if size > at else b""
        whole = data[: data.rfind(b"\n") + 1]
        self._offsets[name] = at + len(whole)
        return whole.split(b"\n")[:-1]

    def _take_line(self, line: bytes) -> None:
        if _SHOWN.search(line) is not None:
            self._take_change(line)
        elif _REQUEST.search(line) is not None:
            record = read_as(_parsed(line), JournalLine)
            payload = record.payload
            if record.type == "action_intent":
                self._take_request(payload.request)
            elif record.type == "action_result":
                self._take_answer(payload)
            else:
                self._take_response(payload.input)

    def _take_request(self, request: Request) -> None:
        """Of a call that is run, or of the model, with the answers to calls that were not run."""
        self._asked.pop(request.call_id or "", None)
        if request.model_input is UNSET:
            return
        sent = request.model_input or ModelInput()
        for message in map(fields_of, sent.messages.messages):
            own = read_as(message, AnswerTo).tool_call_id or ""
            asked = self._asked.pop(own, None)
            if asked is not None and f"{_DISCOVERY}{own}" not in self._ids:
                self._add_call(asked, message)
        # The model is asked again: a response with what is left was discarded, as summaries are
        # that came with a call.
        for asked in self._asked.values():
            self._add_call(asked, None)
        self._asked.clear()

    def _take_response(self, given: Response) -> None:
        """The calls that the model asked for."""
        time = given.determinism.time_unix_ms
        for part in map(fields_of, given.command.result.parts):
            named = read_as(part, Named)
            if named.type == "tool_call" and named.id:
                self._asked[named.id] = {**part, "time": time}

    def _add_call(self, asked: Fields, answer: Fields | None) -> None:
        """Add a call that is not run behind the record that the journal added last."""
        key = f"call/{asked.get('id')}@{asked.get('time')}"
        known, last = self._records, self._last
        behind = last in known and last != next(reversed(known)) and key not in known
        self._put(known, key, {"call": asked, "answer": answer})
        if behind:
            added = known.pop(key)
            self._records = {
                name: each
                for before in known.items()
                for name, each in ((before, (key, added)) if before[0] == last else (before,))
            }
        self._last = key

    def _take_change(self, line: bytes) -> None:
        record = read_as(_parsed(line), JournalLine)
        sequence, payload = whole_of(record.sequence), record.payload
        changes = [read_as(each, Change) for each in payload.delta]
        if sequence is None:
            self._put(self._records, f"damaged/{self._number}", line)
            return
        self._take_base(changes)
        if sequence <= self._sequence:
            keys = [self._key_of(each.entry) for each in changes]
            self._last = next(filter(None, reversed(keys)), self._last)
            return
        self._sequence = sequence
        if record.type == "callback_registered":
            self._take_entry(payload.routing, f"{sequence}/0")
        elif record.type == "callback_resolved":
            resolved = fields_of(_parsed(line)).get("payload")
            self._put(
                self._records, f"resolved/{sequence}", {"callback_resolved": fields_of(resolved)}
            )
        for index, (change, given) in enumerate(zip(changes, payload.delta, strict=True)):
            name = f"{sequence}/{index}"
            if change.op in ("append_entry", "replace_entry"):
                self._take_entry(change.entry, name)
            elif change.op == "set_envelope":
                self._take_envelope(change.state or Envelope())
            else:
                self._put(self._records, f"change/{name}", fields_of(given))

    def _take_entry(self, entry: object, name: str) -> None:
        self._last = self._key_of(entry) or name
        self._put(self._records, self._last, entry)

    def _key_of(self, entry: object) -> str | None:
        named = read_as(entry, Named)
        if named.id:
            self._ids.add(named.id)
        return entry_key(named.id or None, named.created_at)

    def _take_envelope(self, envelope: Envelope) -> None:
        """Take the state of the session, its last turn once that has ended, and open requests."""
        for request in map(fields_of, envelope.active_callbacks):
            if (key := self._key_of(request)) is not None:
                self._put(self._records, key, request)
        turn = envelope.latest_turn
        if turn and turn.get("status") != "in_progress":
            self._put(self._records, f"turn/{turn.get('id')}", {"latestTurn": turn})
        if envelope.session is not None:
            self._put_session(envelope.session)

    def _put_session(self, session: object) -> None:
        fields: dict[str, object] = {"session": session}
        if self._requests and self._base is not None:
            base, requests = self._base, self._requests.values()
            fields["requests"] = {
                written: (whole_of(getattr(base, name)) or 0)
                + sum(whole_of(getattr(usage, name)) or 0 for usage in requests)
                for name, written in _COUNTS
            }
        self._put(self._state, "session", fields)

    def _take_base(self, changes: list[Change]) -> None:
        """Take the counts of the first envelope, if that comes before the first request."""
        states = [each.state or Envelope() for each in changes if each.state is not UNSET]
        if states and self._base is None and not self._requests:
            self._base = read_as(states[0].session, Session).token_usage or Counts()

    def _take_answer(self, payload: Payload) -> None:
        """The tokens of a request."""
        usage = payload.result.result.usage
        if usage is None or not payload.action_id:
            return
        self._requests[payload.action_id] = usage
        known = self._state.get("session")
        if known is not None:
            self._put_session(fields_of(_parsed(known[1])).get("session"))


def entry_key(own: str | None, created: object) -> str | None:
    """Key that an entry keeps when it is written again; None without an id.

    Its id alone may be that of another entry: some are made of what the model calls its calls.
    """
    return own if own is None or created is None else f"{own}@{created}"


_SORTED = orjson.OPT_SORT_KEYS
_COUNTS = tuple(zip(Counts.__struct_fields__, Counts.__struct_encode_fields__, strict=True))
_DISCOVERY = "effect-tool-discovery-"
"""How the entry of a search for tools begins, which has the id of its call."""


def _size(path: str) -> int:
    """Size of a regular file; 0 for a link and for anything else."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return 0
    return content_size(path, status.st_size) if stat.S_ISREG(status.st_mode) else 0


def _read(path: str) -> bytes | None:
    size = _size(path)
    return first_bytes(path, min(size, _LARGEST)) if size else None


def _parsed(data: bytes | None) -> object:
    try:
        return orjson.loads(data) if data else None
    except ValueError:
        return None


def _changing(path: str) -> Iterator[str]:
    yield f"{path}/{CURRENT}"
    yield f"{path}/{META}"
    journal = f"{path}/{_JOURNAL}"
    try:
        yield from (f"{journal}/{name}" for name in os.listdir(journal) if name.endswith(".jsonl"))  # noqa: PTH208
    except OSError:
        return


FOLDER = Folder(
    marks=(CURRENT, "generations"),
    open=lambda path: _Session(path).records,
    changing=_changing,
)
