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
from agentview.normalize.json_values import time_of, whole_of
from agentview.providers._kit.listed_client import list_of, log_at
from agentview.providers._kit.typed_values import read_as
from agentview.providers.claude.claude_code.discovery import records_in
from agentview.providers.claude.claude_code.live_registry import (
    JOB,
    JOBS,
    STATE,
    is_blocked,
    request_of,
)
from agentview.providers.claude.claude_code.schema import JobState, JournalLine, Workflow
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
        line = read_as(record, JournalLine)
        if not line.agent_id:
            continue
        if line.type == "started":
            begun.append((line.phase or "", line.agent_id))
        elif line.type == "result":
            done.add(line.agent_id)
    return tuple(begun), frozenset(done)


def _session_folder(log: Path) -> Path:
    """The folder with the files of a session, by its log or by that of one of its agents."""
    inside = next((each.parent for each in log.parents if each.name == "subagents"), None)
    return log.with_suffix("") if inside is None else inside


@lru_cache(maxsize=_MOST_RUNS)
def _titles(ended: Path, _modified: int, _size: int) -> Sequence[str]:
    """The phases of a workflow that has ended."""
    try:
        known = read_as(orjson.loads(read_part(ended, 0, _MOST_BYTES)), Workflow)
    except ValueError:
        return ()
    return tuple(each.title for each in known.phases or () if each is not None and each.title)


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


def _read(file: Path) -> JobState | None:
    stamp = _stamp(file)
    return None if stamp is None else _as_of(file, *stamp)


@lru_cache(maxsize=_MOST_JOBS)
def _as_of(file: Path, _modified: int, _size: int) -> JobState | None:
    try:
        return read_as(orjson.loads(read_part(file, 0, _STATE_BYTES)), JobState)
    except ValueError:
        return None


def _session(state: JobState, home: Path) -> BackgroundSession | None:
    if not state.session_id:
        return None
    job, cwd, children = state.daemon_short, state.cwd or None, state.children
    return BackgroundSession(
        state.session_id,
        state.name or state.intent or state.session_id,
        state.state or "unknown",
        cwd=cwd,
        log=log_at(str(home / "projects"), cwd, state.session_id),
        needs=request_of(state),
        detail=state.detail or None,
        tokens=whole_of(state.tokens),
        children=(len(children) or None) if isinstance(children, list) else whole_of(children),
        blocked=is_blocked(state),
        over=state.first_terminal_at is not None,
        began=time_of(state.created_at),
        updated=time_of(state.updated_at),
        open_command=("claude", "attach", job) if job and JOB.fullmatch(job) else (),
    )
