"""Tokens of source text by the rules of a lexer of Pygments, those of a state as one pattern.

Pygments tries the rules of a state in order, each with a call of its own. As alternatives of one
pattern they are tried in the same order by the regular expression engine, in half the time.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pygments.lexer import RegexLexer
from pygments.token import Error, Token, Whitespace

Lexed = Iterator[tuple[int, Any, str]]
"""Places, types and texts of tokens, which have all of a text together."""

_Match = Callable[[str, int], re.Match[str] | None]
_State = int | str | tuple[str, ...] | None
_Rule = tuple[_Match, Any, _State]
"""The match of its pattern, the type of the token or what makes several, the state that follows."""
_Part = tuple[_Match, Mapping[int, _Rule], _Rule | None]
"""A pattern, with its rules by the last group of each; or that of a single rule."""

_MUCH = 20_000
"""Characters of a language that are read before its rules are joined, which takes 5 to 30 ms."""
_LEAST = 3
"""Rules that are worth joining."""
_ALONE = re.compile(r"\\[1-9]|\(\?P|\(\?\(|\A\(\?[a-zA-Z]+\)")
"""Syntax that names a group by its number or name, or is for a pattern as a whole."""
_ROOT = "root"
_TYPE = Token.__class__


class SourceLexer:
    """A lexer; `tokens` gives what its own method gives."""

    def __init__(self, lexer: Any) -> None:
        self._lexer = lexer
        self._rules: Mapping[str, Sequence[_Rule]] | None = None
        if lexer.__class__.get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed:
            self._rules = getattr(lexer, "_tokens", None)
        self._characters = 0
        self._joined: dict[str, Sequence[_Part]] = {}

    def tokens(self, text: str, *, waited_for: bool) -> Lexed:
        """The tokens of a text; while a frame is `waited_for`, no rules are joined."""
        if waited_for or self._rules is None or self._characters < _MUCH:
            self._characters += len(text)
            return self._lexer.get_tokens_unprocessed(text)
        return self._read(text, self._rules)

    def _read(self, text: str, rules: Mapping[str, Sequence[_Rule]]) -> Lexed:
        stack, parts, position = [_ROOT], self._parts(_ROOT, rules), 0
        while True:
            for part in parts:
                found = part[0](text, position)
                if found is not None:
                    break
            else:
                if position >= len(text):
                    return
                if text[position] == "\n":
                    # The end of a line ends all that is open.
                    stack, parts = [_ROOT], self._parts(_ROOT, rules)
                yield position, Whitespace if text[position] == "\n" else Error, text[position]
                position += 1
                continue
            own, made, state = part[2] or part[1][found.lastindex or 0]
            if made.__class__ is _TYPE:
                yield position, made, found[0]
            elif made is not None:
                # It asks for groups by their numbers in the pattern of the rule.
                yield from made(self._lexer, own(text, position))
            position = found.end()
            if state is not None:
                stack = _moved(stack, state)
                parts = self._parts(stack[-1], rules)

    def _parts(self, state: str, rules: Mapping[str, Sequence[_Rule]]) -> Sequence[_Part]:
        parts = self._joined.get(state)
        if parts is None:
            parts = self._joined[state] = [*_joined(rules[state])]
        return parts


def _moved(stack: list[str], state: int | str | tuple[str, ...]) -> list[str]:
    """The stack of states behind a rule that says how many of them end, or names the next ones."""
    if isinstance(state, int):
        return stack[:state] if -state < len(stack) else stack[:1]
    for name in state if isinstance(state, tuple) else (state,):
        if name != "#pop":
            stack.append(stack[-1] if name == "#push" else name)
        elif len(stack) > 1:
            stack.pop()
    return stack


def _joined(rules: Sequence[_Rule]) -> Iterator[_Part]:
    """The rules in order, neighbours as one pattern where that means the same."""
    run: list[tuple[re.Pattern[str], _Rule]] = []
    for rule in rules:
        pattern = _joinable(rule)
        if run and (pattern is None or pattern.flags != run[0][0].flags):
            yield from _as_one(run)
            run = []
        if pattern is None:
            yield rule[0], {}, rule
        else:
            run.append((pattern, rule))
    yield from _as_one(run)


def _joinable(rule: _Rule) -> re.Pattern[str] | None:
    """The pattern of a rule, if it means the same as a part of another one."""
    pattern: re.Pattern[str] | str = getattr(rule[0], "__self__", "")
    if not isinstance(pattern, re.Pattern) or pattern.flags & re.VERBOSE:
        return None
    return None if _ALONE.search(pattern.pattern) else pattern


def _as_one(run: Sequence[tuple[re.Pattern[str], _Rule]]) -> Iterator[_Part]:
    by_group: dict[int, _Rule] = {}
    last = 0
    for pattern, rule in run:
        # An empty group behind each alternative shows which one it was.
        last += pattern.groups + 1
        by_group[last] = rule
    if len(run) >= _LEAST:
        text = "|".join(f"(?:{pattern.pattern})()" for pattern, _ in run)
        yield re.compile(text, run[0][0].flags).match, by_group, None
    else:
        yield from ((rule[0], {}, rule) for _, rule in run)
