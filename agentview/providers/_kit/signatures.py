"""Signs in a record by which its format is known: tables that a probe goes through."""

import re
from collections.abc import Callable, Iterable, Mapping
from types import UnionType
from typing import cast

from agentview.domain.value import Value
from agentview.normalize.json_values import Fields, fields_of, items_of

Texts = frozenset[str] | set[str]
Test = str | Texts | re.Pattern[str] | type | UnionType | Callable[[object], object]
"""A condition on a value: this text, one of these texts, a text that a pattern matches as a whole,
of this type, or what a function such as `time_of` knows: of other values it says None or False."""

_MISSING = object()


class Signature(Value, gc=True):
    """A form of record that says whose a log is.

    All keys here are paths: a key, or a key within an object, as `message/role`.
    """

    confidence: float
    """From 0 to 1; 0.95 and more is certain, 0 is for a record that another program writes."""
    values: Mapping[str, Test] = {}
    """Conditions on values, by their keys."""
    keys: Texts = frozenset()
    """Keys that have to be there, with any value."""
    any_of: Texts = frozenset()
    """Keys of which one has to be there."""
    without: Texts = frozenset()
    """Keys that must not be there."""
    only: Texts = frozenset()
    """All keys that may be there; where it is empty, any may."""

    @property
    def types(self) -> Texts:
        """Types of the records that it may fit; empty for any."""
        test = self.values.get("type")
        if isinstance(test, str):
            return frozenset({test})
        return cast("Texts", test) if isinstance(test, frozenset | set) else frozenset()

    def fits(self, record: Fields) -> bool:
        """Return True for a record of this form."""
        for path, test in self.values.items():
            if not _passes(_at(record, path), test):
                return False
        for path in self.keys:
            if _at(record, path) is _MISSING:
                return False
        for path in self.without:
            if _at(record, path) is not _MISSING:
                return False
        if self.only and not record.keys() <= self.only:
            return False
        return not self.any_of or any(_at(record, path) is not _MISSING for path in self.any_of)


def confidence_in(record: Fields, signatures: Iterable[Signature]) -> float:
    """The confidence of the first signature that fits a record; 0 where none does."""
    for signature in signatures:
        if signature.fits(record):
            return signature.confidence
    return 0.0


class SignatureTable:
    """Signatures, surest first, of which a record is compared with those for its type."""

    def __init__(self, *signatures: Signature) -> None:
        kinds = frozenset[str]().union(*(each.types for each in signatures))
        self._others = tuple(each for each in signatures if not each.types)
        self._by_type = {
            kind: tuple(each for each in signatures if not each.types or kind in each.types)
            for kind in kinds
        }

    def confidence(self, record: Fields) -> float:
        """As `confidence_in`."""
        kind = record.get("type")
        forms = self._by_type.get(kind) if isinstance(kind, str) else None
        return confidence_in(record, forms or self._others)


def filled(value: object) -> bool:
    """The condition that a value is an object with something in it."""
    return bool(fields_of(value))


def some(key: str, test: Test) -> Test:
    """The condition that a list has an object with such a value under a key."""

    def has_one(value: object) -> bool:
        return any(_passes(_at(fields_of(each), key), test) for each in items_of(value))

    return has_one


def _at(record: Fields, path: str) -> object:
    if path in record:
        return record[path]
    first, slash, rest = path.partition("/")
    return _at(fields_of(record.get(first)), rest) if slash else _MISSING


def _passes(value: object, test: Test) -> bool:
    if isinstance(test, str):
        return value == test
    if isinstance(test, frozenset | set):
        return isinstance(value, str) and value in test
    if isinstance(test, re.Pattern):
        return isinstance(value, str) and test.fullmatch(value) is not None
    if isinstance(test, type | UnionType):
        return isinstance(value, test)
    found = None if value is _MISSING else test(value)
    return found is not None and found is not False
