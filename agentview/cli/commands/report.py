"""`agentview report`: what sessions did while their person was away."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator

from rich.cells import cell_len, set_cell_size

from agentview.cli.output.progress import Progress
from agentview.cli.output.sheet import Line, Tone, put
from agentview.cli.output.terminal import columns
from agentview.providers import load_provider
from agentview.query.values import bound
from agentview.redaction.secrets import masked
from agentview.redaction.values import masked_value
from agentview.reports.away.json_document import report_document
from agentview.reports.away.lines import AwayLine, Item, label_of, report_lines, summary
from agentview.reports.away.markdown import markdown
from agentview.reports.away.report import AwayReport, away_report, since_seen
from agentview.reports.export.encoding import to_json_document
from agentview.sessions.targets.session_query import (
    all_annotations,
    all_sessions,
    catalogue,
    in_project,
    none_found,
    none_in_project,
)
from agentview.settings.reading import read_settings

_LEAST = 24
"""Cells of a text that are left when what stands behind it is cut."""


def run(options: argparse.Namespace) -> int:
    """Print the report; that nothing happened is an answer too."""
    now = time.time()
    after = _after(options.since, now)
    with Progress():
        found = all_sessions(options.provider)
        if not found:
            print(none_found(options.provider), file=sys.stderr)
        if options.project is not None:
            chosen = [each for each in found if in_project(each.info, options.project)]
            if found and not chosen:
                none = none_in_project(options.project, (each.info for each in found))
                print(f"{none.message} {none.hint}", file=sys.stderr)
            found = chosen
        seen = all_annotations().seen
        idle_after = 3600.0 * read_settings(os.environ).settings.board.idle_after
        report = away_report(
            found,
            since_seen(lambda info: seen(info.ref), now) if after is None else after,
            catalogue(),
            now,
            idle_after,
        )
    _print(report, options, now)
    for each in report.unreadable:
        print(f"agentview: not read: {each.path}: {each.reason}", file=sys.stderr)
    return 0


def _after(since: str | None, now: float) -> float | None:
    found = bound("--since", since, now)
    # To the minute, so that the same question is answered by what is kept.
    return None if found is None else found - found % 60


def _print(report: AwayReport, options: argparse.Namespace, now: float) -> None:
    labels = {
        each.info.ref.provider: load_provider(each.info.ref.provider).label
        for each in report.sessions
    }
    if options.json:
        document = report_document(report, now)
        document = masked_value(document) if options.mask else document
        sys.stdout.buffer.write(to_json_document(document))
        return
    hide = masked if options.mask else str
    if options.markdown:
        print("\n".join(markdown(report, labels, now, hide)))
    else:
        put(_text(report, labels, now, hide))


def _text(
    report: AwayReport, labels: dict[str, str], now: float, hide: Callable[[str], str]
) -> Iterator[Line]:
    width = columns()
    yield [(summary(report, now), Tone.HEAD)]
    for _, lines in report_lines(report, labels, hide):
        yield []
        before: AwayLine | None = None
        for line in lines:
            yield _line(line, label_of(line, before), width)
            before = line


def _line(line: AwayLine, lead: str, width: int | None) -> Line:
    is_session = line.item is Item.SESSION
    tone = Tone.WARN if line.warns else Tone.HEAD if is_session else Tone.PLAIN
    text = line.text
    if width is not None and line.detail:
        room = width - len(lead) - cell_len(line.detail) - 2
        if room >= min(cell_len(text), _LEAST) and cell_len(text) > room:
            text = f"{set_cell_size(text, max(0, room - 1)).rstrip()}…"
    detail = [("  ", Tone.PLAIN), (line.detail, Tone.FAINT)] if line.detail else []
    return [(lead, Tone.FAINT), (text, tone), *detail]
