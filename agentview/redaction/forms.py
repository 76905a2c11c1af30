"""Parts of a rule for secrets: a pattern, and signs without which it need not be tried."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property

Span = tuple[int, int]
"""Start and end of a part of a text."""

Found = tuple[int, int, str]
"""Start and end of a secret in a text, and the name of the rule that found it."""

LAST = -1
"""The group of a form whose alternatives hold the secret in groups of their own."""

_BEFORE = 400
"""Characters before a sign at which a match may begin."""
_BEHIND = 2600
"""Characters behind a sign at which a match may end."""
_NAME_BEFORE, _NAME_BEHIND = 40, 40
"""The same for a name alone."""
_SMALL = 4096
"""Texts up to this length are searched whole."""
_FEW = 64
"""From this many places of a sign on, all of a text is searched."""
_NAMED_SIGNS = 4
"""Signs of a rule that are part of its name; one with more is named by its family alone."""


_HEXADECIMAL = re.compile(r"[0-9a-f]{24}")


class SecretRule:
    """A form of secret: what its pattern holds in `group`, tried where one of `signs` is in a text.

    The pattern is compiled when it is first tried. A `folded` form is spelled in lower case and is
    tried on the text in lower case. A form that is not `near` its signs is tried on whole texts, a
    `hexadecimal` one only on texts with a long hexadecimal number. With a `tail` the pattern finds
    a name, and the tail the secret right behind it.
    """

    __slots__ = ("folded", "group", "hexadecimal", "name", "near", "signs", "source", "tail")

    def __init__(
        self,
        source: str,
        signs: tuple[str, ...],
        group: int,
        *,
        folded: bool,
        near: bool,
        hexadecimal: bool = False,
        tail: str = "",
    ) -> None:
        self.source = source
        self.signs = signs
        self.group = group
        self.folded = folded
        self.near = near and all(len(sign) > 1 for sign in signs)
        self.hexadecimal = hexadecimal
        self.tail = tail
        self.name = ""

    def matches(self, text: str, windows: Iterable[Span]) -> Iterator[re.Match[str]]:
        """Matches of the pattern that begin in one of the windows, without the tail."""
        pattern = _compiled(self.source)
        for start, end in windows:
            yield from pattern.finditer(text, start, end)

    @property
    def reach(self) -> tuple[int, int]:
        """Characters before and behind a sign between which a match is."""
        return (_BEFORE, _BEHIND) if not self.tail else (_NAME_BEFORE, _NAME_BEHIND)

    def prepare(self) -> None:
        """Compile the patterns."""
        for source in filter(None, (self.source, self.tail)):
            _compiled(source)

    def spans(self, text: str, matches: Iterable[re.Match[str]]) -> Iterator[Span]:
        """Start and end of what is secret, given what the pattern matches."""
        if self.tail:
            tail = _compiled(self.tail)
            behind = (tail.match(text, name.end()) for name in matches)
            matches = (match for match in behind if match is not None)
        for match in matches:
            yield match.span(match.lastindex or 0 if self.group == LAST else self.group)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.DOTALL | re.MULTILINE)


def named(source: str, tail: str, *signs: str) -> SecretRule:
    """A name in any case, and behind it the secret in the last group of `tail`."""
    return SecretRule(source, signs, LAST, folded=True, near=True, tail=tail)


def anycase(source: str, *signs: str, group: int = 1, near: bool = True) -> SecretRule:
    """A form in any case; pattern and signs are spelled in lower case."""
    return SecretRule(source, signs, group, folded=True, near=near)


def exact(
    source: str, *signs: str, group: int = 1, near: bool = True, hexadecimal: bool = False
) -> SecretRule:
    """A form in the case in which it is spelled."""
    return SecretRule(source, signs, group, folded=False, near=near, hexadecimal=hexadecimal)


class SecretRules:
    """Forms that are looked for together; each is named by their family and its own signs."""

    def __init__(self, family: str, *forms: SecretRule) -> None:
        for form in forms:
            signs = form.signs if len(form.signs) <= _NAMED_SIGNS and len(forms) > 1 else ()
            form.name = f"{family}: {', '.join(signs)}" if signs else family
        self._forms = forms
        self._exact = _by_sign(forms, folded=False)
        self._folded = _by_sign(forms, folded=True)

    def prepare(self) -> None:
        """Compile all patterns."""
        for form in self._forms:
            form.prepare()

    def possible(self, searched: "SearchedText") -> Iterator[tuple[SecretRule, str]]:
        """The forms of which a sign is in the text, each with the text that it is tried on."""
        for signed, text in ((self._exact, searched.text), (self._folded, searched.lower)):
            present = [numbers for sign, numbers in signed if sign in text]
            for number in sorted({number for numbers in present for number in numbers}):
                form = self._forms[number]
                if not form.hexadecimal or searched.has_hexadecimal:
                    yield form, text


def _by_sign(forms: Sequence[SecretRule], *, folded: bool) -> list[tuple[str, list[int]]]:
    """The numbers of the forms that have a sign."""
    found: dict[str, list[int]] = {}
    for number, form in enumerate(forms):
        for sign in form.signs if form.folded == folded else ():
            found.setdefault(sign, []).append(number)
    return list(found.items())


class SearchedText:
    """A text in which forms are looked for: as it is, in lower case, and where its signs are."""

    def __init__(self, text: str) -> None:
        self.text = text
        lower = text.lower()
        if len(lower) != len(text):
            # Some letters are several in lower case, which moves what follows.
            lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
        self.lower = lower
        self._windows: dict[tuple[object, ...], list[Span]] = {}
        self._names: dict[tuple[object, ...], list[re.Match[str]]] = {}

    @cached_property
    def has_hexadecimal(self) -> bool:
        """True if there is a long hexadecimal number in the text."""
        return _HEXADECIMAL.search(self.text) is not None

    def found(self, forms: SecretRules) -> Iterator[Found]:
        """All that has one of the forms, each with the name of its form."""
        for form, text in forms.possible(self):
            for start, end in form.spans(text, self._matches(form, text)):
                yield start, end, form.name

    def _matches(self, form: SecretRule, text: str) -> Iterable[re.Match[str]]:
        """Matches of a form's pattern; names are searched once for all forms with them."""
        windows = self._around(form, text) if form.near else [(0, len(text))]
        if not form.tail:
            return form.matches(text, windows)
        key = form.source, form.signs
        known = self._names.get(key)
        if known is None:
            known = self._names[key] = list(form.matches(text, windows))
        return known

    def _around(self, form: SecretRule, text: str) -> list[Span]:
        """The parts of the text in which a match of the form can be."""
        if len(text) <= _SMALL:
            return [(0, len(text))]
        key = (form.signs, form.folded, form.reach)
        known = self._windows.get(key)
        if known is None:
            known = self._windows[key] = _windows(text, form.signs, *form.reach)
        return known


def _windows(text: str, signs: tuple[str, ...], before: int, behind: int) -> list[Span]:
    places: list[int] = []
    for sign in signs:
        at = text.find(sign)
        while at >= 0:
            places.append(at)
            if len(places) > max(_FEW, len(text) // behind):
                return [(0, len(text))]
            at = text.find(sign, at + len(sign))
    windows: list[Span] = []
    for at in sorted(places):
        start, end = max(0, at - before), min(len(text), at + behind)
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], end)
        else:
            windows.append((start, end))
    return windows


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
