"""`agentview blame`: which session wrote each line of a file."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha1
from pathlib import Path
from typing import Any

from msgspec.structs import astuple
from rich.cells import cell_len, set_cell_size

from agentview.cli.output.terminal import columns, writes_unicode
from agentview.errors import UsageError
from agentview.redaction.secrets import masked
from agentview.redaction.values import masked_value
from agentview.reports.blame.commits import Commits, commit_at
from agentview.reports.blame.file_past import Writer, past_of, pasts_of, until
from agentview.reports.blame.lines import (
    BlamedLine,
    blamed_lines,
    file_lines,
    lines_of,
    masked_lines,
    named_lines,
    origin_of,
)
from agentview.reports.export.encoding import iso_time, to_json_document
from agentview.sessions.targets.log_file import chosen_providers
from agentview.sessions.targets.session_line import short_ids
from agentview.timeline.view.format_numbers import UNKNOWN, counted
from agentview.timeline.view.sanitize import clean, one_line

_PROMPT = 32
"""Characters of a prompt that are shown."""
_NOBODY = "0" * 40
"""The commit that git gives a line that is in no commit."""


def run(options: argparse.Namespace) -> int:
    """Print the lines with their writers; sessions that were not read go to standard error."""
    chosen_providers(options.provider)
    if (options.file is None) == (options.commit is None):
        raise UsageError(
            "Give a file, or --commit REV for the lines of a commit.",
            "See 'agentview blame --help'.",
        )
    if options.commit is not None:
        return _run_commit(options)
    path, first, last = named_lines(options.file)
    texts = file_lines(path)
    if first > len(texts) or (last is not None and last < first):
        raise UsageError(
            f"{path.name} has {len(texts)} lines.", f"Give lines from 1 to {len(texts)}."
        )
    past = past_of(path, options.provider)
    lines = blamed_lines(texts, past.changes)
    if options.mask:
        lines = masked_lines(lines)
    lines = lines[first - 1 : last]
    if options.json:
        document = {"file": str(path), "lines": [_fields(line) for line in lines]}
        sys.stdout.buffer.write(
            to_json_document(masked_value(document) if options.mask else document)
        )
    else:
        shown = _porcelain(lines, path.name) if options.porcelain else _table(lines, columns())
        for line in shown:
            print(masked(line) if options.mask else line)
    _name_unreadable(past.unreadable)
    return 0


def _name_unreadable(unreadable: Iterable[tuple[str, str]]) -> None:
    sys.stdout.flush()
    for log, message in unreadable:
        print(f"agentview: not read: {clean(log)}: {message}", file=sys.stderr)


def _run_commit(options: argparse.Namespace) -> int:
    """Print the lines that a commit added with their writers, by file."""
    commit = commit_at(options.commit, Path.cwd())
    written = [file for file in commit.files if file.added]
    paths = [commit.top / file.path for file in written]
    pasts = pasts_of(paths, options.provider) if paths else {}
    files: list[tuple[str, list[BlamedLine]]] = []
    for path, file in zip(paths, written, strict=True):
        lines = blamed_lines(lines_of(file.new), until(pasts[path].changes, commit.time))
        lines = masked_lines(lines) if options.mask else lines
        wanted = file.added
        files.append((file.path, [line for line in lines if line.number in wanted]))
    if options.json:
        document = _commit_fields(commit, files)
        sys.stdout.buffer.write(
            to_json_document(masked_value(document) if options.mask else document)
        )
    else:
        for line in _commit_text(commit, files, options):
            print(masked(line) if options.mask else line)
    _name_unreadable(dict.fromkeys(each for past in pasts.values() for each in past.unreadable))
    return 0


Files = Sequence[tuple[str, Sequence[BlamedLine]]]
"""Files of a commit with the lines that it added."""


def _commit_text(commit: Commits, files: Files, options: argparse.Namespace) -> Iterator[str]:
    if options.porcelain:
        for name, lines in files:
            yield from _porcelain(lines, name)
        return
    width = columns()
    yield _fitted(f"commit {commit.hash[:12]} {one_line(commit.subject)}", width)
    yield from (_fitted(line, width) for line in _writers(files))
    for name, lines in files:
        yield ""
        yield _fitted(clean(name), width)
        yield from _table(lines, width)


def _writers(files: Files) -> Iterator[str]:
    """How many lines each session wrote, the most first; those that none did last."""
    counts = Counter(line.writer and line.writer.info.ref for _, lines in files for line in lines)
    ids = short_ids(ref.session_id for ref in counts if ref is not None)
    titles = {
        line.writer.info.ref: line.writer.info.title
        for _, lines in files
        for line in lines
        if line.writer is not None
    }
    for ref, count in sorted(counts.items(), key=lambda pair: (pair[0] is None, -pair[1])):
        if ref is None:
            yield f"  {counted(count, 'line')}  {UNKNOWN}"
        else:
            title = one_line(titles[ref] or UNKNOWN)
            yield f"  {counted(count, 'line')}  {one_line(ids[ref.session_id])}  {title}"


def _commit_fields(commit: Commits, files: Files) -> dict[str, Any]:
    return {
        "commit": commit.hash,
        "subject": commit.subject,
        "time": iso_time(commit.time),
        "files": [
            {"file": name, "lines": [_fields(line) for line in lines]} for name, lines in files
        ],
    }


def _fitted(text: str, width: int | None) -> str:
    return text if width is None else _cut(text, width)


def _fields(line: BlamedLine) -> dict[str, Any]:
    writer = line.writer
    if writer is None:
        return {"line": line.number, "text": line.text, "session": None}
    ref = writer.info.ref
    return {
        "line": line.number,
        "text": line.text,
        "session": ref.session_id,
        "provider": ref.provider,
        "log": ref.path,
        "turn": writer.turn,
        "prompt": writer.prompt,
        "time": iso_time(writer.time),
        "tool": writer.tool,
        "call": writer.call_id,
        "event": writer.event_id,
        "subagent": writer.subagent,
        "exact": line.exact,
    }


def _table(lines: Sequence[BlamedLine], width: int | None) -> Iterator[str]:
    """A line each: session, turn, prompt and time where they change, then the text."""
    ids = short_ids(line.writer.info.ref.session_id for line in lines if line.writer is not None)
    digits = len(str(lines[-1].number)) if lines else 1
    bar = "│" if writes_unicode() else "|"
    known = [astuple(origin_of(line, ids, _PROMPT)) for line in lines]
    sizes = [max((cell_len(row[at]) for row in known), default=0) for at in range(4)]
    before: tuple[str, ...] = ()
    for line, row in zip(lines, known, strict=True):
        shown = ("",) * 4 if row == before else row
        before = row
        columns_ = " ".join(map(set_cell_size, shown, sizes))
        text = f"{columns_} {line.number:>{digits}} {bar} {clean(line.text)}"
        yield _fitted(text, width)


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def _porcelain(lines: Sequence[BlamedLine], name: str) -> Iterator[str]:
    """The form of `git blame --line-porcelain`: a call in the place of a commit."""
    for line in lines:
        writer = line.writer
        yield f"{_call(writer)} {line.number} {line.number} 1"
        if writer is None:
            yield from ("author –", "summary –")
        else:
            ref, time = writer.info.ref, writer.time
            yield f"author {one_line(ref.provider)}"
            yield f"author-mail <{one_line(ref.session_id)}>"
            yield from [] if time is None else [f"author-time {int(time)}", "author-tz +0000"]
            yield f"summary {one_line(writer.prompt or UNKNOWN)}"
        yield f"filename {clean(name)}"
        yield f"\t{clean(line.text)}"


def _call(writer: Writer | None) -> str:
    """Forty hexadecimal digits that name a call."""
    if writer is None:
        return _NOBODY
    return sha1(writer.event_id.encode(), usedforsecurity=False).hexdigest()
