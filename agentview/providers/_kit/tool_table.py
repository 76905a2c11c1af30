"""Tables of tools: which family a name means, and what the tool calls its arguments."""

from collections.abc import Mapping
from typing import cast

from msgspec.structs import replace

from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tools import ToolKind
from agentview.normalize.json_values import Fields, changed, without
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import PayloadMaker, ToolSpec


def tools(
    *, plain: str = "", keys: Mapping[str, str] | None = None, **families: str
) -> dict[str, ToolSpec]:
    """Specs by the names of tools: `tools(read="cat view", bash="run", plain="memory")`.

    `plain` has the names of tools that are known and have no kind of their own; others are those of
    `FAMILIES`. `keys` is as in `tool`.
    """
    made = {name: tool("think", name) for name in plain.split()}
    for family, names in families.items():
        unnamed = not FAMILIES[family].canonical_name
        made |= {name: tool(family, name if unnamed else "", keys=keys) for name in names.split()}
    return made


def tool(
    family: str,
    name: str = "",
    *,
    keys: Mapping[str, str] | None = None,
    payload: PayloadMaker | None = None,
) -> ToolSpec:
    """The spec of a family, with a canonical name and a reader of arguments in place of its own.

    `keys` has what the tool calls its arguments, and what the family calls them.
    """
    known = FAMILIES[family]
    make = payload or known.payload
    return replace(
        known,
        canonical_name=name or known.canonical_name,
        payload=_renaming(make, keys) if keys else make,
    )


def _renaming(make: PayloadMaker, keys: Mapping[str, str]) -> PayloadMaker:
    return lambda fields: make(_renamed(fields, keys))


def _renamed(fields: Fields, keys: Mapping[str, str]) -> Fields:
    """Arguments by the names that a family has for them; of several for one name the first."""
    given = {key: value for key in keys if (value := fields.get(key)) is not None}
    named = {keys[key]: _parts(given[key], keys) for key in reversed(given)}
    return changed(without(fields, given), named) if given else fields


def _parts(value: object, keys: Mapping[str, str]) -> object:
    """A value, whose parts have the same names where it is a list of objects."""
    if not isinstance(value, list):
        return value
    parts = cast("list[object]", value)
    return [_renamed(cast("Fields", e), keys) if isinstance(e, dict) else e for e in parts]


def handoff(name: str) -> ToolSpec | None:
    """The spec of a tool that hands over to another agent, as the OpenAI Agents SDK names it."""
    agent = name.removeprefix("transfer_to_")
    payload = SubagentPayload(description=agent, agent_type=agent)
    handing = ToolSpec(ToolKind.SUBAGENT_TASK, name, lambda _fields: payload)
    return handing if agent != name else None
