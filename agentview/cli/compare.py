"""`agentview compare`: two sessions side by side, as a table or as JSON."""

import argparse
import sys
from collections.abc import Iterator, Sequence

from agentview.cli.comparison import (
    ComparedSession,
    ComparedTurn,
    PromptPair,
    aligned_prompts,
    compared_session,
)
from agentview.cli.session_table import short_ids
from agentview.cli.sheet import Line, Tone, put
from agentview.cli.table import table_lines
from agentview.cli.terminal import columns
from agentview.errors import UsageError
from agentview.export.encoding import Object, cost_fields, iso_time, to_json_document
from agentview.file_changes.net_diff import FileNet
from agentview.redaction.secrets import masked
from agentview.redaction.values import masked_value
from agentview.targets.log_file import PIPE, Choice
from agentview.targets.session_line import home_relative
from agentview.targets.session_query import info_of
from agentview.targets.target import resolve
from agentview.timeline.cost import Cost
from agentview.timeline.format_numbers import UNKNOWN, span, tokens
from agentview.timeline.sanitize import one_line

_PROMPT = 40
"""Characters of a prompt that are shown."""
_LEAST = {"": 12, "A": 8, "B": 8}
_SPARE = ("DIFFERENCE",)
_SAME = "="

Row = tuple[str, str, str, str]
"""What is compared, what each side has, and the difference."""


def run(options: argparse.Namespace) -> int:
    """Print the comparison."""
    if PIPE in (options.a, options.b):
        raise UsageError("Standard input cannot be compared.", "Give two sessions.")
    choice = Choice(options.provider, options.project)
    refs = [resolve(target, choice) for target in (options.a, options.b)]
    if refs[0] == refs[1]:
        raise UsageError("A and B are the same session.", "Give two sessions.")
    a, b = (compared_session(info_of(ref)) for ref in refs)
    pairs = list(aligned_prompts(a.turns, b.turns))
    if options.json:
        document = _document(a, b, pairs)
        sys.stdout.buffer.write(
            to_json_document(masked_value(document) if options.mask else document)
        )
        return 0
    lines = table_lines(_columns(a, b, pairs), columns(), _LEAST, _SPARE)
    put([_styled(masked(line) if options.mask else line) for line in lines])
    return 0


def _styled(line: str) -> Line:
    tone = Tone.HEAD if line[:1].strip() else Tone.PLAIN
    return [(line, tone)]


def _columns(
    a: ComparedSession, b: ComparedSession, pairs: Sequence[PromptPair]
) -> dict[str, list[str]]:
    rows = [*_facts(a, b), *_tools(a, b), *_files(a, b), *_prompts(pairs), *_results(a, b)]
    heads = ("", "A", "B", "DIFFERENCE")
    return {
        head: [head, *(one_line(row[at]) if at else row[at] for row in rows)]
        for at, head in enumerate(heads)
    }


def _facts(a: ComparedSession, b: ComparedSession) -> Iterator[Row]:
    ids = short_ids(each.info.ref.session_id for each in (a, b))
    yield _words("session", *(ids[each.info.ref.session_id] for each in (a, b)))
    yield _words("title", *(each.info.title or UNKNOWN for each in (a, b)))
    yield _words("provider", *(each.info.ref.provider for each in (a, b)))
    yield _words("model", *(each.info.model or UNKNOWN for each in (a, b)))
    yield _words("project", *(home_relative(each.info.project) for each in (a, b)))
    yield _count("prompts", len(a.turns), len(b.turns))
    yield _count("calls", sum(a.tools.values()), sum(b.tools.values()))
    yield _count("problems", a.problems, b.problems)
    yield _count("files changed", len(a.files), len(b.files))
    yield ("tokens", tokens(a.tokens), tokens(b.tokens), _difference(a.tokens, b.tokens))
    yield ("cost", a.cost.text(), b.cost.text(), _cost_difference(a.cost, b.cost))
    for name in ("model", "tools", "person"):
        one, other = getattr(a.time, name), getattr(b.time, name)
        yield (f"time: {name}", span(one), span(other), _span_difference(one, other))


def _words(name: str, a: str, b: str) -> Row:
    return (name, a, b, _SAME if a == b else "")


def _count(name: str, a: int, b: int) -> Row:
    return (name, f"{a:,}", f"{b:,}", _difference(a, b))


def _difference(a: int | None, b: int | None) -> str:
    if a is None or b is None:
        return UNKNOWN
    return _SAME if a == b else f"{b - a:+,}"


def _span_difference(a: float | None, b: float | None) -> str:
    if a is None or b is None:
        return UNKNOWN
    return _SAME if span(a) == span(b) else f"{'+' if b > a else '-'}{span(abs(b - a))}"


def _cost_difference(a: Cost, b: Cost) -> str:
    if a.shown is None or b.shown is None:
        return UNKNOWN
    return _SAME if a.shown == b.shown else f"{b.shown - a.shown:+,.4f}"


def _tools(a: ComparedSession, b: ComparedSession) -> Iterator[Row]:
    names = dict.fromkeys((*a.tools, *b.tools))
    if names:
        yield ("TOOLS", "", "", "")
    for name in names:
        yield _count(f"  {one_line(name)}", a.tools.get(name, 0), b.tools.get(name, 0))


def _files(a: ComparedSession, b: ComparedSession) -> Iterator[Row]:
    paths = sorted({*a.files, *b.files})
    if paths:
        yield ("FILES", "", "", "")
    for path in paths:
        nets = a.files.get(path), b.files.get(path)
        one, other = map(_net, nets)
        same = all(net is not None and net.hunks for net in nets) and (
            getattr(nets[0], "hunks", None) == getattr(nets[1], "hunks", None)
        )
        yield (f"  {one_line(path)}", one, other, _SAME if same else "")


def _net(net: FileNet | None) -> str:
    """Return what became of a file: nothing where a session did not change it."""
    if net is None:
        return "not changed"
    if net.added is None or net.removed is None:
        return f"{net.mark.value} {UNKNOWN}"
    return f"{net.mark.value} +{net.added} -{net.removed}"


def _prompts(pairs: Sequence[PromptPair]) -> Iterator[Row]:
    if pairs:
        yield ("PROMPTS", "", "", "")
    for pair in pairs:
        if pair.same or pair.a is None or pair.b is None:
            shown = pair.a or pair.b
            text = "" if shown is None else f"{shown.number} {one_line(shown.prompt, _PROMPT)}"
            yield (f"  {text}", _turn(pair.a), _turn(pair.b), _SAME if pair.same else "")
        else:
            yield (f"  {pair.a.number} {one_line(pair.a.prompt, _PROMPT)}", _turn(pair.a), "", "")
            yield (f"  {pair.b.number} {one_line(pair.b.prompt, _PROMPT)}", "", _turn(pair.b), "")


def _turn(turn: ComparedTurn | None) -> str:
    if turn is None:
        return ""
    failed = f", {turn.problems} failed" if turn.problems else ""
    return f"{turn.calls} calls{failed}, {tokens(turn.tokens)}, {span(turn.seconds)}"


def _results(a: ComparedSession, b: ComparedSession) -> Iterator[Row]:
    yield ("RESULT", "", "", "")
    yield _words("  state", *(each.info.status.label for each in (a, b)))
    yield _words("  last message", *(one_line(each.answer or UNKNOWN, 200) for each in (a, b)))


def _document(a: ComparedSession, b: ComparedSession, pairs: Sequence[PromptPair]) -> Object:
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
            for pair in pairs
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
        "seconds": {name: getattr(time, name) for name in time.field_names},
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
