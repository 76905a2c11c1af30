"""A difference as text that `git apply` takes: git's own form of unified diffs."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from agentview.facts.edits.net_diff import ChangeMark, FileNet

_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_FILE_MODE = "100644"
_NOWHERE = "/dev/null"


def quoted(name: str) -> str:
    """A name as git writes it: in quotes, with escapes, when it has characters that need them."""
    data = name.encode("utf-8", "surrogateescape" if _has_bytes(name) else "replace")
    if all(32 <= byte < 127 and byte not in (34, 92) for byte in data):
        return name
    parts = [
        f"\\{_ESCAPES[byte]}"
        if byte in _ESCAPES
        else chr(byte)
        if 32 <= byte < 127
        else f"\\{byte:03o}"
        for byte in data
    ]
    return f'"{"".join(parts)}"'


def _has_bytes(name: str) -> bool:
    return any("\udc80" <= char <= "\udcff" for char in name) and not any(
        "\ud800" <= char < "\udc80" for char in name
    )


def with_returns(net: FileNet) -> FileNet:
    """The difference of a file that was there before, each line with a carriage return at its end.

    For files with the line ends of Windows whose log leaves them out; one that has any stays as it
    is.
    """
    lines = [line for hunk in net.hunks for line in hunk.lines]
    if net.mark is ChangeMark.NEW or any(line.endswith("\r") for line in lines):
        return net
    hunks = tuple(replace(hunk, lines=_returned(hunk.lines)) for hunk in net.hunks)
    return replace(net, hunks=hunks)


def _returned(lines: Sequence[str]) -> tuple[str, ...]:
    """Lines with carriage returns, but for notes and for lines that a note says have no end."""
    followers = (*lines[1:], "")
    return tuple(
        line if "\\" in (line[:1], follower[:1]) else line + "\r"
        for line, follower in zip(lines, followers, strict=True)
    )


def file_lines(net: FileNet, old: str, new: str) -> Iterator[str]:
    """Lines of the patch of one file, each with its end; none when nothing changed."""
    if net.mark in (ChangeMark.READ, ChangeMark.SAME, ChangeMark.UNKNOWN):
        return
    if net.mark is ChangeMark.NEW:
        old = new
    elif net.mark is ChangeMark.DELETED:
        new = old
    yield f"diff --git {quoted('a/' + old)} {quoted('b/' + new)}\n"
    if net.mark is ChangeMark.NEW:
        yield f"new file mode {net.modes[1] if net.modes else _FILE_MODE}\n"
    elif net.mark is ChangeMark.DELETED:
        yield f"deleted file mode {net.modes[0] if net.modes else _FILE_MODE}\n"
    else:
        yield from _changed_header(net, old, new)
    if not net.hunks:
        return
    yield f"--- {_NOWHERE if net.mark is ChangeMark.NEW else _named('a/' + old)}\n"
    yield f"+++ {_NOWHERE if net.mark is ChangeMark.DELETED else _named('b/' + new)}\n"
    for hunk in net.hunks:
        old_range = _range(hunk.old_start, hunk.old_lines)
        new_range = _range(hunk.new_start, hunk.new_lines)
        yield f"@@ -{old_range} +{new_range} @@\n"
        for line in hunk.lines:
            yield line + "\n"


def _changed_header(net: FileNet, old: str, new: str) -> Iterator[str]:
    if net.modes is not None and net.modes[0] != net.modes[1]:
        yield f"old mode {net.modes[0]}\n"
        yield f"new mode {net.modes[1]}\n"
    if net.mark is ChangeMark.MOVED:
        if not net.hunks:
            yield "similarity index 100%\n"
        yield f"rename from {quoted(old)}\n"
        yield f"rename to {quoted(new)}\n"


def _named(name: str) -> str:
    """A name on a `---` line; one with a blank is followed by a tab, which says where it ends."""
    text = quoted(name)
    return text + "\t" if " " in text and not text.startswith('"') else text


def _range(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"
