"""How versions of 2026 keep sessions: a log of changes to one object, `chatSessions/<id>.jsonl`.

Source: the public source of VS Code (`objectMutationLog.ts`, 1.109) and what readers of such logs
have published. Each line is one change, `{"kind", "k", "v", "i"}`: 0 is the whole object, 1 sets
the value at the path `k`, 2 cuts the list there to `i` items and adds those of `v`, 3 deletes. The
client replaces the log by one line after 512 changes, and cuts requests off when a prompt is
edited. A session is read as the rows that the changes come to: of the session and of each request.
"""

import os
from collections.abc import Iterator, Mapping, MutableMapping, MutableSequence, Sequence
from typing import cast

from agentview.normalize.json_fields import to_json
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, whole_of
from agentview.normalize.partial_json import load
from agentview.providers._kit.json_documents import members_of
from agentview.sources.member import LINES, Archive, Container

ROW = "row"
"""Key of rows that are no requests; of the session, of a change that cannot be made, or of how many
requests before it were cut off."""
SESSION, CHANGE, CUT = "session", "change", "cut"

_WHOLE, _SET, _PUSH, _DELETE = range(4)
_KNOWN = frozenset({"creationDate", "requests", "responderUsername", "initialLocation"})
_PATHS = frozenset(
    {"customTitle", "hasPendingEdits", "inputState", "requests", "responderUsername"}
)
_NOT_SAID = ("requests", "pendingRequests", "inputState", "hasPendingEdits")
"""Keys of the session that its row lacks: requests have rows, and the others are not sent yet."""


def begins(head: bytes) -> bool:
    """Return True if a file that begins so is a log of changes to a session."""
    change = members_of(head.lstrip().partition(b"\n")[0])
    if change.get("kind") == _WHOLE:
        return not _KNOWN.isdisjoint(fields_of(change.get("v")))
    path = items_of(change.get("k"))
    return whole_of(change.get("kind")) is not None and bool(path) and path[0] in _PATHS


def _sessions(container: Container) -> Iterator[Mapping[str, object]]:
    """The one session of a log, which the client names after it."""
    yield {"id": os.path.basename(container.path).removesuffix(LINES)}  # noqa: PTH119


def _lines(container: Container, session: str) -> Iterator[bytes]:
    """The rows of the session that the log has; a file holds one."""
    _ = session
    for row in _Replayed(container.lines).rows():
        yield to_json(row).encode("utf-8", "replace")


class _Replayed:
    """The object that changes come to."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self.state: dict[str, object] = {}
        self._cut: dict[int, list[Fields]] = {}
        """Rows of requests that were cut off, by the number of requests before them."""
        self._refused: list[Fields] = []
        last = len(lines)
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                made = self._make(fields_of(load(line)))
            except ValueError:
                if number == last:
                    # The client has not written all of it.
                    continue
                made = False
            if not made:
                said = line.decode("utf-8", "replace")
                self._refused.append({ROW: CHANGE, "line": number, CHANGE: said})

    def rows(self) -> Iterator[Fields]:
        """The session, its requests in order, and the changes that cannot be made."""
        kept = {key: value for key, value in self.state.items() if key not in _NOT_SAID}
        yield {ROW: SESSION, **kept}
        requests = self.requests
        for at, each in enumerate(requests):
            yield from self._cut.get(at, ())
            yield _request(each)
        for at in sorted(self._cut):
            yield from self._cut[at] if at >= len(requests) else ()
        yield from self._refused

    def _make(self, change: Fields) -> bool:
        """Make one change; False where that is not possible."""
        kind, path = whole_of(change.get("kind")), items_of(change.get("k"))
        before = (
            self.requests if kind == _WHOLE or (path[:1] == ["requests"] and len(path) < 3) else ()
        )
        made = (
            self._replaced(change.get("v")) if kind == _WHOLE else self._changed(kind, path, change)
        )
        if before:
            self._keep(before)
        return made

    def _replaced(self, value: object) -> bool:
        if isinstance(value, dict):
            self.state = cast("dict[str, object]", value)
        return isinstance(value, dict)

    def _changed(self, kind: int | None, path: Sequence[object], change: Fields) -> bool:
        if not path:
            return False
        holder: object = self.state
        for step in path[:-1]:
            holder = _at(holder, step)
        if kind == _SET:
            return _put(holder, path[-1], change.get("v"))
        if kind == _PUSH:
            return _push(holder, path[-1], change.get("v"), whole_of(change.get("i")))
        return kind == _DELETE and _delete(holder, path[-1])

    @property
    def requests(self) -> Sequence[object]:
        return tuple(items_of(self.state.get("requests")))

    def _keep(self, before: Sequence[object]) -> None:
        """Keep the requests that are gone: the person wrote a prompt again, or took it back."""
        there = {_own(each) for each in self.requests}
        gone = [_own(each) not in there for each in before]
        if not any(gone):
            return
        start, rows = gone.index(True), list[Fields]()
        for at, each in enumerate(before):
            # What was cut off behind it before is of the same branch.
            rows += self._cut.pop(at, []) if at > start else []
            rows += [_request(each)] if gone[at] else []
        rows += self._cut.pop(len(before), [])
        self._cut.setdefault(start, []).extend([*rows, {ROW: CUT, "requests": sum(gone)}])


def _own(request: object) -> str | None:
    return text_of(fields_of(request).get("requestId"))


def _request(value: object) -> Fields:
    """A request as a row; what is none keeps its value."""
    fields = fields_of(value)
    return fields if "requestId" in fields else {ROW: CHANGE, CHANGE: to_json(value)}


def _at(holder: object, step: object) -> object:
    """Return the value at a step of a path; None where nothing is."""
    if isinstance(holder, dict):
        return cast("Fields", holder).get(step) if isinstance(step, str) else None
    if isinstance(holder, list) and isinstance(step, int):
        items = cast("list[object]", holder)
        return items[step] if 0 <= step < len(items) else None
    return None


def _put(holder: object, step: object, value: object) -> bool:
    if isinstance(holder, dict) and isinstance(step, str):
        cast("MutableMapping[str, object]", holder)[step] = value
        return True
    if not isinstance(holder, list) or not isinstance(step, int):
        return False
    items = cast("MutableSequence[object]", holder)
    if step == len(items):
        items.append(value)
    elif 0 <= step < len(items):
        items[step] = value
    return 0 <= step <= len(items) - 1


def _push(holder: object, step: object, value: object, start: int | None) -> bool:
    """Cut the list at a step to `start` items, and add others."""
    listed = _at(holder, step)
    if listed is None and _put(holder, step, []):
        listed = _at(holder, step)
    if not isinstance(listed, list) or not isinstance(value, list | None):
        return False
    items = cast("list[object]", listed)
    if start is not None:
        del items[max(0, start) :]
    items.extend(cast("list[object]", value or []))
    return True


def _delete(holder: object, step: object) -> bool:
    if not isinstance(holder, dict) or not isinstance(step, str) or step not in holder:
        return False
    del cast("dict[object, object]", holder)[step]
    return True


ARCHIVE = Archive(begins=begins, sessions=_sessions, lines=_lines)
