"""Similarities and differences of two sessions, prompt by prompt."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from agentview.domain.activity import RowKind
from agentview.domain.session import SessionInfo
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.facts.edits.net_diff import FileNet
from agentview.facts.edits.patch_files import patch_files
from agentview.facts.edits.session_changes import SessionChanges
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.facts.usage.report import SessionUsage, TurnUsage
from agentview.facts.usage.time_breakdown import TimeSplit
from agentview.sessions.following.whole_session import load_session
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.cost import Cost
from agentview.timeline.view.overview.turns import TurnOutline

_UNKNOWN_TOOL = "?"


class ComparedTurn(Value):
    """A prompt and what followed it up to the next; None is unknown."""

    number: int
    """From 1."""
    prompt: str
    calls: int
    """Tool calls of the session itself; agents are not counted."""
    problems: int
    tokens: int | None
    cost: Cost | None
    seconds: float | None
    """From the prompt to the last activity before the next one."""
    answer: str | None
    """The last message."""
    place: tuple[int, int]
    """Byte offset of the record of the prompt, and its number there."""


class ComparedSession(Value):
    """One side of a comparison."""

    info: SessionInfo
    turns: tuple[ComparedTurn, ...]
    tools: dict[str, int]
    """Calls by name of the tool, as the provider has it."""
    files: dict[str, FileNet]
    """Files that were changed, by path: below the directory of the session where they are in it."""
    tokens: int | None
    cost: Cost
    time: TimeSplit

    @property
    def problems(self) -> int:
        return sum(turn.problems for turn in self.turns)

    @property
    def answer(self) -> str | None:
        return next((turn.answer for turn in reversed(self.turns) if turn.answer), None)


class PromptPair(Value):
    """Prompts of two sessions at the same place; None where a session has none there."""

    a: ComparedTurn | None
    b: ComparedTurn | None
    same: bool
    """True if both have the same text, apart from white space."""


class Comparison(Value):
    """Two sessions with their prompts side by side."""

    a: ComparedSession
    b: ComparedSession
    prompts: tuple[PromptPair, ...]


def compare(a: SessionInfo, b: SessionInfo) -> Comparison:
    """Two sessions side by side. Raises AgentViewError when one cannot be read."""
    one, other = compared_session(a), compared_session(b)
    return Comparison(one, other, tuple(aligned_prompts(one.turns, other.turns)))


def compared_session(info: SessionInfo) -> ComparedSession:
    """All of a session that is compared. Raises AgentViewError when it cannot be read."""
    store = load_session(info.ref)
    usage = measure(info.ref, PriceList())
    tools: Counter[str] = Counter()
    turns = tuple(_turns(store, usage, tools))
    return ComparedSession(
        info=info,
        turns=turns,
        tools=dict(tools.most_common()),
        files=dict(_files(store)),
        tokens=usage.total.tokens,
        cost=usage.cost,
        time=usage.time,
    )


def _turns(store: SessionStore, usage: SessionUsage, tools: Counter[str]) -> Iterator[ComparedTurn]:
    """The turns that stand; `tools` counts their calls, and those before the first prompt."""
    outline = TurnOutline(store)
    outline.finish()
    used = {turn.place: turn for turn in usage.turns}
    _calls(store, range(store.first, outline.row(0) if outline else store.end), tools)
    for turn in range(len(outline)):
        rows = outline.rows(turn)
        counts = _calls(store, rows, tools)
        yield _turn(store, turn + 1, rows, counts, used.get(store.place(rows[0])))


def _calls(store: SessionStore, rows: range, tools: Counter[str]) -> tuple[int, int]:
    calls = problems = 0
    for row in rows:
        if store.shown(row) and isinstance(store.kind(row), ToolKind):
            calls += 1
            problems += store.problem(row)
            tools[getattr(store.body(row), "provider_name", None) or _UNKNOWN_TOOL] += 1
    return calls, problems


def _turn(
    store: SessionStore,
    number: int,
    rows: range,
    counts: tuple[int, int],
    used: TurnUsage | None,
) -> ComparedTurn:
    messages = (
        row for row in reversed(rows) if store.shown(row) and store.kind(row) is RowKind.MESSAGE
    )
    last = next(messages, None)
    times = [time for row in rows if (time := store.time(row)) is not None]
    return ComparedTurn(
        number=number,
        prompt=_text(store, rows[0]) or "",
        calls=counts[0],
        problems=counts[1],
        tokens=None if used is None else used.tally.tokens,
        cost=None if used is None else used.tally.worth(None),
        seconds=max(times) - min(times) if times else None,
        answer=None if last is None else _text(store, last),
        place=store.place(rows[0]),
    )


def _text(store: SessionStore, row: int) -> str | None:
    text = getattr(store.body(row), "text", None)
    return text if isinstance(text, str) else None


def _files(store: SessionStore) -> Iterator[tuple[str, FileNet]]:
    changes = SessionChanges(store)
    changes.finish()
    for file in patch_files(changes):
        if file.is_changed:
            yield file.name, file.net


def aligned_prompts(a: Sequence[ComparedTurn], b: Sequence[ComparedTurn]) -> Iterator[PromptPair]:
    """The prompts of two sessions side by side, in order.

    Equal ones stand together; between them, prompts are paired by their order.
    """
    texts = [[" ".join(turn.prompt.split()) for turn in side] for side in (a, b)]
    matcher = SequenceMatcher(None, *texts, autojunk=False)
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        for one, other in zip_longest(a[a_from:a_to], b[b_from:b_to]):
            yield PromptPair(one, other, tag == "equal")
