"""Finds changes of files in the words of the model."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from agentview.domain.value import Value
from agentview.providers.aider.tools import BLOCK, PATCH, WHOLE

_FENCE = re.compile(r"(`{3,}|<(?:source|code|pre|codeblock|sourcecode)>)[ \t]*(\S*)[ \t]*")
_MARKS, _ENDS = ("`", "<"), ("`", "<", ">")
_SEARCH = re.compile(r"<{5,9} SEARCH>?\s*")
_DIVIDER = re.compile(r"={5,9}\s*")
_REPLACE = re.compile(r">{5,9} REPLACE\s*")
_NEW_NAME = re.compile(r"\+\+\+ (?:b/)?(\S.*)")


class Change(Value):
    """A change that the model wrote down, in one of the forms that it is asked for."""

    form: str
    path: str
    arguments: Mapping[str, object]


class _Lines:
    """The lines of a text; where those are that a change ends with is found once for all."""

    def __init__(self, text: str) -> None:
        self.texts = text.split("\n")

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for at, line in enumerate(self.texts):
            bare = line.strip()
            if bare[:1] in _ENDS:
                form = next((p.pattern for p in (_SEARCH, _REPLACE) if p.fullmatch(line)), bare)
                found.setdefault(form, []).append(at)
        return found

    def next(self, form: str, start: int) -> int | None:
        """The first line from `start` on that is this text, or that fits this pattern."""
        places = self._places.get(form, ())
        at = bisect_left(places, start)
        return places[at] if at < len(places) else None


def parts(text: str, applied: Collection[str]) -> Iterator[str | Change]:
    """Words and changes in order; a file as a whole is one only where it was applied."""
    whole = _Lines(text)
    lines = whole.texts
    said: list[str] = []
    at = 0
    name = ""
    while at < len(lines):
        # Nearly no line begins so.
        found = _fence(whole, at, applied, said, name) if lines[at][:1] in _MARKS else None
        if found is None:
            said.append(lines[at])
            at += 1
            continue
        changes, end, named = found
        words = "\n".join(said[:-1] if named and said else said).strip()
        if words:
            yield words
        yield from changes
        name = changes[-1].path or _last_name(said, name)
        said = []
        at = end
    words = "\n".join(said).strip()
    if words:
        yield words


def _name(line: str) -> str:
    """The file that a line in front of a fence names; none where it says more."""
    bare = line.strip().rstrip(":").strip("#*` ").strip()
    return (
        bare
        if bare and (" " not in bare or "." in bare.rsplit("/", 1)[-1]) and len(bare) < 300
        else ""
    )


def _last_name(said: list[str], name: str) -> str:
    return next((found for line in reversed(said) if (found := _name(line))), name)


def _fence(
    whole: _Lines, start: int, applied: Collection[str], said: list[str], name: str
) -> tuple[list[Change], int, bool] | None:
    """Changes in the fence that begins here, the line behind it, and if its name is before it."""
    lines = whole.texts
    opening = _FENCE.fullmatch(lines[start])
    if opening is None:
        return _bare(whole, start, said, name)
    before = _name(lines[start - 1]) if start else ""
    close = opening[1] if opening[1].startswith("`") else f"</{opening[1][1:]}"
    end = whole.next(close, start + 1)
    stop = len(lines) if end is None else end
    behind = stop if end is None else stop + 1
    first = whole.next(_SEARCH.pattern, start + 1)
    if first is not None and first < stop:
        # The name may be the first line in the fence.
        named = before or ("" if first == start + 1 else _name(lines[start + 1]))
        named = named or _last_name(said, name)
        return list(_replacements(lines[start + 1 : stop], named)), behind, bool(before)
    if opening[2] in ("diff", "udiff") and applied:
        body = lines[start + 1 : stop]
        path = next((m[1].strip() for line in body if (m := _NEW_NAME.fullmatch(line))), "")
        return [Change(PATCH, path, {"patch": "\n".join(body)})], behind, False
    if before in applied and end is not None:
        content = "\n".join([*lines[start + 1 : stop], ""])
        return [Change(WHOLE, before, {"path": before, "content": content})], behind, True
    return None


def _bare(
    whole: _Lines, start: int, said: list[str], name: str
) -> tuple[list[Change], int, bool] | None:
    """A block without a fence."""
    lines = whole.texts
    if _SEARCH.fullmatch(lines[start]) is None:
        return None
    end = whole.next(_REPLACE.pattern, start)
    if end is None:
        return None
    before = _name(lines[start - 1]) if start else ""
    named = before or _last_name(said, name)
    return list(_replacements(lines[start : end + 1], named)), end + 1, bool(before)


def _replacements(lines: list[str], path: str) -> Iterator[Change]:
    """The blocks of a fence; one that does not end counts as far as it goes."""
    old: list[str] = []
    new: list[str] = []
    into: list[str] | None = None
    for line in lines:
        if _SEARCH.fullmatch(line):
            old, new = [], []
            into = old
        elif into is old and _DIVIDER.fullmatch(line):
            into = new
        elif into is not None and _REPLACE.fullmatch(line):
            yield _replacement(path, old, new)
            into = None
        elif into is not None:
            into.append(line)
    if into is not None:
        yield _replacement(path, old, new)


def _replacement(path: str, old: list[str], new: list[str]) -> Change:
    texts = {"search": _text(old), "replace": _text(new)}
    return Change(BLOCK, path, {"path": path, **texts})


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
