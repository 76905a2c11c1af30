"""Finds changes of files in the words of the model."""

import re
from collections.abc import Collection, Iterator, Mapping

from agentview.domain.value import Value
from agentview.providers.aider.tools import BLOCK, PATCH, WHOLE

_FENCE = re.compile(r"(`{3,}|<(?:source|code|pre|codeblock|sourcecode)>)[ \t]*(\S*)[ \t]*")
_SEARCH = re.compile(r"<{5,9} SEARCH>?\s*")
_DIVIDER = re.compile(r"={5,9}\s*")
_REPLACE = re.compile(r">{5,9} REPLACE\s*")
_NEW_NAME = re.compile(r"\+\+\+ (?:b/)?(\S.*)")


class Change(Value):
    """A change that the model wrote down, in one of the forms that it is asked for."""

    form: str
    path: str
    arguments: Mapping[str, object]


def parts(text: str, applied: Collection[str]) -> Iterator[str | Change]:
    """Words and changes in order; a file as a whole is one only where it was applied."""
    lines = text.split("\n")
    said: list[str] = []
    at = 0
    name = ""
    while at < len(lines):
        found = _fence(lines, at, applied, name)
        if found is None:
            said.append(lines[at])
            name = _name(lines[at]) or name
            at += 1
            continue
        changes, end, named = found
        words = "\n".join(said[:-1] if named and said else said).strip()
        if words:
            yield words
        said = []
        yield from changes
        name = changes[-1].path or name
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


def _fence(
    lines: list[str], start: int, applied: Collection[str], name: str
) -> tuple[list[Change], int, bool] | None:
    """Changes in the fence that begins here, the line behind it, and if its name is before it."""
    opening = _FENCE.fullmatch(lines[start])
    if opening is None:
        return _bare(lines, start, name)
    before = _name(lines[start - 1]) if start else ""
    close = opening[1] if opening[1].startswith("`") else f"</{opening[1][1:]}"
    end = next((at for at in range(start + 1, len(lines)) if lines[at].strip() == close), None)
    stop = len(lines) if end is None else end
    body = lines[start + 1 : stop]
    behind = stop if end is None else stop + 1
    if any(_SEARCH.fullmatch(line) for line in body):
        # The name may be the first line in the fence.
        inside = next(iter(body), "")
        named = before or ("" if _SEARCH.fullmatch(inside) else _name(inside)) or name
        return list(_replacements(body, named)), behind, bool(before)
    if opening[2] in ("diff", "udiff") and applied:
        path = next((m[1].strip() for line in body if (m := _NEW_NAME.fullmatch(line))), "")
        return [Change(PATCH, path, {"patch": "\n".join(body)})], behind, False
    if before in applied and end is not None:
        return (
            [Change(WHOLE, before, {"path": before, "content": "\n".join([*body, ""])})],
            behind,
            True,
        )
    return None


def _bare(lines: list[str], start: int, name: str) -> tuple[list[Change], int, bool] | None:
    """A block without a fence."""
    if _SEARCH.fullmatch(lines[start]) is None:
        return None
    end = next((at for at in range(start, len(lines)) if _REPLACE.fullmatch(lines[at])), None)
    if end is None:
        return None
    before = _name(lines[start - 1]) if start else ""
    return list(_replacements(lines[start : end + 1], before or name)), end + 1, bool(before)


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
