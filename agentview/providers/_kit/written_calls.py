"""Calls and results that a model without calls of its own writes as tags in its words."""

import re
from collections.abc import Iterator

from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields

_OPENED = re.compile(
    r"(?P<json><tool_call>\s*(?=\{))"
    r"|^[ \t]*(?:<tool_call>\s*)?<function=(?P<function>[\w.:/-]{1,200})>"
    r"|^[ \t]*(?:<function_calls>\s*)?<invoke name=\"(?P<invoke>[\w.:/-]{1,200})\">",
    re.MULTILINE,
)
_CLOSED = {
    "json": re.compile(r"(?<=\})\s*</tool_call>"),
    "function": re.compile(r"</function>(?:\s*</tool_call>)?"),
    "invoke": re.compile(r"</invoke>(?:\s*</function_calls>)?"),
}
"""What ends a call, by how it is opened."""
_PARAMETER = re.compile(
    r"<parameter(?:=(?P<own>[\w.-]{1,200})| name=\"(?P<named>[\w.-]{1,200})\"[^<>]{0,100})>"
)
_PARAMETER_END = "</parameter>"
_MARKS = ("<tool_call>", "<function=", "<invoke name=")
_PRINTED = re.compile(r"EXECUTION RESULT of \[[\w.:/-]{1,200}\]:\n(.*)", re.DOTALL)
"""How OpenHands gives a result to a model whose calls are tags."""
_RESULT, _RESULT_END = "<tool_response>", "</tool_response>"
_ACTION = re.compile(
    r"^Action:[ \t]*(?P<name>[\w.:/-]{1,200})[ \t]*\nAction Input:[ \t]*(?P<given>.*)",
    re.DOTALL | re.MULTILINE,
)
_OBSERVED = "Observation:"


def action_of(words: str) -> tuple[str, Fields] | None:
    """Return the words in front of an action of ReAct that ends them, and its call.

    None where the words have none, several, or what was observed as well.
    """
    found = _ACTION.search(words)
    if found is None or f"\n{_OBSERVED}" in found["given"] or "\nAction:" in found["given"]:
        return None
    given = found["given"].strip()
    call = {"name": found["name"], "arguments": mapping(given) or {"input": given}}
    return words[: found.start()].strip(), call


def written_calls(words: str) -> Iterator[str | Fields]:
    """The words in front of, between and behind calls, and each call with `name` and `arguments`.

    Words without a call are given as they are.
    """
    end = 0
    if any(mark in words for mark in _MARKS):
        for start, stop, call in _calls(words):
            if not call:
                continue
            if before := words[end:start].strip():
                yield before
            yield call
            end = stop
    if rest := words[end:].strip():
        yield rest if end else words


def _calls(words: str) -> Iterator[tuple[int, int, Fields]]:
    """Each call with its span. What opens and is not closed is looked for once, not from each."""
    at, unclosed = 0, set[str]()
    while (found := _OPENED.search(words, at)) is not None:
        kind, at = found.lastgroup or "", found.end()
        closed = None if kind in unclosed else _CLOSED[kind].search(words, at)
        if closed is None:
            unclosed.add(kind)
            continue
        within = words[at : closed.start()]
        named = found["function"] or found["invoke"]
        yield found.start(), closed.end(), _call(named, within) if named else mapping(within)
        at = closed.end()


def _call(name: str, within: str) -> Fields:
    return {"name": name, "arguments": mapping(within.strip()) or dict(_parameters(within))}


def _parameters(within: str) -> Iterator[tuple[str, str]]:
    at = 0
    while (found := _PARAMETER.search(within, at)) is not None:
        closed = within.find(_PARAMETER_END, found.end())
        if closed < 0:
            return
        yield found["own"] or found["named"], _value(within[found.end() : closed])
        at = closed + len(_PARAMETER_END)


def _value(written: str) -> str:
    """A text without the line breaks next to its tags."""
    return written.removeprefix("\n").removesuffix("\n")


def given_back(words: str) -> list[str]:
    """Return the results that words of the person consist of; none where they have others."""
    if (printed := _PRINTED.fullmatch(words)) is not None:
        return [printed[1]]
    if words.startswith(_OBSERVED):
        return [words.removeprefix(_OBSERVED).removeprefix(" ")]
    results, around = _results(words)
    return [] if around.strip() else results


def written_results(words: str) -> list[str]:
    """The texts between the tags of results."""
    return _results(words)[0]


def _results(words: str) -> tuple[list[str], str]:
    """The texts between the tags of results, and what is around them."""
    results: list[str] = []
    around, at = "", 0
    while (start := words.find(_RESULT, at)) >= 0:
        stop = words.find(_RESULT_END, start)
        if stop < 0:
            break
        around += words[at:start]
        results.append(_value(words[start + len(_RESULT) : stop]))
        at = stop + len(_RESULT_END)
    return results, around + words[at:]
