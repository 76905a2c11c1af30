"""Tolerant access to loosely typed JSON: a field may be missing, misspelt, or of another type."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar, cast

import orjson

Fields = Mapping[str, object]

_Made = TypeVar("_Made")

PATH_KEYS = (
    "file_path",
    "filePath",
    "filepath",
    "path",
    "target_file",
    "targetFile",
    "absolute_path",
    "absolutePath",
    "AbsolutePath",
    "notebook_path",
    "filename",
    "fileName",
    "file",
    "relative_path",
    "uri",
)
"""Names that agents use for the file that a tool works on, surest first."""


def as_text(value: object) -> str | None:
    """A value as text: strings as they are, lists of strings by comma, the rest as JSON.

    None stays None, so that a missing value and an empty one remain two things.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = cast("list[object]", value)
        if parts and all(isinstance(part, str) for part in parts):
            return ", ".join(cast("list[str]", parts))
    return to_json(cast("object", value))


def to_json(value: object) -> str:
    """A value as compact JSON text, also where it holds what JSON writers refuse."""
    try:
        # Objects that note what is read of them are written by the slower writer, which reads them.
        return orjson.dumps(value, option=orjson.OPT_PASSTHROUGH_SUBCLASS).decode()
    except TypeError:
        pass
    try:
        return json.dumps(value, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError):
        return f"({type(value).__name__} that cannot be written as JSON)"


def text(fields: Fields, *keys: str) -> str | None:
    """The first of `keys` that has a value, as text."""
    for key in keys:
        value = fields.get(key)
        if value is not None:
            return value if isinstance(value, str) else as_text(value)
    return None


def body(fields: Fields, *keys: str) -> str | None:
    """Like `text`, for the contents of a file: a list is its lines, joined as they stand."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, list):
            lines = cast("list[object]", value)
            if all(isinstance(line, str) for line in lines):
                ends = any(cast("str", line).endswith("\n") for line in lines[:-1])
                return ("" if ends else "\n").join(cast("list[str]", lines))
        found = as_text(cast("object", value))
        if found is not None:
            return found
    return None


def path(fields: Fields, *more: str) -> str | None:
    """The file that the fields name, by any of its usual names; `more` are tried first."""
    for key in (*more, *PATH_KEYS):
        value = fields.get(key)
        if value is None:
            continue
        if isinstance(value, list) and len(cast("list[object]", value)) == 1:
            value = cast("list[object]", value)[0]
        found = as_text(cast("object", value))
        if found is not None:
            return found
    return None


def number(fields: Fields, *keys: str) -> int | None:
    """The first of `keys` that holds a whole number, also one written as text."""
    found = real(fields, *keys)
    return int(found) if found is not None else None


def real(fields: Fields, *keys: str) -> float | None:
    """The first of `keys` that holds a finite number, also one written as text."""
    for key in keys:
        value = fields.get(key)
        if value is not None and (found := _real(value)) is not None:
            return found
    return None


def _real(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if abs(found) < 1e18 else None


def flag(fields: Fields, *keys: str) -> bool:
    """True when one of `keys` is true, or is text or a number that says so."""
    for key in keys:
        value = fields.get(key)
        if value is None:
            continue
        if isinstance(value, str):
            return value.strip().lower() in {"true", "yes", "1"}
        return bool(value)
    return False


def mapping(value: object) -> Fields:
    """The value when it is an object, also one written as JSON text; else an empty mapping."""
    if isinstance(value, dict):
        # Asking for any mapping takes much longer.
        return cast("Fields", value)
    if value is None:
        return {}
    if isinstance(value, str):
        value = _parsed(value) if value.lstrip().startswith("{") else None
        return cast("Fields", value) if isinstance(value, dict) else {}
    return cast("Fields", value) if isinstance(value, Mapping) else {}


def items(value: object) -> list[object]:
    """The value when it is a list, also one written as JSON text; else an empty list."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _parsed(value)
    return cast("list[object]", value) if isinstance(value, list) else []


def texts(value: object) -> tuple[str, ...]:
    """A list of texts; a single text is a list of one."""
    if isinstance(value, str) and not value.lstrip().startswith("["):
        return (value,) if value else ()
    found = (as_text(item) for item in items(value))
    return tuple(item for item in found if item is not None)


def first(fields: Fields, *keys: str) -> object:
    """The value of the first of `keys` that is there and not null."""
    for key in keys:
        value = fields.get(key)
        if value is not None:
            return value
    return None


def collect(values: Iterable[object], make: Callable[[Fields], _Made | None]) -> tuple[_Made, ...]:
    """Return the results of `make` for those values that are objects, without the refused ones."""
    made = (
        make(cast("Fields", value))
        for value in values
        if isinstance(value, dict) or isinstance(value, Mapping)  # noqa: SIM101  (quicker)
    )
    return tuple(item for item in made if item is not None)


def _parsed(value: str) -> object:
    try:
        return orjson.loads(value)
    except ValueError:
        return None
