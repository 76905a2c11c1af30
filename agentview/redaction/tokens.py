"""Finds tokens of vendors: what is secret by its own form, whatever is around it."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from agentview.domain.value import Value
from agentview.redaction.forms import Places
from agentview.redaction.shapes import followed

_LIKELY = re.compile(r"[A-Za-z0-9_.~:/=$+%-]{16}")
"""The shortest token has sixteen characters with its beginning."""
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


def tokens(text: str, places: Places, joints: Sequence[int] = ()) -> Iterator[Token]:
    """All that has the shape of a token, in order, none in another.

    `places` says where the beginnings are; only behind one of those the rest of the shape is
    looked for. A token may begin and end at a joint, too, where the next line continues one.
    """
    bodies = _bodies()
    longest: dict[int, str] = {}
    for sign, starts in places.items():
        if sign in bodies:
            for at in starts:
                if len(sign) > len(longest.get(at, "")) and _LIKELY.match(text, at) is not None:
                    longest[at] = sign
    end = 0
    for at in sorted(longest):
        token = token_at(text, at, longest[at], joints) if at >= end else None
        if token is not None:
            end = token.end
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


def token_signs() -> Iterable[str]:
    return _bodies()


def prepare() -> None:
    for sign in _bodies():
        _beginning(sign)


@cache
def _bodies() -> dict[str, str]:
    return dict(followed())


@lru_cache(maxsize=1024)
def _beginning(longest: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """All shapes that begin with the beginning of a sign, the longest first."""
    bodies = _bodies()
    signs = (longest[:length] for length in range(len(longest), 0, -1))
    return tuple((sign, _compiled(bodies[sign])) for sign in signs if sign in bodies)


@cache
def _compiled(body: str) -> re.Pattern[str]:
    return re.compile(f"(?:{body})", re.ASCII)
