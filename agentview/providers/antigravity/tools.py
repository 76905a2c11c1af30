"""Which tool a name means; what is not here is known by the rules that all share."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import Fields
from agentview.normalize.tools.registry import FAMILIES
from agentview.normalize.tools.specs import PayloadMaker, ToolSpec

_PREFIX = "default_api:"
_NAMES = {
    "TargetFile": "file_path", "AbsolutePath": "file_path", "File": "file_path",
    "CodeContent": "content", "TargetContent": "old_string", "ReplacementContent": "new_string",
    "AllowMultiple": "replace_all", "CommandLine": "command", "Cwd": "cwd",
    "SearchPath": "path", "SearchDirectory": "path", "Pattern": "pattern", "Query": "query",
    "query": "query", "Url": "url", "Prompt": "prompt", "Task": "prompt",
}  # fmt: skip
"""What arguments are called here, and by the rules that all share."""


def shared_names(fields: Fields) -> Fields:
    """The arguments under the names that all share; others keep theirs."""
    named: dict[str, object] = {_NAMES.get(key, key): value for key, value in fields.items()}
    chunks = [shared_names(mapping(each)) for each in items(fields.get("ReplacementChunks"))]
    return {**named, "edits": chunks} if chunks else named


def _spec(family: str, name: str = "") -> ToolSpec:
    known = FAMILIES[family]
    made = replace(known, payload=_renamed(known.payload))
    return replace(made, canonical_name=name) if name else made


def _renamed(payload: PayloadMaker) -> PayloadMaker:
    return lambda fields: payload(shared_names(fields))


SPECS: Mapping[str, ToolSpec] = {
    "view_file": _spec("read"),
    "view_file_outline": _spec("read", "view_file_outline"),
    "view_code_item": _spec("read", "view_code_item"),
    "list_dir": _spec("ls"),
    "find_by_name": _spec("glob"),
    "grep_search": _spec("grep"),
    "codebase_search": _spec("semantic"),
    "write_to_file": _spec("write"),
    "write_file": _spec("write"),
    "replace_file_content": _spec("edit"),
    "multi_replace_file_content": _spec("multi_edit"),
    "run_command": _spec("bash"),
    "command_status": _spec("output", "command_status"),
    "send_command_input": _spec("input", "send_command_input"),
    "search_web": _spec("web_search"),
    "read_url_content": _spec("web_fetch"),
    "browser_subagent": _spec("task"),
}


def find_tool(name: str, _args: Fields) -> ToolSpec | None:
    """The spec of a tool by its name, which may have the name of the interface in front of it."""
    return SPECS.get(name.removeprefix(_PREFIX))


def plain_arguments(fields: Fields) -> Fields:
    """The arguments; a short transcript has the JSON of each value as a text."""
    return {key: _plain(value) for key, value in fields.items()}


def _plain(value: object) -> object:
    if not isinstance(value, str) or value[:1] not in ('"', "[", "{"):
        return value
    found = mapping(f'{{"value": {value}}}')
    return found.get("value", value) if text(found, "value") is not None else value
