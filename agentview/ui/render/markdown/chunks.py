"""A Markdown text in chunks that mean the same each by itself, found without parsing it."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from agentview.domain.value import Value

_ENOUGH = 1_200
"""Characters from which a chunk ends at the next place where it can."""

_ITEM_WEIGHT = 40
"""Characters that take as long as an item with a bullet. Other lists are cut less often: a part
of one begins with the number that is written there."""

_BULLETS = ("-", "*", "+")
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_ITEM = re.compile(r"(?:\d{1,9})?([-*+]|(?<=\d)[.)])(?:\s|$)")
_RAW = re.compile(r" {0,3}<(?:(script|pre|style|textarea)\b|(!--))", re.IGNORECASE)
_DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\]]+\]:\s*\S")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:")


class Chunk(Value):
    """Some blocks of a text; code when `info` (what stands behind a fence) is not None."""

    text: str
    size: int
    """Characters that it takes of the whole text."""
    info: str | None = None
    begins: str = ""
    """Sign of the list that it begins with; empty when it begins with none."""
    ends: str = ""
    """Sign of the list that it ends within, which the next one may go on with."""


def definitions(lines: Sequence[str], most: int) -> str:
    """The first `most` lines that say where links lead, wherever they are."""
    found = (line for line in lines if "]:" in line and _DEFINITION.match(line))
    return "\n".join(islice(found, most))


def chunks(lines: Sequence[str]) -> Iterator[Chunk]:
    """The text of clean lines in chunks of some thousand characters, fences by themselves."""
    taken: list[str] = []
    weight, start = 0, 0
    fence, raw, in_list, blank = "", "", "", True
    while start < len(lines):
        line = lines[start]
        if fence or raw:
            fence = "" if fence and _closes(line.lstrip(), fence) else fence
            raw = "" if raw and raw in line.lower() else raw
        elif line[:1] not in ("", " "):
            item = _sign(line)
            opened = _FENCE.match(line)
            goes_on = item != "" and item == in_list
            another = blank or _begins_another(line, lines[start - 1], item, in_list)
            apart = another and weight >= _ENOUGH and not goes_on
            long_list = goes_on and weight >= 2 * _ENOUGH
            if taken and (opened or apart or long_list):
                yield _chunk(taken, in_list)
                taken, weight = [], 0
            if opened:
                end = _fence_end(lines, start, opened[1])
                text = "\n".join(lines[start + 1 : end])
                last = min(end + 1, len(lines))
                whole = sum(map(len, lines[start:last])) + last - start
                yield Chunk(f"{text}\n" if text else "", whole, opened[2].strip())
                start, in_list, blank = last, "", True
                continue
            in_list = item or ("" if blank else in_list)
            weight += _ITEM_WEIGHT if item in _BULLETS else 0
            raw = _raw_end(line)
            # A definition of a footnote would count as one of a link, and vanish.
            line = f"\\{line}" if line[:2] == "[^" and _FOOTNOTE.match(line) else line
        else:
            opened = _FENCE.match(line.lstrip())
            fence = opened[1] if opened else ""
        blank = not line and not fence and not raw
        taken.append(line)
        weight += len(line) + 1
        start += 1
    if taken:
        yield _chunk(taken, in_list)


def _sign(line: str) -> str:
    """What tells a list from another: the sign of the item that a line begins; empty for none."""
    found = _ITEM.match(line)
    return found[1] if found else ""


def _begins_another(line: str, before: str, item: str, in_list: str) -> bool:
    """Whether a line begins another list than the one that it follows without an empty line."""
    if not in_list or item not in _BULLETS or item == in_list:
        return False
    # An empty item after a text would underline it.
    return line.rstrip() != item or before.rstrip() in _BULLETS


def _chunk(lines: Sequence[str], in_list: str) -> Chunk:
    text = "\n".join(lines)
    return Chunk(text, len(text) + 1, begins=_sign(lines[0]), ends=in_list)


def _raw_end(line: str) -> str:
    """What ends the HTML that a line begins and does not end; empty for none."""
    found = _RAW.match(line)
    if found is None:
        return ""
    end = "-->" if found[2] else f"</{found[1].lower()}>"
    return "" if end in line.lower() else end


def _fence_end(lines: Sequence[str], start: int, fence: str) -> int:
    """The line that closes a fence, or the one behind the last."""
    for index in range(start + 1, len(lines)):
        if _closes(lines[index], fence):
            return index
    return len(lines)


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return (
        len(stripped) >= len(fence)
        and not stripped.strip(fence[0])
        and len(line) - len(line.lstrip()) < 4
    )
