"""Scripts of code mode: which tools a script calls, and with what, as far as its text shows.

The script is never run. A call whose arguments are put together by the script is known by name
only.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from agentview.domain.value import Value

_TOKEN = re.compile(
    r"""
    //[^\n]* | /\*.*?\*/
    | (?:String\.raw\s*)?`(?:[^`\\]|\\.)*`
    | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
    | (?P<call>\btools\s*(?:\.\s*(?P<dotted>[A-Za-z_$][\w$]*)|\[\s*["'](?P<quoted>[^"']+)["']\s*\])
      \s*\()
    | \b(?:const|let|var)\s+(?P<name>[A-Za-z_$][\w$]*)\s*=\s*(?=["'`S\[])
    """,
    re.DOTALL | re.VERBOSE,
)
_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'', re.DOTALL)
_TEMPLATE = re.compile(r"(String\.raw\s*)?`((?:[^`\\]|\\.)*)`", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?")
_JOIN = re.compile(r"\.join\(\s*(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')\s*\)")
_ESCAPE = re.compile(
    r"\\(u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|\r?\n|.)", re.DOTALL
)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_WORDS: Mapping[str, object] = {"true": True, "false": False, "null": None, "undefined": None}
_MAX_DEPTH = 20


class NestedCall(Value):
    """A tool that a script calls; `args` is None where its text does not show them."""

    name: str
    args: Mapping[str, object] | None


class _NotLiteralError(Exception):
    """An expression is more than a literal."""


def is_escalated(args: Mapping[str, object]) -> bool:
    """True if a command is to run outside the sandbox, by its arguments.

    `sandbox_permissions` says so since 0.7x, `with_escalated_permissions` before.
    """
    if args.get("with_escalated_permissions") is True:
        return True
    return args.get("sandbox_permissions") == "require_escalated"


@lru_cache(maxsize=8)
def nested_calls(script: str) -> tuple[NestedCall, ...]:
    """The calls `tools.name(...)` in a script, in the order of its text, those in loops once."""
    known: dict[str, object] = {}
    calls: list[NestedCall] = []
    for match in _TOKEN.finditer(script):
        if match["name"] is not None:
            try:
                known[match["name"]] = _Reader(script, known).expression(match.end(), 0)[0]
            except _NotLiteralError:
                known.pop(match["name"], None)
        elif match["call"] is not None:
            name = match["dotted"] or match["quoted"]
            calls.append(NestedCall(name, _arguments(script, match.end(), known)))
    return tuple(calls)


def _arguments(script: str, at: int, known: Mapping[str, object]) -> Mapping[str, object] | None:
    try:
        value, end = _Reader(script, known).expression(at, 0)
    except _NotLiteralError:
        return {} if script[_skip(script, at) :].startswith(")") else None
    if not script[_skip(script, end) :].startswith(")"):
        return None
    if isinstance(value, str):
        return {"input": value}
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _skip(script: str, at: int) -> int:
    match = _SPACE.match(script, at)
    return match.end() if match is not None else at


class _Reader:
    """Reads literals: each method gives a value and where it ends, or raises _NotLiteralError."""

    def __init__(self, script: str, known: Mapping[str, object]) -> None:
        self._script = script
        self._known = known

    def expression(self, at: int, depth: int) -> tuple[object, int]:
        """A literal, or texts joined by plus signs."""
        value, end = self._value(_skip(self._script, at), depth)
        after = _skip(self._script, end)
        while isinstance(value, str) and self._script[after : after + 1] == "+":
            more, end = self._value(_skip(self._script, after + 1), depth)
            if not isinstance(more, str):
                raise _NotLiteralError
            value += more
            after = _skip(self._script, end)
        return value, end

    def _value(self, at: int, depth: int) -> tuple[object, int]:
        first = self._script[at : at + 1]
        if depth > _MAX_DEPTH:
            raise _NotLiteralError
        if first == "{":
            return self._object(at + 1, depth + 1)
        if first == "[":
            return self._array(at + 1, depth + 1)
        if first in ("'", '"'):
            return self._quoted(at)
        template = _TEMPLATE.match(self._script, at)
        if template is not None:
            return _template(template), template.end()
        number = _NUMBER.match(self._script, at)
        if number is not None:
            return _number(number[0]), number.end()
        return self._named(at)

    def _quoted(self, at: int) -> tuple[str, int]:
        match = _QUOTED.match(self._script, at)
        if match is None:
            raise _NotLiteralError
        return _unescaped(match[1] if match[1] is not None else match[2]), match.end()

    def _named(self, at: int) -> tuple[object, int]:
        match = _WORD.match(self._script, at)
        name = match[0] if match is not None else ""
        if match is None or (name not in _WORDS and name not in self._known):
            raise _NotLiteralError
        return _WORDS[name] if name in _WORDS else self._known[name], match.end()

    def _object(self, at: int, depth: int) -> tuple[object, int]:
        found: dict[str, object] = {}
        while True:
            at = _skip(self._script, at)
            if self._script[at : at + 1] == "}":
                return found, at + 1
            key, at = self._key(at)
            after = _skip(self._script, at)
            if self._script[after : after + 1] == ":":
                found[key], at = self.expression(after + 1, depth)
            elif key in self._known:
                found[key] = self._known[key]
            else:
                raise _NotLiteralError
            at = self._separator(at, "}")

    def _key(self, at: int) -> tuple[str, int]:
        if self._script[at : at + 1] in ("'", '"'):
            return self._quoted(at)
        match = _WORD.match(self._script, at)
        if match is None:
            raise _NotLiteralError
        return match[0], match.end()

    def _array(self, at: int, depth: int) -> tuple[object, int]:
        found: list[object] = []
        while True:
            at = _skip(self._script, at)
            if self._script[at : at + 1] == "]":
                break
            value, at = self.expression(at, depth)
            found.append(value)
            at = self._separator(at, "]")
        join = _JOIN.match(self._script, at + 1)
        if join is not None and all(isinstance(item, str) for item in found):
            return _unescaped(join[1][1:-1]).join(str(item) for item in found), join.end()
        return found, at + 1

    def _separator(self, at: int, closing: str) -> int:
        """Just behind the comma after an element, or at the bracket that ends the list."""
        at = _skip(self._script, at)
        if self._script[at : at + 1] == ",":
            return at + 1
        if self._script[at : at + 1] == closing:
            return at
        raise _NotLiteralError


def _template(match: re.Match[str]) -> str:
    raw = match[2]
    if "${" in raw:
        raise _NotLiteralError
    return raw if match[1] else _unescaped(raw)


def _number(text: str) -> int | float:
    bare = text.replace("_", "")
    return float(bare) if "." in bare else int(bare)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    escaped = match[1]
    if escaped[0] in "ux" and len(escaped) > 1:
        code = int(escaped[1:].strip("{}"), 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return "" if escaped in ("\n", "\r\n") else _PLAIN.get(escaped, escaped)
