"""Sentences for people on the changes of a session that are not known."""

from collections.abc import Iterator, Sequence

from agentview.facts.edits.net_diff import FileNet
from agentview.facts.edits.operations import FileAction, FileStep, Uncertainty
from agentview.timeline.view.format_numbers import clock_time, counted
from agentview.timeline.view.sanitize import clean, one_line

_WORDS = 60
_COMMANDS = 8
"""Commands that are named one by one."""


def step_words(step: FileStep) -> str:
    """Which step it is: `step 3, edit at 14:02`."""
    when = f" at {clock_time(step.time)}" if step.time is not None else ""
    return f"step {step.number}, {step.act.value}{when}"


def trouble_words(trouble: Uncertainty) -> str:
    """Sentence of a step's doubt: `step 3, edit at 14:02: the overwritten text is not known`."""
    words = f"{step_words(trouble.step)}: {trouble.reason}"
    if trouble.step.act in (FileAction.COMMAND, FileAction.TOOL) and trouble.step.words:
        words += f": {one_line(trouble.step.words, _WORDS)}"
    return words


def missing_sentences(net: FileNet, name: str) -> Iterator[str]:
    for trouble in net.missing:
        yield f"{clean(name)} is not in the patch: {trouble_words(trouble)}"


def doubt_sentences(net: FileNet, name: str) -> Iterator[str]:
    for trouble in (*net.remarks, *net.unsure):
        yield f"{clean(name)}: {trouble_words(trouble)}"


def unnamed_sentences(steps: Sequence[FileStep]) -> Iterator[str]:
    """Commands that may have changed files which they do not name; the first ones one by one."""
    alike: dict[str, list[FileStep]] = {}
    for step in steps:
        alike.setdefault(one_line(step.words, _WORDS), []).append(step)
    for words, (first, *again) in list(alike.items())[:_COMMANDS]:
        when = f" at {clock_time(first.time)}" if first.time is not None else ""
        when += f" and {counted(len(again), 'time')} later" if again else ""
        yield f"a command{when} may have changed files that it does not name: {words}"
    more = len(alike) - _COMMANDS
    if more > 0:
        yield f"so may {counted(more, 'more command')}"
