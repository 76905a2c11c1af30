"""Counts calls in logs by the shapes of their JSON alone, beside what providers make of them.

`python -m tests.providers.recount HOME …` reads all logs of these home directories, and names those
where the ids differ. Nothing of a provider is used to count: a call is an object that has the id of
a call, under one of the names that vendors and clients use for it.
"""

import json
import re
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple, cast

from agentview.domain.session import SessionRef
from agentview.domain.tool_inputs import ApprovalPayload
from agentview.domain.tools import ToolCall
from agentview.providers import load_provider, provider_names
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Item
from agentview.sources.member import is_database, member_of
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore

Members = dict[str, object]

_IDS = {
    "tool_use": ("id", "tool_id"),
    "toolCall": ("id",),
    "tool_call": ("id", "call_id", "tool_call_id", "toolCallId"),
    "tool.call": ("toolCallId",),
    "tool-call": ("toolCallId", "tool_call_id"),
    "function_call": ("call_id",),
    "custom_tool_call": ("call_id",),
    "tool_search_call": ("call_id",),
    "CommandExecution": ("id",),
    "FileChange": ("id",),
    "McpToolCall": ("id",),
    "ImageView": ("id",),
    "tool": ("callID", "toolCallId"),
    "command_execution": ("id",),
    "file_change": ("id",),
    "mcp_tool_call": ("id",),
    "web_search": ("id",),
    "todo_list": ("id",),
    "collab_tool_call": ("id",),
    "effect": ("id",),
    "ActionEvent": ("tool_call_id",),
}
"""Where an object of a type, or a kind, has the id of the call that it is."""
_LISTS = ("tool_calls", "toolCalls", "toolRequests")
"""Keys of lists of calls."""
_LISTED = ("id", "toolCallId", "tool_call_id")
_INNER = "functionCall"
"""Key of an object that is a call."""
_IN_TEXT = re.compile(r"^@\w+\(([\w-]+)\):", re.MULTILINE)
"""A call that is written in the text of a response."""
_WHOLE = 1 << 30


