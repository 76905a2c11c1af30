"""`agentview diff`: what a session and its agents changed in files, as a patch."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.cells import cell_len, set_cell_size

from agentview.cli.output.pager import paged
from agentview.cli.output.terminal import columns, is_terminal, wants_colour
from agentview.cli.standard_input import piped_session
from agentview.domain.session import SessionRef
from agentview.errors import NotFound
from agentview.facts.edits.messages import doubt_sentences, missing_sentences, unnamed_sentences
from agentview.facts.edits.net_diff import ChangeMark
from agentview.facts.edits.operations import FileStep, Uncertainty
from agentview.facts.edits.patch_files import PatchFile, patch_files
from agentview.facts.edits.session_changes import SessionChanges
from agentview.redaction.secrets import masked, masked_patch
from agentview.redaction.values import masked_value
from agentview.reports.export.encoding import to_json_document
from agentview.sessions.following.whole_session import load_session
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.target import resolve
from agentview.timeline.view.format_numbers import counted, lines_changed
from agentview.timeline.view.sanitize import clean

_NARROW = 80
_LEAST_BAR = 10
_BOLD, _CYAN, _RED, _GREEN, _PLAIN = "\x1b[1m", "\x1b[36m", "\x1b[31m", "\x1b[32m", "\x1b[m"


def run(options: argparse.Namespace) -> int:
    """Print the changes; what is missing goes to standard error."""
    choice = Choice(options.provider, options.project)
    if options.target != PIPE:
        return _diff(resolve(options.target, choice), options)
    with piped_session(choice.provider) as piped:
        return _diff(piped, options)


def _diff(ref: SessionRef, options: argparse.Namespace) -> int:
    changes = SessionChanges(load_session(ref), assume_new=options.assume_new)
    changes.finish()
    files = _chosen(list(patch_files(changes, crlf=options.crlf)), options.files)
    changed = [file for file in files if file.in_patch]
    hide = masked if options.mask else str
    hide_patch = masked_patch if options.mask else str
    if options.json:
        document = _document(ref, changes, files)
        sys.stdout.buffer.write(
            to_json_document(masked_value(document) if options.mask else document)
        )
    elif options.stat:
        for line in map(hide, _stat_lines(changed, columns() or _NARROW)):
            print(_coloured_stat(line) if wants_colour() else line)
    else:
        _print_patch(changed, options, hide_patch)
    sys.stdout.flush()
    if not options.json:
        for sentence in _sentences(changes, files):
            print(f"agentview: {hide(sentence)}", file=sys.stderr)
    missing = any(file.net.missing and not file.net.unsure for file in files)
    return 1 if missing and not changed else 0


def _chosen(files: Sequence[PatchFile], wanted: Sequence[str]) -> Sequence[PatchFile]:
    """The files that are asked for by their paths or by ends of them; all when none is."""
    if not wanted:
        return files
    found: list[PatchFile] = []
    for path in wanted:
        end = "/" + path.strip("/")
        matches = [file for file in files if path == file.name or _ends(file, end)]
        if not matches:
            raise NotFound(
                f"The session did not touch {path}.", "Without --file, all that it did is shown."
            )
        found += [file for file in matches if file not in found]
    return found


def _ends(file: PatchFile, end: str) -> bool:
    return any(f"/{path}".endswith(end) for path in (file.net.path, file.net.origin))


def _print_patch(
    changed: Sequence[PatchFile], options: argparse.Namespace, hide: Callable[[str], str]
) -> None:
    # A secret may take several lines, as a key does.
    patches = (hide("".join(file.lines())) for file in changed)
    whole = (patch.removesuffix("\n") + "\n" for patch in patches)
    if not is_terminal():
        # Not a byte may be another one: no encoding of the terminal, no other ends of lines.
        for patch in whole:
            sys.stdout.buffer.write(patch.encode("utf-8", "replace"))
        return
    with paged(not options.no_pager) as write:
        for line in (line for patch in whole for line in patch[:-1].split("\n")):
            shown = clean(line)
            write(f"{_coloured(shown) if wants_colour() else shown}\n")


def _coloured(line: str) -> str:
    colour = {"+": _GREEN, "-": _RED, "@": _CYAN}.get(line[:1], "")
    if line.startswith(("+++ ", "--- ")) or line[:1] not in ("+", "-", "@", " ", "\\", ""):
        colour = _BOLD
    return f"{colour}{line}{_PLAIN}" if colour else line


def _stat_lines(changed: Sequence[PatchFile], width: int) -> Iterator[str]:
    """A line a file, as git prints them, and their sum."""
    names = [_stat_name(file) for file in changed]
    counts = [(file.net.added or 0) + (file.net.removed or 0) for file in changed]
    longest = max(map(cell_len, names), default=0)
    digits = max((len(str(count)) for count in counts), default=0)
    room = max(_LEAST_BAR, width - longest - digits - 5)
    most = max(counts, default=0)
    for file, name, count in zip(changed, names, counts, strict=True):
        added, removed = file.net.added or 0, file.net.removed or 0
        if most > room:
            added, removed = (-(-part * room // most) for part in (added, removed))
        bar = "+" * added + "-" * removed
        yield f" {set_cell_size(name, longest)} | {count:>{digits}} {bar}".rstrip()
    added = sum(file.net.added or 0 for file in changed)
    removed = sum(file.net.removed or 0 for file in changed)
    lines = lines_changed(added, removed)
    yield f" {counted(len(changed), 'file')} changed{', ' if lines else ''}{lines}"


def _stat_name(file: PatchFile) -> str:
    name = clean(file.name)
    if file.net.mark is ChangeMark.MOVED:
        return f"{clean(file.old or '')} => {name}"
    return (
        f"{name} ({file.net.mark})"
        if file.net.mark in (ChangeMark.NEW, ChangeMark.DELETED)
        else name
    )


def _coloured_stat(line: str) -> str:
    head, bar, tail = line.rpartition(" | ")
    if not bar:
        return line
    return f"{head}{bar}" + "".join(
        f"{_GREEN if char == '+' else _RED}{char}{_PLAIN}" if char in "+-" else char
        for char in tail
    )


def _sentences(changes: SessionChanges, files: Iterable[PatchFile]) -> Iterator[str]:
    """Return the changes that the patch does not have, and the doubts about those that it has."""
    if changes.root_guessed and changes.root is not None:
        yield (
            "the log does not say in which directory the session ran; paths count from "
            f"{clean(changes.root)}"
        )
    for file in files:
        yield from missing_sentences(file.net, file.name)
        known = file.net.mark not in (ChangeMark.READ, ChangeMark.SAME, ChangeMark.UNKNOWN)
        if known and not file.in_patch:
            where = f"outside of {clean(changes.root)}" if changes.root else "outside"
            yield f"{clean(file.net.path)} is not in the patch: it is {where}"
        elif not file.net.missing:
            yield from doubt_sentences(file.net, file.name)
    yield from unnamed_sentences(changes.unnamed)


def _document(
    ref: SessionRef, changes: SessionChanges, files: Iterable[PatchFile]
) -> dict[str, object]:
    return {
        "provider": ref.provider,
        "session_id": ref.session_id,
        "path": ref.path,
        "root": changes.root,
        "root_guessed": changes.root_guessed,
        "files": [_file_document(file) for file in files],
        "unnamed": [_step_document(step) for step in changes.unnamed],
    }


def _file_document(file: PatchFile) -> dict[str, object]:
    net = file.net
    return {
        "path": file.name,
        "old_path": (file.old or net.origin) if net.mark is ChangeMark.MOVED else None,
        "mark": net.mark.value,
        "added": net.added,
        "removed": net.removed,
        "in_patch": file.in_patch,
        "patch": "".join(file.lines()) if file.in_patch else None,
        "missing": [_trouble_document(trouble) for trouble in net.missing],
        "remarks": [_trouble_document(trouble) for trouble in net.remarks],
        "unsure": [_trouble_document(trouble) for trouble in net.unsure],
        "steps": [_step_document(step) for step in file.touched.steps],
    }


def _trouble_document(trouble: Uncertainty) -> dict[str, object]:
    return {"step": trouble.step.number, "reason": trouble.reason}


def _step_document(step: FileStep) -> dict[str, object]:
    return {
        "number": step.number,
        "act": step.act.value,
        "time": step.time,
        "stream": step.stream.id,
        "start": step.start,
        "limit": step.limit,
        "added": step.added,
        "removed": step.removed,
        "move_to": step.move_to,
        "command": step.words or None,
    }
