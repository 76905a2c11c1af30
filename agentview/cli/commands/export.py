"""`agentview export`: a session as a page, a text or a picture to hand over, without secrets."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentview.cli.output.progress import Progress
from agentview.cli.standard_input import piped_session
from agentview.domain.session import SessionRef
from agentview.errors import UsageError
from agentview.reports.export.document.entries import Part, turns_of
from agentview.reports.export.document.mask_report import MaskReport
from agentview.reports.export.document.request import ENDINGS, ExportRequest, Form, Frame, form_of
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.target import resolve
from agentview.system.progress import say
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import byte_size


def run(options: argparse.Namespace) -> int:
    """Write the session; what was masked goes to standard error."""
    choice = Choice(options.provider, options.project)
    if options.target != PIPE:
        with Progress():
            ref = resolve(options.target, choice)
        return _export(ref, options)
    with piped_session(choice.provider) as piped:
        return _export(piped, options)


def _export(ref: SessionRef, options: argparse.Namespace) -> int:
    # The screen's package: what draws is imported where it is drawn with.
    from agentview.ui.page.session_document import document, write_document

    request = _request(options)
    if options.check and options.no_mask:
        raise UsageError("--check looks for what would be masked.", "Leave out --no-mask.")
    report = MaskReport()
    pieces = document(ref, request, None if options.no_mask else report)
    with Progress() as progress:
        progress.say("reading the session")
        if options.check:
            for _ in _counted(pieces):
                pass
        elif options.output is None or options.output == PIPE:
            for piece in pieces:
                progress.hide()
                sys.stdout.buffer.write(piece)
            sys.stdout.flush()
        else:
            write_document(_counted(pieces), Path(options.output).expanduser())
    if not options.no_mask:
        done = "to be masked" if options.check else "masked"
        print("\n".join(report.lines(done)), file=sys.stderr)
    return 1 if options.check and report.secrets else 0


def _counted(pieces: Iterable[bytes]) -> Iterator[bytes]:
    done = 0
    for piece in pieces:
        yield piece
        done += len(piece)
        say(f"{byte_size(done)} made")


def _request(options: argparse.Namespace) -> ExportRequest:
    from agentview.cli.commands.cat import chosen_kinds

    first, last = turns_of(options.turns) if options.turns else (0, None)
    form = Form(options.format) if options.format else _form(options.output)
    if options.theme is not None:
        from agentview.ui.themes import check_theme

        check_theme(options.theme)
    top, bottom = options.rows
    return ExportRequest(
        form=form,
        part=Part(first, last, chosen_kinds(options.only)),
        level=DetailLevel(options.detail) if options.detail else None,
        limit=options.max_chars,
        frame=Frame(options.columns, top, bottom, theme=options.theme),
    )


def _form(output: str | None) -> Form:
    form = form_of(output or "")
    if form is None and output is not None and Path(output).suffix:
        raise UsageError(
            f"No format has the ending of {output}.",
            f"Endings: {', '.join(ENDINGS)}. --format selects a format for any other name.",
        )
    return form or Form.HTML
