"""Whether the last words of a turn say that tests pass while its log shows otherwise."""

import re
from collections.abc import Generator, Iterator
from typing import cast

from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.events import Message
from agentview.domain.index_entry import KIND_CODES, KINDS, Flag
from agentview.domain.suite_result import Contradiction, SuiteResult
from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import CHANGING, ToolCall, ToolKind
from agentview.normalize.claims import says_tests_pass
from agentview.normalize.light_events import changed_paths
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.filter.row_search import codes_of
from agentview.timeline.view.rows_protocol import Rows
from agentview.timeline.view.sanitize import first_line, one_line
from agentview.timeline.view.titles.test_results import results_of, summed_up

_ROWS = 2_000
"""Rows before the last words in which a test run is looked for."""
_DECODED = 24
"""Calls in these that are decoded."""
_AT_ONCE = 4
"""Calls that are decoded between two frames."""
_CHUNK = 64
_WORDS = 200
_COMMAND = 48

_MESSAGE = KIND_CODES[RowKind.MESSAGE]
_HARMLESS = frozenset(
    {
        ToolKind.READ, ToolKind.GREP, ToolKind.GLOB, ToolKind.SEM_SEARCH, ToolKind.LS,
        ToolKind.WEB_FETCH, ToolKind.WEB_SEARCH, ToolKind.PLAN, ToolKind.TODOS, ToolKind.ASK,
        ToolKind.TOOL_SEARCH, ToolKind.MEMORY, ToolKind.SEND_MESSAGE, ToolKind.GOAL,
    }
)  # fmt: skip
"""Kinds of calls that neither run tests nor change what these test."""
_MAY_TEST = re.compile(
    r"\b(?:\w*tests?|specs?|check\w*|ci|verify|validate|\w*unit|jest|mocha|ava|tox|nox|nextest|"
    r"make|just|task|rake|gradlew?|mvnw?|ant|bazel|buck2?|pants|dune|mix|sbt|swift|ctest)\b"
    r"|\b(?:npm|pnpm|yarn|bun|deno)\b|\bgit (?:stash|checkout|restore|revert|reset)\b",
    re.IGNORECASE,
)
"""Commands that may run tests, or put back what is tested."""
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc", ".svg", ".png", ".lock", ".gitignore", "LICENSE")


Search = Generator[None, None, Contradiction | None]


def contradiction(rows: Rows, begin: int, end: int) -> Contradiction | None:
    """The contradiction of the turn of the rows from `begin` to `end`.

    None if there is none, and in doubt: as far as it is not known what a later call did.
    """
    search = search_contradiction(rows, begin, end)
    while True:
        try:
            next(search)
        except StopIteration as done:
            return cast("Contradiction | None", done.value)


class NewestClaim:
    """The contradiction of the newest turn, looked for a few calls at a time."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._revision = -1
        self._search: Search | None = None
        self._found: Contradiction | None = None

    def look(self) -> Contradiction | None:
        """Continue the search; the contradiction, or None if none is found yet."""
        store = self._store
        if self._revision != store.revision:
            turn = max(store.summary.turn_rows.get(None, ()), default=store.first)
            self._search = search_contradiction(store, max(turn, store.first), store.end)
            self._revision, self._found = store.revision, None
        try:
            for _ in range(_AT_ONCE if self._search is not None else 0):
                next(cast("Search", self._search))
        except StopIteration as done:
            self._search, self._found = None, done.value
        return self._found


def contradicted(rows: Rows, message: int) -> Contradiction | None:
    """The contradiction of a message, if its turn ends with it; see `contradiction`."""
    for start in range(message + 1, rows.end, _CHUNK):
        kinds, flags = codes_of(rows, start, min(start + _CHUNK, rows.end))
        for code, bits in zip(kinds, flags, strict=True):
            if bits & (Flag.ABSENT | Flag.SIDE):
                continue
            if bits & Flag.TURN:
                return contradiction(rows, message, message + 1)
            if code == _MESSAGE or isinstance(KINDS[code], ToolKind):
                return None
    return contradiction(rows, message, message + 1)


def search_contradiction(rows: Rows, begin: int, end: int) -> Search:
    """The same in steps: pauses before each call that it decodes."""
    message = _last_words(rows, begin, end)
    if message is None:
        return None
    body = rows.activity(message).body
    if not isinstance(body, Message) or body.ends_turn is False:
        return None
    says = says_tests_pass(body.text)
    if says is None:
        return None
    edited: int | None = None
    unsure = False
    """A command ran behind the last change of which it is not known what it did."""
    for count, row in enumerate(_calls_before(rows, message)):
        kind = rows.kind(row)
        yield
        call = rows.activity(row).body if count < _DECODED else None
        if not isinstance(call, ToolCall) or (kind not in CHANGING and kind is not ToolKind.SHELL):
            return None
        if kind in CHANGING:
            newest = edited is None and not unsure and not rows.problem(row)
            edited = row if newest and _is_tested(call) else edited
            continue
        result = results_of(call)
        if result is not None:
            found = _evidence(row, call, result, edited, rows)
            words = one_line(says, _WORDS).rstrip(".")
            return None if found is None else Contradiction(words, message, *found)
        if _may_test(call):
            return None
        unsure = unsure or not _looks(call)
    return None


def _last_words(rows: Rows, begin: int, end: int) -> int | None:
    """The row of the last message of a turn, behind all calls; None where a call comes last."""
    kinds, flags = codes_of(rows, begin, end)
    for at in range(len(kinds) - 1, -1, -1):
        if flags[at] & (Flag.ABSENT | Flag.SIDE):
            continue
        if kinds[at] == _MESSAGE:
            return begin + at
        if isinstance(KINDS[kinds[at]], ToolKind):
            return None
    return None


def _evidence(
    row: int, call: ToolCall, result: SuiteResult, edited: int | None, rows: Rows
) -> tuple[int, SuiteResult | None, str] | None:
    """The row that contradicts the words, by the last test run, its result, and the fact in words.

    `edited` is the last change behind that run, if no command may have run tests since.
    """
    if result.bad:
        counts = summed_up(replace(result, passed=None, skipped=None))
        return row, result, f"last run: {counts} ({_command(call)})"
    change = None if edited is None else rows.activity(edited).body
    if edited is None or not isinstance(change, ToolCall):
        return None
    path = next(changed_paths(change.payload))
    return edited, None, f"no test ran since {one_line(path, _COMMAND)} was changed"


def _calls_before(rows: Rows, row: int) -> Iterator[int]:
    """Rows of calls before a row that may matter, the newest first."""
    begin = max(rows.first, row - _ROWS)
    kinds, flags = codes_of(rows, begin, row)
    for at in range(len(kinds) - 1, -1, -1):
        kind = KINDS[kinds[at]]
        if flags[at] & (Flag.ABSENT | Flag.SIDE) or not isinstance(kind, ToolKind):
            continue
        if kind not in _HARMLESS:
            yield begin + at


def _is_tested(call: ToolCall) -> bool:
    """True for a change of a file that tests may depend on, where the call names it."""
    paths = [*changed_paths(call.payload)]
    return bool(paths) and not any(path.endswith(_PROSE) for path in paths)


def _may_test(call: ToolCall) -> bool:
    payload = call.payload
    if not isinstance(payload, ShellPayload):
        return True
    return not _looks(call) and _MAY_TEST.search(payload.command) is not None


def _looks(call: ToolCall) -> bool:
    return call.reading is not None and call.reading.looks


def _command(call: ToolCall) -> str:
    payload = call.payload
    return one_line(
        first_line(payload.command if isinstance(payload, ShellPayload) else ""), _COMMAND
    )
