"""Calls and results that a model without calls of its own writes as tags in its words."""

import re
from collections.abc import Iterator

from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields

_CALL = re.compile(
    r"<tool_call>\s*(?P<json>\{.*?\})\s*</tool_call>"
    r"|^[ \t]*(?:<tool_call>\s*)?<function=(?P<function>[\w.:/-]{1,200})>(?P<given>.*?)</function>"
    r"(?:\s*</tool_call>)?"
    r"|^[ \t]*(?:<function_calls>\s*)?<invoke name=\"(?P<invoke>[\w.:/-]{1,200})\">"
    r"(?P<named>.*?)</invoke>(?:\s*</function_calls>)?",
    re.DOTALL | re.MULTILINE,
)
_PARAMETER = re.compile(
    r"<parameter(?:=(?P<own>[\w.-]{1,200})| name=\"(?P<named>[\w.-]{1,200})\"[^<>]{0,100})>"
    r"(?P<value>.*?)</parameter>",
    re.DOTALL,
)
_MARKS = ("<tool_call>", "<function=", "<invoke name=")
_PRINTED = re.compile(r"EXECUTION RESULT of \[[\w.:/-]{1,200}\]:\n(.*)", re.DOTALL)
"""How OpenHands gives a result to a model whose calls are tags."""
_RESULT = re.compile(r"<tool_response>\n?(.*?)\n?</tool_response>", re.DOTALL)
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
        for found in _CALL.finditer(words):
            call = _call(found)
            if not call:
                continue
            if before := words[end : found.start()].strip():
                yield before
            yield call
            end = found.end()
    if rest := words[end:].strip():
        yield rest if end else words


def _call(found: re.Match[str]) -> Fields:
    if (written := found["json"]) is not None:
        return mapping(written)
    within = found["given"] or found["named"] or ""
    own = mapping(within.strip()) or {
        each["own"] or each["named"]: _value(each["value"]) for each in _PARAMETER.finditer(within)
    }
    return {"name": found["function"] or found["invoke"], "arguments": own}


def _value(written: str) -> str:
    """A value without the line breaks next to its tags."""
    return written.removeprefix("\n").removesuffix("\n")


def given_back(words: str) -> list[str]:
    """Return the results that words of the person consist of; none where they have others."""
    if (printed := _PRINTED.fullmatch(words)) is not None:
        return [printed[1]]
    if words.startswith(_OBSERVED):
        return [words.removeprefix(_OBSERVED).removeprefix(" ")]
    if not words.lstrip().startswith("<tool_response>") or _RESULT.sub("", words).strip():
        return []
    return written_results(words)


def written_results(words: str) -> list[str]:
    """The texts between the tags of results."""
    return _RESULT.findall(words)
