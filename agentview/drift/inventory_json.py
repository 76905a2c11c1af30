"""A census as JSON, to be kept as a baseline: shapes and counts, no values and no places."""

from collections import Counter
from collections.abc import Mapping
from typing import cast

from agentview.drift.schema_inference import NOTHING, collapsed
from agentview.drift.schema_inventory import (
    Occurrences,
    SchemaInventory,
    ToolStats,
    TypeStats,
    VersionStats,
)
from agentview.drift.schema_json import from_form, to_form
from agentview.errors import AgentViewError

FORM = 1
"""Version of the form."""

Form = dict[str, object]


def census_form(census: SchemaInventory) -> Form:
    """`{v, providers: {name: {version: {files, records, types, tools}}}}`, names in their order.

    A type is `{records, unread, shape, often}`, a tool `{kind, calls, results, arguments, result,
    often_argument, often_result}`; shapes are as `to_form` has them, and `often` says of how many
    values each path was part that not all had.
    """
    return {
        "v": FORM,
        "providers": {
            name: {version: _version_form(versions[version]) for version in sorted(versions)}
            for name, versions in sorted(census.providers.items())
        },
        **({"unreadable": census.unreadable} if census.unreadable else {}),
    }


def _version_form(seen: VersionStats) -> Form:
    return {
        "files": seen.files,
        "records": seen.record_count,
        "types": {
            name: {
                "records": each.records.count,
                **({"unread": each.unread} if each.unread else {}),
                "shape": _shape_form(each.records),
                **_often_form("often", each.records),
            }
            for name, each in sorted(seen.types.items())
        },
        "tools": {
            name: {
                "kind": tool.kind,
                "calls": tool.arguments.count,
                "results": tool.result.count,
                "arguments": _shape_form(tool.arguments),
                "result": _shape_form(tool.result),
                **_often_form("often_argument", tool.arguments),
                **_often_form("often_result", tool.result),
            }
            for name, tool in sorted(seen.tools.items())
        },
    }


def _shape_form(seen: Occurrences) -> object:
    return to_form(collapsed(seen.shape)) if seen.shape != NOTHING else None


def _often_form(name: str, seen: Occurrences) -> Form:
    often = {path: count for path, count in sorted(seen.often.items()) if count < seen.count}
    return {name: often} if often else {}


def census_of(form: object) -> SchemaInventory:
    """The census that `census_form` gave this for. Raises AgentViewError for anything else."""
    try:
        fields = _object(form)
        if fields.get("v") != FORM:
            raise ValueError(f"its version is {fields.get('v')!r}, not {FORM}")
        census = SchemaInventory()
        for name, versions in _object(fields.get("providers")).items():
            for version, seen in _object(versions).items():
                census.providers.setdefault(name, {})[version] = _version_of(_object(seen))
    except (ValueError, TypeError) as error:
        raise AgentViewError(
            f"The baseline is not a census: {error}.", "Make one with 'agentview dev census'."
        ) from error
    return census


def _version_of(form: Mapping[str, object]) -> VersionStats:
    seen = VersionStats(_number(form.get("files")))
    for name, each in _object(form.get("types")).items():
        fields = _object(each)
        records = _seen_of(fields, "records", "shape", "often")
        seen.types[name] = TypeStats(records, _number(fields.get("unread", 0)))
    for name, each in _object(form.get("tools")).items():
        fields = _object(each)
        seen.tools[name] = ToolStats(
            Counter({str(fields.get("kind")): _number(fields.get("calls"))}),
            _seen_of(fields, "calls", "arguments", "often_argument"),
            _seen_of(fields, "results", "result", "often_result"),
        )
    return seen


def _seen_of(fields: Mapping[str, object], count: str, shape: str, often: str) -> Occurrences:
    form = fields.get(shape)
    counts = {path: _number(each) for path, each in _object(fields.get(often, {})).items()}
    known = NOTHING if form is None else from_form(form)
    return Occurrences(_number(fields.get(count)), known, often=Counter(counts))


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError(f"{value!r} is not a count")
    return value


def _object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError("a part of it is not an object")
    return cast("dict[str, object]", value)
