"""The page: facts of a session, its turns, their activities, and agents below their calls."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path

from agentview.domain.activity import Kind
from agentview.domain.tools import ToolCall
from agentview.reports.export.document.entries import (
    Added,
    Entry,
    Heading,
    Hide,
    Part,
    entries,
    facts_of,
)
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.titles.title import title_of
from agentview.ui.page.article import article
from agentview.ui.page.packing import Packing
from agentview.ui.page.styles import color_rules

_HEADING = 120
"""Characters of a prompt that the heading of its turn has."""
_WITHOUT_SCRIPT = "[hidden=until-found]{display:block;content-visibility:visible}"
_LEVELS = (("default", "per kind"), ("title", "titles"), ("summary", "summaries"), ("full", "full"))

LevelOf = Callable[[Kind, Sequence[str]], DetailLevel]
"""The level of a kind and of the names of its tool."""


def page(
    store: SessionStore,
    heading: Heading,
    added: Added,
    part: Part,
    hide: Hide,
    *,
    level: DetailLevel | None,
    level_of: LevelOf,
) -> Iterator[str]:
    """The page in pieces. It asks for nothing, and nothing of the log is more than text in it.

    `level` is the one that it begins with; None is that of each kind.
    """
    yield _head(heading.headline)
    yield _header(heading)
    yield _tools(level)
    yield f"<script>{_script()}</script>\n<main>\n"
    body = _Body(part, added, hide, level_of)
    turn: int | None = None
    for entry in entries(store, part, added, hide):
        if entry.turn != turn:
            yield from body.fixed(("" if turn is None else "</section>\n") + _turn(entry))
            turn = entry.turn
        yield from body.activity(entry)
    end = "</section>\n" if turn is not None else "<p>Nothing to show.</p>"
    yield from body.fixed(end)
    if part.whole:
        yield from body.agents_without_call(store)
    yield from body.fixed("</main>\n</body></html>\n")


class _Body:
    """Writes activities, and below them the agents that they started, at all levels."""

    def __init__(self, part: Part, added: Added, hide: Hide, level_of: LevelOf) -> None:
        self._inner = Part(kinds=part.kinds)
        self._added = added
        self._hide = hide
        self._level_of = level_of
        self._packing = Packing()
        self._shown: set[SessionStore] = set()
        """Agents on the page: each is there once, also where several calls name it."""
        self.fixed = self._packing.fixed

    def activity(self, entry: Entry) -> Iterator[str]:
        """An activity and its agents."""
        yield from self._article(entry)
        yield from self._agents([(entry, agent) for agent in entry.agents])

    def agents_without_call(self, store: SessionStore) -> Iterator[str]:
        yield from self._agents([(None, agent) for agent in store.children.values()])

    def _article(self, entry: Entry) -> Iterator[str]:
        body = entry.activity.body
        names = body.names if isinstance(body, ToolCall) else ()
        yield from self._packing.piece(article(entry, self._level_of(entry.kind, names)))

    def _agents(self, waiting: list[tuple[Entry | None, SessionStore]]) -> Iterator[str]:
        # Without recursion: how deep agents are nested is the log's choice.
        waiting.reverse()
        reading: list[tuple[Iterator[Entry], int]] = []
        """Agents that are being written, and how many were waiting when each began."""
        while waiting or reading:
            if waiting and (not reading or len(waiting) > reading[-1][1]):
                call, agent = waiting.pop()
                if agent not in self._shown:
                    self._shown.add(agent)
                    yield from self.fixed(_agent_head(call, agent))
                    reading.append(
                        (entries(agent, self._inner, self._added, self._hide), len(waiting))
                    )
                continue
            entry = next(reading[-1][0], None)
            if entry is None:
                reading.pop()
                yield from self.fixed("</details>\n")
                continue
            yield from self._article(entry)
            waiting += [(entry, each) for each in reversed(entry.agents)]


def _agent_head(call: Entry | None, agent: SessionStore) -> str:
    if call is None:
        name = agent.session.label or agent.session.stream.id
    else:
        name = title_of(call.activity).subject
    records = counted(agent.end - agent.first, "record")
    return f'<details class="agent"><summary>Sub-agent: {escape(name)} ({records})</summary>\n'


def _turn(entry: Entry) -> str:
    name = f"turn-{entry.turn}"
    words = (
        f" <span>{escape(_cut(title_of(entry.activity).subject))}</span>" if entry.begins else ""
    )
    title = f"Turn {entry.turn}" if entry.turn else "Before the first prompt"
    return (
        f'<section class="turn" id="{name}" aria-labelledby="{name}-h">'
        f'<h2 id="{name}-h">{title}{words}</h2>\n'
    )


def _cut(subject: str) -> str:
    return subject if len(subject) <= _HEADING else f"{subject[: _HEADING - 1].rstrip()}…"


def _head(title: str) -> str:
    script, style, plain = (_hash(text) for text in (_script(), _style(), _WITHOUT_SCRIPT))
    policy = (
        f"default-src 'none'; script-src {script}; style-src {style} {plain}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{_style()}</style>\n"
        f"<noscript><style>{_WITHOUT_SCRIPT}</style></noscript>\n</head><body>\n"
    )


def _header(heading: Heading) -> str:
    facts = "".join(
        f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in facts_of(heading)
    )
    title = escape(heading.headline)
    return f'<header class="top"><h1>{title}</h1><dl>{facts}</dl></header>\n'


def _tools(level: DetailLevel | None) -> str:
    chosen = "default" if level is None else level.value
    levels = "".join(
        f'<option value="{value}"{" selected" if value == chosen else ""}>{name}</option>'
        for value, name in _LEVELS
    )
    return (
        '<nav aria-label="View"><div id="tools" hidden>'
        f'<label>Detail <select id="level">{levels}</select></label> '
        '<label>Diffs <select id="diffs"><option value="unified">unified</option>'
        '<option value="split">split</option></select></label> '
        '<label>Colors <select id="theme"><option value="system">of the system</option>'
        '<option value="light">light</option><option value="dark">dark</option></select></label>'
        "</div><p>j: next, k: previous, o: open or close</p>"
        '<p id="packed" role="status" hidden><span id="left"></span> '
        '<button type="button" id="all">Build all</button></p>'
        "<noscript><p>Without scripts, long sessions are not shown whole.</p></noscript></nav>\n"
    )


@cache
def _script() -> str:
    return (Path(__file__).parent / "page.js").read_text()


@cache
def _style() -> str:
    return (Path(__file__).parent / "page.css").read_text() + color_rules()


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
