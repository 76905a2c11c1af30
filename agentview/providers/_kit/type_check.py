"""Whether a value has the type that an annotation states, all that it holds included."""

import inspect
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

_DEPTH = 200
"""Levels of a value of JSON that are looked at; what is deeper has no form."""

_UNIONS = (Union, types.UnionType)
_Parts = Collection[object]
_SHOWN = 40


def fault_of(value: object, form: Any, place: str) -> str | None:
    """Return the fault of a value, beginning with its place; None where it has the form.

    `object` is any value of JSON. A protocol is fulfilled by anything.
    """
    return None if fits(form)(value) else _fault_of(value, form, place)


# Nearly all values have their form: that is asked by functions, of which each form has one.

_Test = Callable[[object], bool]


def _anything(value: object) -> bool:
    _ = value
    return True


@cache
def fits(form: Any) -> _Test:
    """Return a test whether a value has the form."""
    if form is object:
        return lambda value: _is_json(value, _DEPTH)
    origin, forms = get_origin(form), get_args(form)
    if origin in _UNIONS:
        return _test_of_any(forms)
    if origin is tuple and forms[1:] == (Ellipsis,):
        each = fits(forms[0])
        return lambda value: isinstance(value, tuple) and all(map(each, cast("_Parts", value)))
    if origin is not None:
        return lambda value: _fault_of_generic(value, origin, forms, "") is None
    names = _field_names(form)
    if names is not None:
        return _test_of_fields(form, names)
    if form in _TESTS:
        return _TESTS[form]
    return _anything if _is_open(form) else lambda value: isinstance(value, form)


def _is_none(value: object) -> bool:
    return value is None


_TESTS: Mapping[Any, _Test] = {
    None: _is_none,
    type(None): _is_none,
    str: lambda value: isinstance(value, str) and _is_text(value),
    int: lambda value: isinstance(value, int) and not isinstance(value, bool),
    float: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
"""Tests of forms that are more or less than their class."""


def _test_of_any(forms: tuple[Any, ...]) -> _Test:
    own = {each: fits(each) for each in forms if each in _TESTS or _field_names(each) is not None}
    # A text may be of a class of its own.
    others = [fits(each) for each in forms if _field_names(each) is None]

    def test(value: object) -> bool:
        known = own.get(type(value))
        return known(value) if known is not None else any(each(value) for each in others)

    return test


def _test_of_fields(form: Any, names: Sequence[str]) -> _Test:
    tests: list[tuple[str, _Test]] = []

    def test(value: object) -> bool:
        if type(value) is not form:
            return False
        if not tests:
            # Once it is asked: a form may hold itself.
            hints = _hints(form)
            tests.extend((name, fits(hints[name])) for name in names)
        for name, has in tests:  # noqa: SIM110  (three times as fast as a generator)
            if not has(getattr(value, name)):
                return False
        return True

    return test


def _fault_of(value: object, form: Any, place: str) -> str | None:
    if form is object:
        return _wrong(value, "JSON", place)
    origin = get_origin(form)
    if origin in _UNIONS:
        return _fault_of_any(value, get_args(form), place)
    if origin is not None:
        return _fault_of_generic(value, origin, get_args(form), place)
    return _fault_of_plain(value, form, place)


def _wrong(value: object, form: object, place: str) -> str:
    named = getattr(form, "__name__", str(form))
    return f"{place} is {type(value).__name__[:_SHOWN]}, not {named}"


def _fault_of_plain(value: object, form: Any, place: str) -> str:
    names = _field_names(form)
    # A subclass could answer for its fields as it likes.
    if names is None or type(value) is not form:
        return _wrong(value, "None" if form in (None, type(None)) else form, place)
    hints = _hints(form)
    found = (fault_of(getattr(value, key), hints[key], f"{place}.{key}") for key in names)
    return next(filter(None, found))


def _is_open(form: Any) -> bool:
    return form is Any or not inspect.isclass(form) or getattr(form, "_is_protocol", False)


def _field_names(form: Any) -> Sequence[str] | None:
    if not inspect.isclass(form):
        return None
    return getattr(form, "__struct_fields__", getattr(form, "_fields", None))


def _fault_of_any(value: object, forms: tuple[Any, ...], place: str) -> str | None:
    faults = [fault_of(value, form, place) for form in forms]
    if None in faults:
        return None
    if type(value) in forms:
        return faults[forms.index(type(value))]
    names = " or ".join(getattr(form, "__name__", str(form)) for form in forms[:3])
    return _wrong(value, names if len(forms) <= 3 else "one of its types", place)


def _fault_of_generic(value: object, origin: Any, forms: tuple[Any, ...], place: str) -> str | None:
    if origin is Literal:
        return None if value in forms else f"{place} is not one of {forms}"
    if origin is type:
        return None if isinstance(value, type) else _wrong(value, "a class", place)
    holds: bool = issubclass(cast("type[object]", origin), Collection)
    if not isinstance(value, origin) or (holds and isinstance(value, str | bytes)):
        return _wrong(value, origin, place)
    if issubclass(origin, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        found = (
            fault_of(each, form, f"{place}[{str(key)[:_SHOWN]}]")
            for key, held in pairs
            for each, form in zip((key, held), forms, strict=False)
        )
    elif origin is tuple and forms[-1:] != (Ellipsis,):
        parts = cast("tuple[object, ...]", value)
        if len(parts) != len(forms):
            return f"{place} has {len(parts)} parts, not {len(forms)}"
        found = (
            fault_of(part, form, f"{place}[{at}]")
            for at, (part, form) in enumerate(zip(parts, forms, strict=True))
        )
    elif holds:
        parts = enumerate(cast("Collection[object]", value))
        found = (fault_of(part, forms[0], f"{place}[{at}]") for at, part in parts)
    else:
        # What a function takes and gives, and what comes one by one, shows when it is asked.
        return None
    return next(filter(None, found), None)


def _is_text(value: str) -> bool:
    """Return True if a text can be written: half a surrogate pair cannot."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_json(value: object, depth: int) -> bool:
    if value is None or isinstance(value, bool | int | float):
        return True
    if isinstance(value, str):
        return _is_text(value)
    if not depth:
        return False
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return all(
            isinstance(key, str) and _is_text(key) and _is_json(held, depth - 1)
            for key, held in pairs
        )
    parts = cast("Iterable[object]", value) if isinstance(value, list | tuple) else None
    return parts is not None and all(_is_json(part, depth - 1) for part in parts)


@cache
def _hints(form: Any) -> Mapping[str, Any]:
    return get_type_hints(form)
