"""`agentview export`: a session as a page, a text or a picture to hand over, without secrets."""

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from agentview.cli.cat import load_session
from agentview.cli.log_file import PIPE, Choice
from agentview.cli.standard_input import piped_session
from agentview.cli.target import resolve
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.errors import AgentViewError, UsageError
from agentview.export.json_document import UNMASKED, Chosen, json_document
from agentview.export.session_entries import (
    Entry,
    Heading,
    Hide,
    Part,
    entries,
    heading_of,
    turns_of,
)
from agentview.store.session_store import SessionStore
from agentview.timeline.detail_levels import DetailLevel
from agentview.timeline.format_numbers import counted

_ENDINGS = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
}


def run(options: argparse.Namespace) -> int:
    """Write the session; what was masked goes to standard error."""
    choice = Choice(options.provider, options.project)
    if options.target != PIPE:
        return _export(resolve(options.target, choice), options)
    with piped_session(choice.provider) as piped:
        return _export(piped, options)


class MaskReport:
    """Counts what is masked by the rules that found it."""

    def __init__(self) -> None:
        self.rules = Counter[str]()

    def hide(self, value: object) -> object:
        """The value without secrets."""
        from agentview.redaction.values import masked_value

        return masked_value(value, lambda rule: self.rules.update((rule,)))

    def hide_patch(self, patch: str) -> str:
        """A patch without secrets."""
        from agentview.redaction.secrets import masked_patch

        return masked_patch(patch, lambda rule: self.rules.update((rule,)))

    @property
    def secrets(self) -> int:
        """Number of secrets; names of home directories are none."""
        from agentview.redaction.secrets import HOMES_RULE

        return self.rules.total() - self.rules[HOMES_RULE]

    def lines(self, done: str) -> Iterator[str]:
        """A line for each rule below a line that says how many there are."""
        if not self.rules:
            yield f"{done}: nothing."
            return
        yield f"{done}: {counted(self.rules.total(), 'text')}"
        for rule, count in self.rules.most_common():
            yield f"  {count:>6,}  {rule}"


def _export(ref: SessionRef, options: argparse.Namespace) -> int:
    form = _form(options)
    part = _part(options)
    if options.check and options.no_mask:
        raise UsageError("--check looks for what would be masked.", "Leave out --no-mask.")
    report = MaskReport()
    pieces = _pieces(form, ref, part, None if options.no_mask else report, options)
    if options.check:
        for _ in pieces:
            pass
    else:
        _write(pieces, options.output)
    if not options.no_mask:
        done = "to be masked" if options.check else "masked"
        print("\n".join(report.lines(done)), file=sys.stderr)
    return 1 if options.check and report.secrets else 0


def _form(options: argparse.Namespace) -> str:
    named = _ENDINGS.get(Path(options.output or "").suffix.lower())
    form: str = options.format or named or "html"
    return form


def _part(options: argparse.Namespace) -> Part:
    from agentview.cli.cat import chosen_kinds

    first, last = turns_of(options.turns) if options.turns else (0, None)
    return Part(first, last, chosen_kinds(options.only))


def _pieces(
    form: str, ref: SessionRef, part: Part, report: MaskReport | None, options: argparse.Namespace
) -> Iterator[bytes]:
    """The document in pieces. Raises AgentViewError when the session cannot be read."""
    hide: Hide = UNMASKED if report is None else report.hide
    heading = heading_of(ref, hide)
    if form == "json":
        chosen = None if part.whole else _chosen(load_session(ref), part)
        return json_document(ref, heading, chosen, hide)
    store = load_session(ref)
    level = DetailLevel(options.detail) if options.detail else None
    if form == "html":
        return _encoded(_page(store, heading, part, hide, level))
    from agentview.export.markdown import markdown_document

    texts = markdown_document(
        store,
        heading,
        part,
        hide,
        str if report is None else report.hide_patch,
        level=level or DetailLevel.SUMMARY,
        limit=options.max_chars,
    )
    return _encoded(texts)


def _page(
    store: SessionStore, heading: Heading, part: Part, hide: Hide, level: DetailLevel | None
) -> Iterator[str]:
    # The screen's renderers take longer to import than most commands take to run.
    from agentview.settings.reading import read_settings
    from agentview.ui.page.document import page

    preferences = read_settings(os.environ).settings.preferences(level, live=False)
    return page(store, heading, part, hide, level=level, level_of=preferences.level)


def _encoded(texts: Iterable[str]) -> Iterator[bytes]:
    return (text.encode("utf-8", "replace") for text in texts)


def _chosen(store: SessionStore, part: Part) -> Chosen:
    events: set[str] = set()
    calls: set[str] = set()
    agents: dict[SessionStore, None] = {}
    for entry in entries(store, part, UNMASKED):
        events.update(event.id for event in entry.activity.events)
        calls.update(_call_ids(entry))
        agents.update(dict.fromkeys(entry.agents))
    waiting = list(agents)
    while waiting:
        for entry in entries(waiting.pop(), Part(), UNMASKED):
            calls.update(_call_ids(entry))
            waiting += [agent for agent in entry.agents if agent not in agents]
            agents.update(dict.fromkeys(entry.agents))
    return Chosen(frozenset(events), frozenset(calls))


def _call_ids(entry: Entry) -> Iterator[str]:
    if isinstance(entry.activity.body, ToolCall):
        yield entry.activity.body.call_id


def _write(pieces: Iterable[bytes], output: str | None) -> None:
    """Write to standard output, or to a file that is there only once it is whole."""
    if output is None or output == PIPE:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.flush()
        return
    path = Path(output).expanduser()
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise AgentViewError(f"Cannot write {path}: {error.strerror}.") from error
    try:
        # Only this user may read it: what is handed over is for the person to say.
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
        Path(name).replace(path)
    except OSError as error:
        raise AgentViewError(f"Cannot write {path}: {error.strerror}.") from error
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()
