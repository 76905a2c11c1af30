"""Values and activities with their secrets masked, so that whatever shows them shows none."""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.record_ref import SourceRef
from agentview.domain.value import Value
from agentview.redaction.names import is_secret_name
from agentview.redaction.secrets import MASK, Note, across_lines, covered, masked

MAX_DEPTH = 150
"""Levels of a value below which all of it is masked: what lies deeper is not looked at."""

_LEFT = frozenset({"call_id", "suffix", "session_id", "record_id", "parent_id", "response_id",
                   "media_type", "data"})  # fmt: skip
"""Fields that are never masked: ids, and encoded images, in which whatever is found is chance."""

_SHORT = 4
"""Characters from which the value of a secret name is masked: `yes` and `no` hide nothing."""

_NUMBER = 6
"""Characters of the mask of a number: its own length would reveal something."""

_NAMED = (("name", "value"), ("key", "value"), ("Name", "Value"), ("Key", "Value"),
          ("id", "value"), ("label", "value"))  # fmt: skip
"""Keys that hold a name, and those of the value it names."""

_TOGETHER = (
    (frozenset({"name", "value", "domain"}), "value"),
    (frozenset({"username", "key"}), "key"),
)
"""Keys of cookies and of accounts, and which of them is secret."""

_ValueT = TypeVar("_ValueT")


_KEY = "value of a secret key"
"""The rule that finds a secret by the key of a mapping."""


def masked_activity(activity: Activity) -> Activity:
    """The activity without secrets; its events still lead to their bytes."""
    return masked_value(activity)


def masked_value(value: _ValueT, note: Note | None = None) -> _ValueT:
    """The value with the secrets in all its texts masked; the same object when there are none.

    Keys of mappings show what is secret as well. Places in files stay, since they lead to bytes.
    `note` is called with the name of the rule for each secret.
    """
    return cast("_ValueT", _masked(value, 0, note))


def _masked(value: object, depth: int, note: Note | None) -> object:
    if isinstance(value, str):
        return value if isinstance(value, Enum) or not value else masked(value, note)
    if value is None or isinstance(value, int | float | bytes | SourceRef):
        return value
    if depth > MAX_DEPTH:
        return MASK
    if isinstance(value, Value):
        return _masked_fields(value, depth, note)
    if isinstance(value, Mapping):
        return _masked_mapping(cast("Mapping[object, object]", value), depth, note)
    if isinstance(value, list):
        items = cast("list[object]", value)
        found = _masked_items(items, depth, note)
        return found if _changed(items, found) else items
    if isinstance(value, tuple):
        members = cast("tuple[object, ...]", value)
        found = _masked_items(members, depth, note)
        return tuple(found) if _changed(members, found) else members
    return value


def _masked_items(items: Sequence[object], depth: int, note: Note | None) -> list[object]:
    """Each item without secrets; what takes several of them, as lines of a diff, is one text."""
    found = [_masked(item, depth + 1, note) for item in items]
    lines = [_line_of(item) for item in items] if len(items) > 1 else []
    if not all(line is not None for line in lines):
        return found
    for at, (start, end, rule) in across_lines([line or "" for line in lines]):
        item = found[at]
        line = _line_of(item) or ""
        shown = line[:start] + covered(line[start:end]) + line[end:]
        if shown != line:
            found[at] = replace(item, text=shown) if isinstance(item, Value) else shown
            if note is not None:
                note(rule)
    return found


def _line_of(item: object) -> str | None:
    """An item that is a line of a text, or that has one, as what was found by a search."""
    line = getattr(item, "text", None) if isinstance(item, Value) else item
    return line if isinstance(line, str) and not isinstance(line, Enum) else None


def _changed(before: list[object] | tuple[object, ...], after: list[object]) -> bool:
    return any(one is not other for one, other in zip(before, after, strict=True))


def _masked_fields(value: Value, depth: int, note: Note | None) -> object:
    changes: dict[str, object] = {}
    for name in value.__struct_fields__:
        if name in _LEFT:
            continue
        before = getattr(value, name)
        after = _masked(before, depth + 1, note)
        if after is not before:
            changes[name] = after
    return replace(value, **changes) if changes else value


def _masked_mapping(value: Mapping[object, object], depth: int, note: Note | None) -> object:
    found: dict[object, object] = {}
    changed = False
    secret = secret_keys(value)
    for name, before in value.items():
        shown = _masked(name, depth + 1, note)
        while shown is not name and shown in found:
            shown = f"{shown}{MASK}"
        if name in secret or _is_secret(name, before):
            after = with_leaves(before, _covered, depth)
            if note is not None and after != before:
                note(_KEY)
        else:
            after = _masked(before, depth + 1, note)
        changed = changed or after is not before or shown is not name
        found[shown] = after
    return found if changed else value


def _is_secret(key: object, value: object) -> bool:
    return isinstance(key, str) and is_secret_name(key, number=isinstance(value, int | float))


def with_leaves(value: object, cover: Callable[[object], object], depth: int = 0) -> object:
    """A value of the same structure, in which `cover` says what stands for each text and number."""
    if isinstance(value, Mapping) and depth <= MAX_DEPTH:
        fields = cast("Mapping[object, object]", value)
        return {key: with_leaves(item, cover, depth + 1) for key, item in fields.items()}
    if isinstance(value, list | tuple) and depth <= MAX_DEPTH:
        items = cast("Sequence[object]", value)
        return [with_leaves(item, cover, depth + 1) for item in items]
    return cover(cast("object", value))


def _covered(value: object) -> object:
    """Return the replacement of a secret text or number."""
    if isinstance(value, str):
        return covered(value) if len(value) >= _SHORT else value
    if value is None or isinstance(value, bool):
        return value
    return MASK * _NUMBER


def secret_keys(value: Mapping[Any, object]) -> frozenset[object]:
    """Keys whose values are secret since other keys say so: `{name, value}` and the like."""
    found = {
        item
        for name, item in _NAMED
        if item in value and isinstance(named := value.get(name), str) and _says_secret(named)
    }
    found.update(item for keys, item in _TOGETHER if keys <= value.keys())
    more = {"data", "stringData"} if value.get("kind") == "Secret" else set[str]()
    return frozenset(found | more)


def _says_secret(name: str) -> bool:
    return is_secret_name(name) or "/secrets/" in name
