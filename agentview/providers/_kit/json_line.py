"""Names for what a line of JSON holds, and what reading one may raise."""

UNREADABLE = (
    ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError, RecursionError,
)  # fmt: skip
"""Errors that decoding a record of an unknown form may raise."""


def escaped(key: str) -> str:
    """A key as a part of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def json_kind(value: object) -> str:
    """Kind of a JSON value, in a word or two."""
    if value is None:
        return "null"
    if isinstance(value, list | dict):
        return "list" if isinstance(value, list) else "object"
    if isinstance(value, bool):
        return "truth value"
    return "text" if isinstance(value, str) else "number"
