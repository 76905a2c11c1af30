"""What a rule for secrets is made of: a pattern, and signs without which it need not be tried."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

Span = tuple[int, int]


class Form(NamedTuple):
    """A form of secret: what `pattern` holds in `group`, tried where one of `signs` is in the text.

    A folded one knows lower case alone and is tried on the text in lower case.
    """

    pattern: re.Pattern[str]
    signs: tuple[str, ...]
    group: int
    folded: bool


def anycase(pattern: str, *signs: str, group: int = 1) -> Form:
    """A form in any case; pattern and signs are spelled in lower case."""
    return Form(re.compile(pattern, re.DOTALL | re.MULTILINE), signs, group, folded=True)


def exact(pattern: str, *signs: str, group: int = 1) -> Form:
    """A form in the case in which it is spelled."""
    return Form(re.compile(pattern, re.DOTALL | re.MULTILINE), signs, group, folded=False)


def spans_of(text: str, forms: Iterable[Form]) -> Iterator[Span]:
    """Start and end of all that has one of the forms."""
    lower = text.lower()
    if len(lower) != len(text):
        # Some letters are several in lower case, which moves what follows.
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    for pattern, signs, group, folded in forms:
        searched = lower if folded else text
        if any(sign in searched for sign in signs):
            yield from (match.span(group) for match in pattern.finditer(searched))