def ids_in(value: object) -> Iterator[str]:
    """The ids of all calls in a JSON value, at any depth."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield from _IN_TEXT.findall(each)
        elif isinstance(each, list):
            waiting += cast("list[object]", each)
        elif isinstance(each, dict):
            members = cast("Members", each)
            yield from _own_ids(members)
            waiting += members.values()


def _own_ids(members: Members) -> Iterator[str]:
    for key in ("type", "kind", "part_kind", "contentType", "sessionUpdate"):
        kind = members.get(key)
        yield from _first(members, _IDS.get(kind, ()) if isinstance(kind, str) else ())
    if members.get("type") == "tool" and isinstance(members.get("state"), dict):
        yield from _first(members, ("callID", "id"))
    inner = members.get("function")
    if members.get("type") == "function" and isinstance(inner, dict):
        yield from _first(members, ("id",))
    if "parentToolCallId" in members:
        yield from _first(members, ("toolCallId",))
    called = members.get(_INNER)
    if isinstance(called, dict):
        yield from _first(cast("Members", called), ("id",))
    for key in _LISTS:
        listed = members.get(key)
        for each in cast("list[object]", listed) if isinstance(listed, list) else ():
            if isinstance(each, dict):
                yield from _first(cast("Members", each), _LISTED)


def _first(members: Members, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        found = members.get(name)
        if isinstance(found, str) and found:
            yield found
            return


def values_in(path: Path) -> Iterator[object]:
    """All JSON values in a file: a document, lines, or texts in the columns of a database."""
    if is_database(path):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in tables.fetchall():
                for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608
                    yield from _parsed(column for column in row if isinstance(column, str))
        return
    text = path.read_bytes().decode("utf-8", "replace")
    try:
        yield json.loads(text)
    except ValueError:
        yield from _parsed(iter(text.splitlines()))


def _parsed(texts: Iterator[str]) -> Iterator[object]:
    for text in texts:
        if text.lstrip()[:1] in ("{", "["):
            with suppress(ValueError, RecursionError):
                yield json.loads(text)


def counted(place: Path, others: Sequence[Path] = ()) -> set[str]:
    """The ids of all calls in a file, or in a directory but for those of `others` below it."""
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    inner = [other for other in others if other != place and other.is_relative_to(place)]
    own = [path for path in files if not any(path.is_relative_to(other) for other in inner)]
    return {call for path in own for value in values_in(path) for call in ids_in(value)}


_OF_A_PLACE = re.compile(r"@\d+$")
"""End of the id of a call that has none in the log, and is known by the place of its record."""


def shown(ref: SessionRef) -> set[str]:
    """The ids of all calls that a session has rows for, but for those that the log gives no id.

    What a client asks a person about a call is a row of its own, and no call of the model.
    """
    provider = load_provider(ref.provider)
    reader = log_reader(provider, Path(ref.path))
    items: list[Item] = []
    more = True
    while more:
        chunk = reader.poll(_WHOLE)
        items += chunk.items
        more = chunk.more
    lines = [item for item in (*items, *reader.finish()) if isinstance(item, Line)]
    store = SessionStore(provider, ref)
    store.append(reduce_lines(ref, lines))
    bodies = (store.event(row).body for row in range(store.first, store.end))
    calls = (body for body in bodies if isinstance(body, ToolCall))
    asked = (call for call in calls if not isinstance(call.payload, ApprovalPayload))
    return {call.call_id for call in asked if _OF_A_PLACE.search(call.call_id) is None}


class Recount(NamedTuple):
    """The calls of one file."""

    provider: str
    file: str
    shown: set[str]
    counted: set[str]


def recounts(refs: Sequence[SessionRef]) -> Iterator[Recount]:
    """The calls of these sessions, file by file.

    A call that is counted in a file and shown in another one is repeated here: logs of a session
    tell what its agents did, and logs of agents begin with what the session had.
    """
    files: defaultdict[str, list[SessionRef]] = defaultdict(list)
    for ref in refs:
        member = member_of(ref.path)
        files[member[0] if member is not None else ref.path].append(ref)
    places = [Path(file) for file in files]
    found = {file: {own for ref in refs for own in shown(ref)} for file, refs in files.items()}
    for file, sessions in sorted(files.items()):
        elsewhere = {own for other, ids in found.items() if other != file for own in ids}
        ids = _once(counted(Path(file), places))
        own = {each for each in ids if each in found[file] or each not in elsewhere}
        yield Recount(sessions[0].provider, file, found[file], own)


def _once(ids: set[str]) -> set[str]:
    """The ids without those that are another one without its punctuation: a repeat has such."""
    bare = {plain for each in ids if (plain := re.sub(r"[\W_]", "", each)) != each}
    return ids - bare


def sessions_of(home: Path) -> list[SessionRef]:
    """All sessions in the places of a home directory."""
    found: dict[str, SessionRef] = {}
    for name in provider_names():
        provider = load_provider(name)
        roots = provider.discovery.roots({"HOME": str(home)})
        for root in roots:
            if root.is_relative_to(home):
                found.update((ref.path, ref) for ref in provider.scan(root))
    return list(found.values())


def main(homes: Sequence[str]) -> None:
    """Print how many calls each provider shows, and where that differs."""
    totals: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for home in homes:
        for found in recounts(sessions_of(Path(home))):
            total = totals[found.provider]
            total[0] += 1
            total[1] += len(found.shown)
            total[2] += len(found.counted)
            if found.shown != found.counted:
                more = sorted(found.shown - found.counted)
                less = sorted(found.counted - found.shown)
                sys.stdout.write(
                    f"{found.provider} {found.file}: only shown {more}, only counted {less}\n"
                )
    for name, (files, mine, others) in sorted(totals.items()):
        sys.stdout.write(f"{name:16} {files:4} files {mine:6} shown {others:6} counted\n")


if __name__ == "__main__":
    main(sys.argv[1:])
