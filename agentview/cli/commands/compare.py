"""`agentview compare`: two sessions side by side, as a table or as JSON."""

import argparse
import sys

from msgspec.structs import asdict

from agentview.cli.output.sheet import Line, Tone, put
from agentview.cli.output.table import table_lines
from agentview.cli.output.terminal import columns
from agentview.errors import UsageError
from agentview.facts.edits.net_diff import FileNet
from agentview.redaction.secrets import masked
from agentview.redaction.values import masked_value
from agentview.reports.comparison.rows import ComparedRow, Subject, comparison_rows
from agentview.reports.comparison.sessions import ComparedSession, ComparedTurn, Comparison, compare
from agentview.reports.export.encoding import Object, cost_fields, iso_time, to_json_document
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.session_query import info_of
from agentview.sessions.targets.target import resolve
from agentview.timeline.view.sanitize import one_line

_PROMPT = 40
"""Characters of a prompt that are shown."""
_LEAST = {"": 12, "A": 8, "B": 8}
_SPARE = ("DIFFERENCE",)
_TOP = (Subject.FACT, Subject.HEADING)


def run(options: argparse.Namespace) -> int:
    """Print the comparison."""
    if PIPE in (options.a, options.b):
        raise UsageError("Standard input cannot be compared.", "Give two sessions.")
    choice = Choice(options.provider, options.project)
    refs = [resolve(target, choice) for target in (options.a, options.b)]
    if refs[0] == refs[1]:
        raise UsageError("A and B are the same session.", "Give two sessions.")
    comparison = compare(*map(info_of, refs))
    if options.json:
        document = _document(comparison)
        sys.stdout.buffer.write(
            to_json_document(masked_value(document) if options.mask else document)
        )
        return 0
    lines = table_lines(_columns(comparison), columns(), _LEAST, _SPARE)
    put([_styled(masked(line) if options.mask else line) for line in lines])
    return 0


def _styled(line: str) -> Line:
    tone = Tone.HEAD if line[:1].strip() else Tone.PLAIN
    return [(line, tone)]


def _columns(comparison: Comparison) -> dict[str, list[str]]:
    rows = list(comparison_rows(comparison))
    return {
        "": ["", *map(_name, rows)],
        "A": ["A", *(row.a for row in rows)],
        "B": ["B", *(row.b for row in rows)],
        "DIFFERENCE": ["DIFFERENCE", *(row.difference for row in rows)],
    }


def _name(row: ComparedRow) -> str:
    """The name of a row, set in below a heading."""
    if row.subject is Subject.PROMPT:
        return f"  {one_line(row.name, _PROMPT)}"
    return row.name if row.subject in _TOP else f"  {row.name}"


def _document(comparison: Comparison) -> Object:
    a, b = comparison.a, comparison.b
    return {
        "a": _session(a),
        "b": _session(b),
        "tools": {
            name: {"a": a.tools.get(name, 0), "b": b.tools.get(name, 0)}
            for name in dict.fromkeys((*a.tools, *b.tools))
        },
        "files": {
            path: {"a": _file(a.files.get(path)), "b": _file(b.files.get(path))}
            for path in sorted({*a.files, *b.files})
        },
        "prompts": [
            {"same": pair.same, "a": _turn_fields(pair.a), "b": _turn_fields(pair.b)}
            for pair in comparison.prompts
        ],
    }


def _session(each: ComparedSession) -> Object:
    info, time = each.info, each.time
    return {
        "session": info.ref.session_id,
        "provider": info.ref.provider,
        "log": info.ref.path,
        "title": info.title,
        "model": info.model,
        "project": info.project,
        "started": iso_time(info.started),
        "state": info.status.label,
        "prompts": len(each.turns),
        "calls": sum(each.tools.values()),
        "problems": each.problems,
        "tokens": each.tokens,
        **cost_fields(each.cost),
        "seconds": asdict(time),
        "answer": each.answer,
    }


def _file(net: FileNet | None) -> Object | None:
    if net is None:
        return None
    return {"mark": net.mark.value, "added": net.added, "removed": net.removed}


def _turn_fields(turn: ComparedTurn | None) -> Object | None:
    if turn is None:
        return None
    return {
        "turn": turn.number,
        "prompt": turn.prompt,
        "calls": turn.calls,
        "problems": turn.problems,
        "tokens": turn.tokens,
        "cost": None if turn.cost is None else turn.cost.shown,
        "seconds": turn.seconds,
        "answer": turn.answer,
    }
