"""Whether an agent goes round in circles, by its last calls: what it repeats to no effect."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.index_entry import KINDS, Flag
from agentview.domain.session_state import Looping, Repeated
from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.value import Value
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.activity.activity_text import output_text
from agentview.timeline.view.sanitize import first_line, one_line
from agentview.timeline.view.titles.title import title_of

_CALLS = 24
"""Calls at the end of a turn that are compared."""
_ROWS = 400
"""Rows at the end of a turn in which these are."""
_AT_ONCE = 8
"""Calls that are decoded between two frames."""
_SINCE_EDIT = 10
"""Calls after the last change of a file from which on its time counts."""
_OUTPUT = 4_000
"""Characters of an output that are compared."""
_WHAT = 80

_EDITS = frozenset({ToolKind.EDIT, ToolKind.WRITE, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT})
_AGAIN = frozenset({ToolKind.SUBAGENT_TASK, ToolKind.SCHEDULE, ToolKind.SEND_MESSAGE, ToolKind.ASK})
"""Kinds of calls that are made again to wait for something."""
_VARIES = re.compile(r"[\d.:,]+|0x[0-9a-f]+")
"""Parts of an output that differ each time: times, counts, addresses."""
_WAITS = re.compile(r"\bsleep\b", re.IGNORECASE)


class _Call(Value):
    call: bytes | None
    """A digest of its input and result; None for a call that may be made again."""
    error: bytes | None
    what: str
    message: str


class LoopSearch:
    """Compares the calls of the newest turn; each is decoded once."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._known: dict[int, _Call] = {}
        self._found: tuple[int, Looping | None] = -1, None

    def look(self, *, briefly: bool = True) -> Looping | None:
        """The sign that the known calls give; `briefly`: decode a few at most."""
        if self._found[0] != self._store.revision:
            rows = list(self._rows())
            self._known = {row: self._known[row] for row in rows if row in self._known}
            left = [row for row in rows if row not in self._known]
            for row in left[:_AT_ONCE] if briefly else left:
                call = _call_of(self._store.activity(row))
                if call is not None:
                    self._known[row] = call
            looked = self._looping(self._known.values())
            if briefly and len(left) > _AT_ONCE:
                return looked
            self._found = self._store.revision, looked
        return self._found[1]

    def _begin(self) -> int:
        turn = max(self._store.summary.turn_rows.get(None, ()), default=self._store.first)
        return max(turn, self._store.first, self._store.end - _ROWS)

    def _rows(self) -> Iterator[int]:
        """The last calls of the turn, the newest first."""
        begin, found = self._begin(), 0
        kinds, flags = self._store.codes(begin, self._store.end)
        for at in range(len(kinds) - 1, -1, -1):
            if flags[at] & (Flag.ABSENT | Flag.SIDE) or not isinstance(KINDS[kinds[at]], ToolKind):
                continue
            yield begin + at
            found += 1
            if found == _CALLS:
                return

    def _looping(self, calls: Iterable[_Call]) -> Looping | None:
        known = list(calls)
        unchanged, since = self._last_edit()
        found = Looping(
            _repeated((each.call, each.what) for each in known),
            _repeated((each.error, each.message) for each in known),
            unchanged,
            since,
        )
        if found == Looping():
            return None
        return replace(found, turn=self._store.time(self._begin()))

    def _last_edit(self) -> tuple[float | None, int]:
        """When the turn last changed a file, and how many calls it made since."""
        begin, calls = self._begin(), 0
        kinds, flags = self._store.codes(begin, self._store.end)
        for at in range(len(kinds) - 1, -1, -1):
            kind = KINDS[kinds[at]]
            if flags[at] & Flag.ABSENT or not isinstance(kind, ToolKind):
                continue
            if kind in _EDITS and not flags[at] & Flag.PROBLEM:
                time = self._store.time(begin + at)
                return (time, calls) if calls >= _SINCE_EDIT else (None, 0)
            calls += 1
        return None, 0


def _repeated(keys: Iterable[tuple[bytes | None, str]]) -> Repeated | None:
    """The most frequent one, in the words of the first, if it is repeated at all."""
    words: dict[bytes, str] = {}
    counts = Counter[bytes]()
    for key, text in keys:
        if key is not None:
            words.setdefault(key, text)
            counts[key] += 1
    key, count = next(iter(counts.most_common(1)), (b"", 0))
    return Repeated(count, words[key]) if count > 1 else None


def _call_of(activity: Activity) -> _Call | None:
    """The part of a call that is compared; None for one that runs."""
    call = activity.body
    if not isinstance(call, ToolCall) or call.state in (
        ToolState.INPUT_AVAILABLE, ToolState.INPUT_STREAMING
    ):  # fmt: skip
        return None
    title = title_of(activity)
    what = one_line(f"{title.label} {title.subject}", _WHAT)
    printed = _VARIES.sub("", output_text(activity)[-_OUTPUT:])
    failed = call.ok is False and call.denial is None
    message = one_line(first_line(call.error or output_text(activity)), _WHAT)
    error = _digest(call.canonical_name, printed) if failed and printed.strip() else None
    return _Call(_repeatable(call, printed), error, what, message or what)


def _repeatable(call: ToolCall, printed: str) -> bytes | None:
    payload = call.payload
    if call.kind in _AGAIN:
        return None
    if isinstance(payload, ShellPayload):
        if payload.action is not ShellAction.RUN or _WAITS.search(payload.command or ""):
            return None
        return _digest(payload.command or "", printed)
    return _digest(call.canonical_name, call.args_json, printed)


def _digest(*texts: str) -> bytes:
    joined = "\0".join(texts)
    return blake2b(joined.encode(errors="surrogatepass"), digest_size=8).digest()
