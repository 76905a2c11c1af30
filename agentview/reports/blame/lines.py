"""The lines of a file with the calls that wrote them."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.errors import NotFound, Unreadable
from agentview.facts.edits.blame import Claim, blame
from agentview.facts.edits.partial_file import FileChange
from agentview.redaction.secrets import masked
from agentview.reports.blame.file_past import PastChange, Writer
from agentview.timeline.view.format_numbers import UNKNOWN, date_time
from agentview.timeline.view.sanitize import one_line

_RANGE = re.compile(r"(?P<file>.+?):(?P<first>\d+)(?:-(?P<last>\d+))?\Z", re.DOTALL)
_MOST_BYTES = 64 * 1024 * 1024
_MASKED = "[masked]"


class BlamedLine(Value):
    """A line of the file, and what wrote it; None where no recorded call did."""

    number: int
    text: str
    writer: Writer | None
    exact: bool


class LineOrigin(Value):
    """Who wrote a line, each part as short text on one line; empty where it is not known."""

    session: str
    """The short id, with `?` where another call may have written the line as well; `–` for none."""
    turn: str = ""
    prompt: str = ""
    time: str = ""


def origin_of(line: BlamedLine, ids: Mapping[str, str], chars: int = 500) -> LineOrigin:
    """Return who wrote a line; `ids` are short ids of sessions, a prompt has `chars` at most."""
    writer = line.writer
    if writer is None:
        return LineOrigin(UNKNOWN)
    doubt = "" if line.exact else "?"
    return LineOrigin(
        f"{one_line(ids[writer.info.ref.session_id])}{doubt}",
        "" if writer.turn is None else f"turn {writer.turn}",
        one_line(writer.prompt or "", chars),
        "" if writer.time is None else date_time(writer.time),
    )


def named_lines(given: str) -> tuple[Path, int, int | None]:
    """The file, first and last line that FILE, FILE:10 or FILE:10-20 names.

    The last line is None for the end of the file. Raises NotFound.
    """
    found = None if Path(given).is_file() else _RANGE.match(given)
    name = given if found is None else found["file"]
    path = Path(name).expanduser().absolute()
    if not path.is_file():
        raise NotFound(f"There is no file {name}.", "Name a file as it is now: FILE or FILE:10-20.")
    if found is None:
        return path, 1, None
    first = max(1, int(found["first"]))
    return path, first, int(found["last"] or first)


def file_lines(path: Path) -> list[str]:
    """The lines of a file as it is now. Raises Unreadable, also for one that is too large."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > _MOST_BYTES:
        raise Unreadable(f"{path} is larger than {_MOST_BYTES // 1024**2} MB.")
    return lines_of(data)


def lines_of(data: bytes) -> list[str]:
    """The lines of a text, without the end of its last one."""
    texts = data.decode("utf-8", "replace").split("\n")
    return texts[:-1] if texts[-1] == "" else texts


def blamed_lines(texts: Sequence[str], past: Sequence[PastChange]) -> list[BlamedLine]:
    """The lines with their writers. Carriage returns are left out: logs often have none."""
    changes = [_without_returns(one.change) for one in past]
    claims = blame([text.removesuffix("\r") for text in texts], changes)
    return [
        BlamedLine(number, text, *_claimed(claim, past))
        for number, (text, claim) in enumerate(zip(texts, claims, strict=True), 1)
    ]


def _without_returns(change: FileChange) -> FileChange:
    before, after = (
        tuple(item.removesuffix("\r") if isinstance(item, str) else item for item in items)
        for items in (change.before, change.after)
    )
    added = change.added
    if added is not None:
        added = frozenset(line.removesuffix("\r") for line in added)
    return FileChange(change.step, before, after, added)


def masked_lines(lines: Sequence[BlamedLine]) -> list[BlamedLine]:
    """The lines without secrets; of one that takes several lines, none is left."""
    whole = set(masked("\n".join(line.text for line in lines)).split("\n"))
    return [
        line if line.text in whole else replace(line, text=_hidden(line.text)) for line in lines
    ]


def _hidden(text: str) -> str:
    found = masked(text)
    return found if found != text else _MASKED


def _claimed(claim: Claim | None, past: Sequence[PastChange]) -> tuple[Writer | None, bool]:
    if claim is None:
        return None, True
    one = past[claim.change]
    return one.writer, claim.exact and one.certain
