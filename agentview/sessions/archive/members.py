"""Which files a session consists of: its logs, those of its agents, and what is next to them."""

import os
from collections.abc import Iterator
from pathlib import Path

from agentview.domain.events import ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.facts.accounting.log_bytes import LogBytes, records_of
from agentview.providers.base import Provider
from agentview.providers.session_logs import session_logs
from agentview.sources.files import files_below
from agentview.sources.member import folder_form, is_database, member_of

_FOLDERS = 4
"""Folders above a log, one of which may be named after its session."""
_SHORTEST_ID = 8
"""Characters of an id that names a folder."""


class SessionMembers(Value):
    """The files of a session; paths are absolute."""

    logs: tuple[str, ...]
    """Its log and those of its agents."""
    files: tuple[str, ...]
    """Files that are copied as they are."""
    rows: dict[str, tuple[str, ...]]
    """Ids of sessions whose rows are copied, by databases."""


def members_of(provider: Provider, ref: SessionRef) -> SessionMembers:
    """Return the files of a session. Raises NotFound and Unreadable for unreadable logs."""
    refs = session_logs(provider.discovery, ref)
    files: dict[str, None] = {}
    rows: dict[str, dict[str, None]] = {}
    for each in refs:
        member = member_of(each.path)
        if member is None:
            files.update(dict.fromkeys(_of_log(each.path)))
        elif is_database(member[0]):
            rows.setdefault(member[0], {})[member[1]] = None
        else:
            files[member[0]] = None
        files.update(dict.fromkeys(_outputs(provider, each)))
    files.update(dict.fromkeys(_own_folder(ref)))
    return SessionMembers(
        logs=tuple(os.path.abspath(each.path) for each in refs),  # noqa: PTH100
        files=tuple(sorted({os.path.abspath(path) for path in files})),  # noqa: PTH100
        rows={os.path.abspath(path): tuple(ids) for path, ids in rows.items()},  # noqa: PTH100
    )


def _of_log(path: str) -> Iterator[str]:
    """The files of a log that is in no database, and those that are named after it."""
    form = folder_form(path)
    if form is not None:
        yield from _below(path)
        yield from form.outside(path)
        return
    yield path
    yield from _named_alike(path)
    stem = path.removesuffix(".zst").removesuffix(".zstd")
    stem = stem[: -len(Path(stem).suffix)] if Path(stem).suffix else stem
    if stem != path:
        yield from _below(stem)


def _own_folder(ref: SessionRef) -> Iterator[str]:
    """Files below the folder that is named after the session, where its log is in one."""
    name = ref.session_id
    if ref.parent_id is not None or member_of(ref.path) is not None:
        return
    # A log may state any id, such as the name of a folder that has much else in it.
    if len(name) < _SHORTEST_ID or name.isalpha():
        return
    for folder in list(Path(ref.path).parents)[:_FOLDERS]:
        if name in folder.name:
            yield from _below(str(folder))


def _below(folder: str) -> Iterator[str]:
    """Regular files in a folder; links are left out, since they lead elsewhere."""
    if os.path.islink(folder):  # noqa: PTH114
        return
    for entry in files_below(folder, ("",)):
        if not entry.is_symlink() and os.path.realpath(entry.path).startswith(
            os.path.realpath(folder)
        ):
            yield entry.path


def _named_alike(path: str) -> Iterator[str]:
    """Files that have the log's name up to the ending, such as `x.meta.json` of `x.jsonl`."""
    stem = Path(path).name.partition(".")[0]
    if not stem:
        return
    try:
        with os.scandir(Path(path).parent) as listed:
            for entry in listed:
                if entry.name.startswith(f"{stem}.") and entry.is_file(follow_symlinks=False):
                    yield entry.path
    except OSError:
        return


def _outputs(provider: Provider, ref: SessionRef) -> Iterator[str]:
    """Files with outputs that the log has only a part of."""
    calls: dict[str, ToolCall] = {}
    try:
        for line, _ in records_of(provider, Path(ref.path), LogBytes()):
            if line.data is None:
                continue
            source = SourceRef(ref.path, line.offset, line.length)
            for event in provider.decode(line.data, source, ref):
                body = event.body
                if isinstance(body, ToolCall):
                    calls[body.call_id] = body
                elif isinstance(body, ToolResult) and body.call_id in calls:
                    call = provider.reading.attach_result(calls.pop(body.call_id), body)
                    yield from _output(provider, ref, call)
    except AgentViewError:
        # A damaged log is copied as it is.
        return


def _output(provider: Provider, ref: SessionRef, call: ToolCall) -> Iterator[str]:
    result = call.result
    if isinstance(result, ShellResult) and result.spill_path is not None:
        file = provider.discovery.externalized_output(ref, result.spill_path)
        if file is not None:
            yield str(file)
