"""Parts of a rule for secrets: a pattern, and the signs near which alone it is tried."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Protocol, cast

import ahocorasick

Span = tuple[int, int]
"""Start and end of a part of a text."""

Found = tuple[int, int, str]
"""Start and end of a secret in a text, and the name of the rule that found it."""

Places = dict[str, list[int]]
"""Where each sign is in a text, in order."""

LAST = -1
"""The group of a form whose alternatives hold the secret in groups of their own."""

HEXADECIMAL = "hexadecimal"
"""Stands for a sign: the beginning of a long hexadecimal number."""
PORT = "port"
"""Stands for a sign: a number of a port, or a star for any, between two colons."""

_NAMED_SIGNS = 4
"""Signs of a rule that are part of its name; one with more is named by its family alone."""

_PORT = re.compile(r":(?:\d{4,5}|\*):")
_HEX_DIGITS = 24
_HEX_CLASSES = bytes(ord("0") if chr(c) in "0123456789abcdef" else ord(" ") for c in range(256))


class SecretRule:
    """A form of secret: what its pattern holds in `group`.

    A match begins up to `before` characters before one of the signs, where `ahead` matches at the
    sign, and with the characters of `begin`. A pattern is compiled when it is first tried. A
    `folded` form is spelled in lower case and is tried on the text in lower case.
    """

    __slots__ = ("ahead", "before", "begin", "folded", "group", "name", "signs", "source")

    def __init__(
        self, source: str, signs: tuple[str, ...], group: int, *, folded: bool, before: int,
        ahead: str, begin: str,
    ) -> None:  # fmt: skip
        self.source = source
        self.signs = signs
        self.group = group
        self.folded = folded
        self.before = before
        self.ahead = ahead
        self.begin = begin
        self.name = ""

    @property
    def _near(self) -> str:
        return f".{{0,{self.before}}}?(?:{self.source})" if self.before else self.source

    def spans(self, text: str, places: Iterable[int]) -> Iterator[Span]:
        """Start and end of what is secret, given where the signs are; no match is in another."""
        likely = _compiled(self.ahead).match if self.ahead else None
        match = _compiled(self._near).match
        before, begin = self.before, self.begin
        last = 0
        for at in places:
            start = max(last, at - before)
            if begin:
                start = text.find(begin, start, at)
            if start < 0 or at < last or (likely is not None and likely(text, at) is None):
                continue
            found = match(text, start)
            if found is not None:
                last = found.end()
                yield self.secret(found)

    def secret(self, match: re.Match[str]) -> Span:
        return match.span(match.lastindex or 0 if self.group == LAST else self.group)

    def prepare(self) -> None:
        for source in filter(None, (self._near, self.ahead)):
            _compiled(source)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.DOTALL | re.MULTILINE)


def anycase(
    source: str, *signs: str, group: int = 1, before: int = 0, ahead: str = "", begin: str = ""
) -> SecretRule:
    """A form in any case; pattern and signs are spelled in lower case."""
    return SecretRule(source, signs, group, folded=True, before=before, ahead=ahead, begin=begin)


def exact(source: str, *signs: str, group: int = 1, before: int = 0, ahead: str = "") -> SecretRule:
    return SecretRule(source, signs, group, folded=False, before=before, ahead=ahead, begin="")


class SecretRules:
    """Forms of one family; each is named by their family and its own signs."""

    def __init__(self, family: str, *forms: SecretRule) -> None:
        for form in forms:
            signs = form.signs if len(form.signs) <= _NAMED_SIGNS and len(forms) > 1 else ()
            form.name = f"{family}: {', '.join(signs)}" if signs else family
        self.forms = forms


class SearchedRules:
    """Families of forms, looked for in their order."""

    def __init__(self, *families: SecretRules) -> None:
        self._forms = [form for family in families for form in family.forms]
        self._exact = _by_sign(self._forms, folded=False)
        self._folded = _by_sign(self._forms, folded=True)

    def prepare(self) -> None:
        for form in self._forms:
            form.prepare()

    def found(self, searched: "SearchedText") -> Iterator[Found]:
        """All that has one of the forms, each with the name of its form."""
        numbers: set[int] = set()
        for by_sign, places in (
            (self._exact, searched.places), (self._folded, searched.folded_places)
        ):  # fmt: skip
            for sign in places:
                if sign in by_sign:
                    numbers.update(by_sign[sign])
        merged_places: dict[tuple[bool, tuple[str, ...]], list[int]] = {}
        for number in sorted(numbers):
            form = self._forms[number]
            text, places = searched.text, searched.places
            if form.folded:
                text, places = searched.lower, searched.folded_places
            # Forms with the same signs may be of two texts: as it is, and in lower case.
            key = form.folded, form.signs
            near = merged_places.get(key)
            if near is None:
                near = sorted(at for sign in form.signs for at in places.get(sign, ()))
                merged_places[key] = near
            for start, end in form.spans(text, near):
                yield start, end, form.name


def _by_sign(forms: Sequence[SecretRule], *, folded: bool) -> dict[str, list[int]]:
    """The numbers of the forms that have a sign."""
    found: dict[str, list[int]] = {}
    for number, form in enumerate(forms):
        for sign in form.signs if form.folded == folded else ():
            found.setdefault(sign, []).append(number)
    return found


class _Automaton(Protocol):
    def add_word(self, word: str, value: tuple[str, int], /) -> bool: ...
    def make_automaton(self) -> None: ...
    def iter(self, text: str, /) -> Iterator[tuple[int, tuple[str, int]]]: ...


class Signs:
    """The signs of all rules, found in one pass over a text."""

    def __init__(self, signs: Iterable[str]) -> None:
        self._automaton = cast("_Automaton", ahocorasick.Automaton())  # pyright: ignore[reportUnknownMemberType]
        for sign in signs:
            self._automaton.add_word(sign, (sign, len(sign) - 1))
        self._automaton.make_automaton()

    def places(self, text: str) -> Places:
        """Where each sign is that is in the text."""
        found: Places = {}
        for end, (sign, length) in self._automaton.iter(text):
            if sign in found:
                found[sign].append(end - length)
            else:
                found[sign] = [end - length]
        return found


class SearchedText:
    """A text in which forms are looked for: as it is, in lower case, and where its signs are."""

    __slots__ = ("folded_places", "lower", "places", "text")

    def __init__(self, text: str, exact: Signs, folded: Signs) -> None:
        lower = text.lower()
        if len(lower) != len(text):
            # Some letters are several in lower case, which moves what follows.
            lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
        self.text = text
        self.lower = lower
        self.places = exact.places(text)
        self.folded_places = folded.places(lower)
        if len(text) >= _HEX_DIGITS:
            numbers = runs(text, _HEX_CLASSES, _HEX_DIGITS)
            if numbers:
                self.places[HEXADECIMAL] = numbers
        if ":" in text:
            ports = [match.start() for match in _PORT.finditer(text)]
            if ports:
                self.places[PORT] = ports


def runs(text: str, classes: bytes, least: int) -> list[int]:
    """Where words begin that have at least so many characters of the class `0`."""
    found: list[int] = []
    shape = text.encode("ascii", "replace").translate(classes)
    run = b"0" * least
    at = shape.find(run)
    while at >= 0:
        found.append(at)
        end = shape.find(b" ", at + least)
        at = shape.find(run, end) if end >= 0 else -1
    return found


def united(secrets: Iterable[Found]) -> list[Found]:
    """Secrets in order; those that touch or overlap as one, by the rule that was tried first."""
    order = enumerate(each for each in secrets if each[0] < each[1])
    found: list[tuple[int, int, int, str]] = []
    for start, end, number, name in sorted((s, e, number, name) for number, (s, e, name) in order):
        if found and start <= found[-1][1]:
            first, last, known, by = found[-1]
            number, name = min((known, by), (number, name))  # noqa: PLW2901
            found[-1] = first, max(last, end), number, name
        else:
            found.append((start, end, number, name))
    return [(start, end, name) for start, end, _, name in found]


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order; those that touch or overlap as one."""
    found: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
