"""What a commit, or a range of commits, changed in files, as git says it."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from agentview.domain.value import Value
from agentview.errors import NotFound, Unreadable, UsageError
from agentview.reports.blame.git import git

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_TREE = ("diff-tree", "-r", "--ignore-submodules=all", "-M")
_EXAMPLE = "Give commits, such as main..HEAD."
_FILE_MODES = (b"100644", b"100755", b"120000")
Sign = Literal[" ", "+", "-"]


class DiffLine(Value):
    """A line of a hunk, with its number in the text before and after where it is in it."""

    sign: Sign
    text: str
    old: int | None
    new: int | None


class Hunk(Value):
    """A part of a file that changed, with three lines around it."""

    old: tuple[int, int]
    """First line and number of lines in the text before, as git counts them."""
    new: tuple[int, int]
    heading: str
    """The function that it is in, by git; may be empty."""
    lines: tuple[DiffLine, ...]


class ChangedFile(Value):
    """A file that differs between two commits; paths are below the top of the working tree."""

    path: str
    """That of the later commit; of a deleted file the one that it had."""
    before: str | None
    """The path before; None for a new file."""
    status: str
    """The letter that git has for it: A, M, D, R, C or T."""
    old: bytes
    new: bytes
    """Its texts; empty where there is none, and where no line of it changed."""
    binary: bool = False
    hunks: tuple[Hunk, ...] = ()

    @property
    def added(self) -> frozenset[int]:
        return frozenset(
            line.new
            for hunk in self.hunks
            for line in hunk.lines
            if line.new is not None and line.sign == "+"
        )


class Commits(Value):
    """The last one of some commits, and how the files differ from those before them."""

    hash: str
    subject: str
    time: float
    """Of the last commit, epoch seconds."""
    top: Path
    """The working tree."""
    base: str | None
    """The commit before them; None where a root commit has none."""
    base_time: float | None
    count: int
    files: tuple[ChangedFile, ...]


def commit_at(revision: str, directory: Path) -> Commits:
    """The commit that a revision means in the repository of a directory, against its first parent.

    Raises NotFound, Unreadable and UsageError.
    """
    _refuse_option(revision)
    top = _top(directory)
    return _alone(top, revision)


def commits_of(given: str, directory: Path) -> Commits:
    """The commits of a range such as `main..HEAD`, against their merge base; or one commit.

    Raises NotFound, Unreadable and UsageError.
    """
    _refuse_option(given)
    top = _top(directory)
    heads, without = _ends(top, given)
    if len(heads) == 2 and "..." in given:
        first, _, second = given.partition("...")
        heads, without = _ends(top, f"{first}..{second}")
    if len(heads) != 1:
        raise UsageError(f"{given} is not one range of commits.", _EXAMPLE)
    if not without:
        return _alone(top, heads[0])
    found = git(top, "merge-base", without[0], heads[0], codes=(0, 1)).split()
    if not found:
        raise NotFound(f"The two ends of {given} have no commit in common.", _EXAMPLE)
    base = found[0].decode()
    count = git(top, "rev-list", "--count", heads[0], *(f"^{each}" for each in without), "--")
    return _between(top, base, heads[0], int(count))


def _refuse_option(given: str) -> None:
    if given.startswith("-"):
        raise UsageError(f"{given} is not a revision.", "Give a commit, a branch or a tag.")


def _top(directory: Path) -> Path:
    top = git(directory, "rev-parse", "--show-toplevel").rstrip(b"\n")
    return Path(os.fsdecode(top))


def _ends(top: Path, given: str) -> tuple[list[str], list[str]]:
    """The commits that a range has, and those behind which it begins."""
    try:
        found = git(top, "rev-parse", "--revs-only", given, "--").decode().split()
    except Unreadable as error:
        raise NotFound(f"There are no commits {given} in {top}.", "See 'git log'.") from error
    heads = [each for each in found if not each.startswith("^")]
    return heads, [each[1:] for each in found if each.startswith("^")]


def _alone(top: Path, revision: str) -> Commits:
    name, *_ = _facts(top, revision)
    parents = git(top, "show", "-s", "--format=%P", name, "--").decode().split()
    return _between(top, parents[0] if parents else None, name, 1)


def _facts(top: Path, revision: str) -> tuple[str, float, str]:
    """Hash, time and subject of a commit."""
    try:
        found = git(top, "show", "-s", "--format=%H%x00%ct%x00%s", f"{revision}^{{commit}}", "--")
    except Unreadable as error:
        raise NotFound(f"There is no commit {revision} in {top}.", "See 'git log'.") from error
    name, time, subject = found.decode("utf-8", "replace").rstrip("\n").split("\0", 2)
    return name, float(time), subject


def _between(top: Path, base: str | None, revision: str, count: int) -> Commits:
    head, time, subject = _facts(top, revision)
    between = (base, head) if base else ("--root", "--no-commit-id", head)
    return Commits(
        hash=head,
        subject=subject,
        time=time,
        top=top,
        base=base,
        base_time=None if base is None else _facts(top, base)[1],
        count=count,
        files=tuple(_files(top, between)),
    )


class _Entry(Value):
    """A file as git lists it: modes and ids of its texts, and its paths."""

    modes: tuple[bytes, bytes]
    ids: tuple[bytes, bytes]
    status: str
    before: bytes
    path: bytes


def _files(top: Path, between: Sequence[str]) -> Iterator[ChangedFile]:
    entries = list(_entries(git(top, *_TREE, "-z", "--raw", "--no-abbrev", *between, "--")))
    patch = git(
        top, *_TREE, "-p", "-U3", "--inter-hunk-context=0", "--no-ext-diff", "--no-textconv",
        "--no-color", "--src-prefix=a/", "--dst-prefix=b/", *between, "--",
    )  # fmt: skip
    parts = iter(_parts(patch.split(b"\n")))
    # A file that became a link is deleted and made in two parts.
    known = [
        (entry, [next(parts) for _ in range(2 if entry.status == "T" else 1)]) for entry in entries
    ]
    texts = _texts(top, (entry for entry, own in known if any(hunks for _, hunks in own)))
    for entry, own in known:
        yield ChangedFile(
            path=os.fsdecode(entry.path),
            before=None if entry.status == "A" else os.fsdecode(entry.before),
            status=entry.status,
            old=texts.get(entry.ids[0], b""),
            new=texts.get(entry.ids[1], b""),
            binary=any(binary for binary, _ in own),
            hunks=tuple(hunk for _, hunks in own for hunk in hunks),
        )


def _entries(listed: bytes) -> Iterator[_Entry]:
    fields = iter(listed.split(b"\0"))
    for head in filter(None, fields):
        old_mode, mode, old, new, status = head.removeprefix(b":").split(b" ")
        letter = status[:1].decode()
        before = next(fields)
        path = next(fields) if letter in "RC" else before
        yield _Entry((old_mode, mode), (old, new), letter, before, path)


def _texts(top: Path, entries: Iterable[_Entry]) -> dict[bytes, bytes]:
    """Contents by their ids."""
    wanted = {
        name
        for entry in entries
        for mode, name in zip(entry.modes, entry.ids, strict=True)
        if mode in _FILE_MODES
    }
    listed = b"".join(b"%s\n" % name for name in wanted)
    found = git(top, "cat-file", "--batch", stdin=listed) if wanted else b""
    texts: dict[bytes, bytes] = {}
    at = 0
    while at < len(found):
        end = found.index(b"\n", at)
        name, _, size = found[at:end].split(b" ")
        texts[name] = found[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)
    return texts


def _parts(lines: Sequence[bytes]) -> Iterator[tuple[bool, list[Hunk]]]:
    """Of each file in a patch whether it is binary, and its hunks."""
    binary, hunks = False, list[Hunk]()
    begun = False
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(b"diff --git "):
            if begun:
                yield binary, hunks
            begun, binary, hunks = True, False, []
        elif found := _HUNK.match(line):
            hunk, at = _hunk(found, lines, at)
            hunks.append(hunk)
        elif line.startswith(b"Binary files "):
            binary = True
    if begun:
        yield binary, hunks


def _hunk(head: re.Match[bytes], lines: Sequence[bytes], at: int) -> tuple[Hunk, int]:
    """The hunk whose lines begin at an index, and the index behind it."""
    old, new = int(head[1]), int(head[3])
    left, right = int(head[2] or b"1"), int(head[4] or b"1")
    sizes = left, right
    found: list[DiffLine] = []
    while (left or right) and at < len(lines):
        line = lines[at]
        at += 1
        text = line[1:].decode("utf-8", "replace")
        sign = line[:1]
        if sign == b"\\":
            continue
        if sign == b"+":
            found.append(DiffLine("+", text, None, new))
            new, right = new + 1, right - 1
        elif sign == b"-":
            found.append(DiffLine("-", text, old, None))
            old, left = old + 1, left - 1
        else:
            # Of an empty line some settings leave out the sign.
            found.append(DiffLine(" ", text, old, new))
            old, new, left, right = old + 1, new + 1, left - 1, right - 1
    heading = head[5].decode("utf-8", "replace")
    return Hunk((int(head[1]), sizes[0]), (int(head[3]), sizes[1]), heading, tuple(found)), at
