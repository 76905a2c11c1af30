"""Results that a request brings back as text, each under a label: `[read_file] Result:`."""

import re

_LABEL = re.compile(r"^\[(\w{1,60})(?: for '.*?')?[^\]\n]{0,400}\] Result:[ \t]*\n?", re.MULTILINE)
_BEHIND = re.compile(r"<environment_details>|# TODO LIST|# Todo List|# task_progress")
_FOLDER = re.compile(r"^# Current (?:Working|Workspace) Directory \(([^)\n]+)\)", re.MULTILINE)


def labelled(words: str) -> list[tuple[str, str]]:
    """The names of the tools and the texts of their results."""
    marks = list(_LABEL.finditer(words))
    if not marks:
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(words)]
    found: list[tuple[str, str]] = []
    for mark, end in zip(marks, ends, strict=True):
        said = words[mark.end() : end]
        behind = _BEHIND.search(said)
        found.append((mark[1], (said[: behind.start()].rstrip() if behind else said).strip("\r\n")))
    return found


def folder_in(words: str) -> str | None:
    """Return the working directory that the client gave to the model."""
    found = _FOLDER.search(words)
    return found[1].strip() if found is not None else None
