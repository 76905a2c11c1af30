"""Finds tokens of vendors: what is secret by its own form, whatever is around it."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from agentview.domain.value import Value
from agentview.redaction.shapes import followed

_RUN = re.compile(r"[A-Za-z0-9_.~:/=$+%-]{16,}")
"""Where a token may be: the shortest has sixteen characters with its beginning."""
_STARTS = re.compile(
    r"(?<![A-Za-z0-9])(?!(?<=\\)[nrtbfuvx])|(?<=\\[nrtbf])|(?<=\\x[0-9a-fA-F]{2})|(?<=\\u[0-9a-fA-F]{4})"
    r"|(?<=%[0-9a-fA-F]{2})|(?<=\[m)|(?<=\[\dm)|(?<=\[\d\dm)|(?<=\[\d;\d\dm)"
)
"""Where a token begins: behind no letter or digit, unless it belongs to a sign that is escaped."""
_LONG = 64
_DATA = re.compile(rf"[A-Za-z0-9+/]{{{_LONG}}}")
"""Encoded data, in which any few letters are by chance."""

_CHANGE = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])")
_NAME = re.compile(r"[A-Za-z]?[a-z]*\W?")
_NO_CHANCE = re.compile(r"(?!.*(?:\d|[a-z][A-Z]|[A-Z]{2}[a-z])).*", re.DOTALL)
"""A word that is spelled as no part of a token is."""
_LEAST_CHANGES = 2
_LINES = 40
"""Lines of which one token is."""


class Token(Value):
    """Where a token is, where the part of it that is secret is, and how the token begins."""

    begin: int
    start: int
    end: int
    sign: str


def tokens(text: str, joints: Sequence[int] = ()) -> Iterator[Token]:
    """All that has the shape of a token, in order, none in another.

    A token may begin and end at a joint, too, where the next line continues one. Only where a
    long word is in the text the beginnings are looked for, and only behind one of those the rest
    of the shape.
    """
    signs = _signs()
    for run in _RUN.finditer(text):
        start, end = run.span()
        while (match := signs.search(text, start, end)) is not None:
            token = token_at(text, match.start(), match[0], joints)
            start = match.start() + 1 if token is None else token.end
            if token is not None:
                yield token


def token_at(text: str, at: int, longest: str, joints: Sequence[int] = ()) -> Token | None:
    """The token at a place where the longest beginning of one is."""
    following = bisect_left(joints, at)
    if joints[following : following + 1] != [at] and _STARTS.match(text, at) is None:
        return None
    if longest.isalnum() and _DATA.fullmatch(text, max(at - _LONG, 0), at) is not None:
        return None
    for sign, pattern in _beginning(longest):
        for stop in (len(text), *joints[following : following + _LINES]):
            match = pattern.match(text, at + len(sign), stop)
            if match is not None:
                return Token(at, match.start(), match.end(), sign)
    return None


def broken_at(text: str, token: Token, joints: Sequence[int]) -> int:
    """Where a token ends of which some characters are in the next lines.

    It ends at the first joint up to which it has all of its shape already, if what follows is
    spelled as words are; behind lines of one width, as their rest is, if it is spelled as a name.
    """
    if len(_CHANGE.findall(text, token.start, token.end)) < _LEAST_CHANGES:
        return token.begin
    pattern = next(pattern for sign, pattern in _beginning(token.sign) if sign == token.sign)
    widths = [after - at for at, after in pairwise((token.begin, *joints))]
    for number, (at, after) in enumerate(pairwise((*joints, token.end))):
        full = number > 0 and widths[number] == widths[number - 1]
        spelled = _NAME if full else _NO_CHANCE
        if (
            at > token.start
            and pattern.match(text, token.start, at) is not None
            and spelled.fullmatch(text, at, after) is not None
        ):
            return at
    return token.end


def prepare() -> None:
    """Compile all patterns now."""
    _signs()
    for sign in _bodies():
        _beginning(sign)


@cache
def _bodies() -> dict[str, str]:
    return dict(followed())


@cache
def _signs() -> re.Pattern[str]:
    return re.compile(_one_of(sorted(_bodies())))


@lru_cache(maxsize=1024)
def _beginning(longest: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """All shapes that begin with the beginning of a sign, the longest first."""
    bodies = _bodies()
    signs = (longest[:length] for length in range(len(longest), 0, -1))
    return tuple((sign, _compiled(bodies[sign])) for sign in signs if sign in bodies)


@cache
def _compiled(body: str) -> re.Pattern[str]:
    return re.compile(f"(?:{body})", re.ASCII)


def _one_of(words: list[str]) -> str:
    """A pattern of words in order that tries each character once."""
    if len(words) == 1:
        return re.escape(words[0])
    branches = [
        re.escape(first) + _one_of([word[1:] for word in words if word[:1] == first])
        for first in sorted({word[0] for word in words if word})
    ]
    either = branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
    return f"(?:{either})?" if "" in words else either
