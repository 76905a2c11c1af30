"""The lines that a git commit added, as git says it."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentview.domain.value import Value
from agentview.errors import NotFound, Unreadable, UsageError

_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_SECONDS = 60
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "diff.external=")
"""No program that a repository names is run."""


class CommittedFile(Value):
    """A file of a commit that it added lines to."""

    path: str
    """Below the top of the working tree."""
    text: bytes
    """As the commit has it."""
    added: tuple[int, ...]
    """Numbers of the lines that the commit added, from 1."""


class Commit(Value):
    """A commit and the lines that it added."""

    hash: str
    subject: str
    time: float
    """Of the commit, epoch seconds."""
    top: Path
    """The working tree."""
    files: tuple[CommittedFile, ...]


def commit_at(revision: str, directory: Path) -> Commit:
    """The commit that a revision means in the repository of a directory.

    Of a merge the lines count that its first parent has not. Raises NotFound, Unreadable and
    UsageError.
    """
    if revision.startswith("-"):
        raise UsageError(f"{revision} is not a revision.", "Give a commit, a branch or a tag.")
    top = Path(os.fsdecode(_git(directory, "rev-parse", "--show-toplevel").rstrip(b"\n")))
    try:
        found = _git(top, "show", "-s", "--format=%H%x00%ct%x00%s", f"{revision}^{{commit}}", "--")
    except Unreadable as error:
        raise NotFound(f"There is no commit {revision} in {top}.", "See 'git log'.") from error
    name, time, subject = found.decode("utf-8", "replace").rstrip("\n").split("\0", 2)
    return Commit(
        hash=name, subject=subject, time=float(time), top=top, files=tuple(_files(top, name))
    )


def _files(top: Path, commit: str) -> Iterator[CommittedFile]:
    parents = _git(top, "show", "-s", "--format=%P", commit, "--").split()
    between = (parents[0], commit) if parents else ("--root", "--no-commit-id", commit)
    for before, path in _changed(top, between):
        patch = _git(
            top, "diff-tree", "-r", "-p", "-M", "-U0", "--no-ext-diff", "--no-textconv",
            "--no-color", *between, "--", *(b":(literal)" + each for each in {before, path}),
        )  # fmt: skip
        added = tuple(_added(patch))
        if added:
            text = _git(top, "cat-file", "blob", commit.encode() + b":" + path)
            yield CommittedFile(path=os.fsdecode(path), text=text, added=added)


def _changed(top: Path, between: Sequence[str | bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Files that have lines after a change, each with the name that it had before."""
    listed = _git(
        top, "diff-tree", "-r", "-z", "--name-status", "-M", "--diff-filter=AMR",
        "--ignore-submodules=all", *between, "--",
    )  # fmt: skip
    parts = iter(listed.split(b"\0"))
    for state in filter(None, parts):
        before = next(parts)
        yield before, next(parts) if state.startswith(b"R") else before


def _added(patch: bytes) -> Iterator[int]:
    """Numbers of the lines that a patch without context adds."""
    for line in patch.split(b"\n"):
        hunk = _HUNK.match(line)
        if hunk is not None:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            yield from range(first, first + count)


def _git(directory: Path, *arguments: "str | bytes") -> bytes:
    command: Sequence[str | bytes] = ("git", "-C", str(directory), *_SAFE, *arguments)
    try:
        done = subprocess.run(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise Unreadable("git is not installed.", "blame --commit asks git for lines.") from error
    except subprocess.TimeoutExpired as error:
        raise Unreadable("git does not answer.", "Try again.") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        # Warnings may come before it, and advice after it.
        last = said[-1] if said else done.returncode
        reason = next((line for line in said if line.startswith("fatal: ")), last)
        raise Unreadable(
            f"git says: {reason}.",
            "Run the command in the repository of the commit.",
        )
    return done.stdout
