"""Values and activities with their secrets masked, so that whatever shows them shows none."""

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import TypeVar, cast

from agentview.domain.activity import Activity
from agentview.domain.source import SourceRef
from agentview.domain.value import Value
from agentview.timeline.secrets import MASK, covered, is_secret_name, masked

MAX_DEPTH = 150
"""Levels of a value below which all of it is masked: what lies deeper is not looked at."""

_LEFT = frozenset({"call_id", "suffix", "session_id", "record_id", "parent_id", "response_id",
                   "media_type", "data"})  # fmt: skip
"""Fields that are never masked: ids, and encoded images, in which whatever is found is chance."""

_SHORT = 4
"""Characters from which the value of a secret name is masked: `yes` and `no` hide nothing."""

_ValueT = TypeVar("_ValueT")


def masked_activity(activity: Activity) -> Activity:
    """The activity without secrets; its events still lead to their bytes."""
    return masked_value(activity)


def masked_value(value: _ValueT) -> _ValueT:
    """The value with the secrets in all its texts masked; the same object when there are none.

    Keys of mappings tell what is secret as well. Places in files stay, since they lead to bytes.
    """
    return cast("_ValueT", _masked(value, 0))


def _masked(value: object, depth: int) -> object:
    if isinstance(value, str):
        return value if isinstance(value, Enum) or not value else masked(value)
    if value is None or isinstance(value, int | float | bytes | SourceRef):
        return value
    if depth > MAX_DEPTH:
        return MASK
    if isinstance(value, Value):
        return _masked_fields(value, depth)
    if isinstance(value, Mapping):
        return _masked_mapping(cast("Mapping[object, object]", value), depth)
    if isinstance(value, list):
        items = cast("list[object]", value)
        found = [_masked(item, depth + 1) for item in items]
        return found if _changed(items, found) else items
    if isinstance(value, tuple):
        members = cast("tuple[object, ...]", value)
        found = [_masked(item, depth + 1) for item in members]
        return tuple(found) if _changed(members, found) else members
    return value


def _changed(before: list[object] | tuple[object, ...], after: list[object]) -> bool:
    return any(one is not other for one, other in zip(before, after, strict=True))


def _masked_fields(value: Value, depth: int) -> object:
    changes: dict[str, object] = {}
    for name in type(value).field_names:
        if name in _LEFT:
            continue
        before = getattr(value, name)
        after = _masked(before, depth + 1)
        if after is not before:
            changes[name] = after
    return replace(value, **changes) if changes else value


def _masked_mapping(value: Mapping[object, object], depth: int) -> object:
    found: dict[object, object] = {}
    changed = False
    for key, before in value.items():
        after = _masked(before, depth + 1)
        secret = isinstance(before, str) and isinstance(key, str) and is_secret_name(key)
        if secret and isinstance(before, str) and len(before) >= _SHORT:
            after = covered(before)
        changed = changed or after is not before
        found[key] = after
    return found if changed else value
