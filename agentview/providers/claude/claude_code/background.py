"""Files that Claude Code keeps of what it does in the background.

Measured on 2.1.332. A workflow has a journal with a line for each agent that begins and that
reports its result, and, once it has ended, `workflows/<run>.json`. A background session has
`jobs/<id>/state.json` in the client's directory, which is rewritten at each change; `claude attach
<id>` opens it.
"""

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import orjson

from agentview.domain.background import BackgroundSession, WorkflowPhase
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.listed_client import list_of, log_at
from agentview.providers.claude.claude_code.discovery import records_in
from agentview.providers.claude.claude_code.live_registry import (
    JOB,
    JOBS,
    STATE,
    is_blocked,
    request_of,
)
from agentview.sources.files import read_part

_RUN = re.compile(r"wf_[0-9A-Za-z-]{1,64}")
_MOST_BYTES = 1 << 20
_STATE_BYTES = 1 << 16
_MOST_JOBS = 64
_MOST_RUNS = 32
_SCRIPT_BYTES = 4_000
_PHASES = re.compile(r"\bphases\s*:\s*\[(.*?)\]", re.DOTALL)
_TITLE = re.compile(r"\btitle\s*:\s*(['\"`])(?P<title>[^'\"`\n]{1,200})\1")


def workflow_phases(ref: SessionRef, run: str) -> Sequence[WorkflowPhase]:
    """The phases of a workflow that a session started, in order; none for anything else."""
    if not _RUN.fullmatch(run):
        return ()
    folder = _session_folder(Path(ref.path))
    journal = folder / "subagents" / "workflows" / run / "journal.jsonl"
    ended = folder / "workflows" / f"{run}.json"
    over = _stamp(ended)
    titles = _planned(folder / "workflows/scripts", run) if over is None else _titles(ended, *over)
    written = _stamp(journal)
    agents, done = ((), frozenset[str]()) if written is None else _agents(journal, *written)
    begun: dict[str, set[str]] = {title: set() for title in titles}
    for phase, agent in agents:
        begun.setdefault(phase, set()).add(agent)
    return [
        WorkflowPhase(title, len(each & done), len(each), over is not None)
        for title, each in begun.items()
        if title or each
    ]


def _stamp(file: Path) -> tuple[int, int] | None:
    """When a file was written and how large it is; None where there is none."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=_MOST_RUNS)
def _agents(
    journal: Path, _modified: int, _size: int
) -> tuple[tuple[tuple[str, str], ...], frozenset[str]]:
    """The phase and id of each agent that has begun, in order, and the ids of those that are done.

    As a journal is now.
    """
    begun: list[tuple[str, str]] = []
    done: set[str] = set()
    for record in records_in(read_part(journal, 0, _MOST_BYTES)):
        agent, kind = text_of(record.get("agentId")), record.get("type")
        if agent is None:
            continue
        if kind == "started":
            begun.append((text_of(record.get("phase")) or "", agent))
        elif kind == "result":
            done.add(agent)
    return tuple(begun), frozenset(done)


def _session_folder(log: Path) -> Path:
    """The folder with the files of a session, by its log or by that of one of its agents."""
    inside = next((each.parent for each in log.parents if each.name == "subagents"), None)
    return log.with_suffix("") if inside is None else inside


@lru_cache(maxsize=_MOST_RUNS)
def _titles(ended: Path, _modified: int, _size: int) -> Sequence[str]:
    """The phases of a workflow that has ended."""
    try:
        known = fields_of(orjson.loads(read_part(ended, 0, _MOST_BYTES)))
    except ValueError:
        return ()
    titles = (text_of(fields_of(phase).get("title")) for phase in items_of(known.get("phases")))
    return tuple(title for title in titles if title)


def _planned(scripts: Path, run: str) -> Sequence[str]:
    """The phases that the script of a run names in its `meta`."""
    try:
        names = [entry.name for entry in os.scandir(scripts)]
    except OSError:
        return []
    script = next((name for name in sorted(names) if name.endswith(f"-{run}.js")), None)
    if script is None:
        return []
    text = read_part(scripts / script, 0, _SCRIPT_BYTES).decode("utf-8", "replace")
    found = _PHASES.search(text)
    return [] if found is None else [each["title"] for each in _TITLE.finditer(found[1])]


def background_sessions(ref: SessionRef) -> Sequence[BackgroundSession]:
    """The sessions that the client of a session runs in the background, the newest first."""
    listed = list_of(ref.path)
    if listed is None:
        return ()
    home = Path(listed).parent
    found = [state for file in _states(home / JOBS) if (state := _read(file)) is not None]
    sessions = (_session(state, home) for state in found)
    known = [each for each in sessions if each is not None and each.session_id != ref.session_id]
    return sorted(known, key=lambda each: each.began or 0.0, reverse=True)


def _states(jobs: Path) -> Iterator[Path]:
    try:
        folders = [entry for entry in os.scandir(jobs) if JOB.fullmatch(entry.name)]
        folders = [each for each in folders if each.is_dir(follow_symlinks=False)]
        folders.sort(key=lambda each: each.stat().st_mtime, reverse=True)
    except OSError:
        return
    for folder in folders[:_MOST_JOBS]:
        yield Path(folder.path, STATE)


def _read(file: Path) -> Fields | None:
    stamp = _stamp(file)
    return None if stamp is None else _as_of(file, *stamp)


@lru_cache(maxsize=_MOST_JOBS)
def _as_of(file: Path, _modified: int, _size: int) -> Fields | None:
    try:
        return fields_of(orjson.loads(read_part(file, 0, _STATE_BYTES)))
    except ValueError:
        return None


def _session(state: Fields, home: Path) -> BackgroundSession | None:
    session_id = text_of(state.get("sessionId"))
    if session_id is None:
        return None
    job, cwd = text_of(state.get("daemonShort")), text_of(state.get("cwd"))
    children = state.get("children")
    return BackgroundSession(
        session_id,
        text_of(state.get("name")) or text_of(state.get("intent")) or session_id,
        text_of(state.get("state")) or "unknown",
        cwd=cwd,
        log=log_at(str(home / "projects"), cwd, session_id),
        needs=request_of(state),
        detail=text_of(state.get("detail")),
        tokens=whole_of(state.get("tokens")),
        children=len(items_of(children)) or whole_of(children),
        blocked=is_blocked(state),
        over=state.get("firstTerminalAt") is not None,
        began=time_of(state.get("createdAt")),
        updated=time_of(state.get("updatedAt")),
        open_command=("claude", "attach", job) if job and JOB.fullmatch(job) else (),
    )
