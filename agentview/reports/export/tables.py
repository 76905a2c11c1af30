"""Sessions as tables for databases: what happened and what was used, without the texts of it.

`docs/scale.md` describes the columns. Sums over `responses` are those of `agentview stats`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from msgspec.structs import asdict

from agentview.domain.session import Stream, StreamKind
from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.facts.edits.operations import FileAction, FileStep
from agentview.reports.export.document.entries import Heading
from agentview.reports.export.encoding import Object, iso_time
from agentview.reports.export.events import Status
from agentview.reports.export.session_data import SessionData

TEXT, WHOLE, REAL, FLAG = "VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"
TIME, DAY = "TIMESTAMPTZ", "DATE"
"""Types of columns, as SQL names them. Times are UTC; times and days are texts by ISO 8601."""

_KEY = {"host": TEXT, "login": TEXT, "day": DAY, "log": TEXT, "session": TEXT, "provider": TEXT}
"""Columns of each table; `log` identifies a session of a user on a machine."""

TABLES: dict[str, dict[str, str]] = {
    "sessions": {
        **_KEY,
        "client": TEXT,
        "client_version": TEXT,
        "title": TEXT,
        "project": TEXT,
        "branch": TEXT,
        "model": TEXT,
        "started": TIME,
        "ended": TIME,
        "agents": WHOLE,
        "compactions": WHOLE,
        "client_cost": REAL,
    },
    "turns": {
        **_KEY,
        "turn": WHOLE,
        "number": WHOLE,
        "started": TIME,
        "prompt": TEXT,
        "abandoned": FLAG,
    },
    "calls": {
        **_KEY,
        "id": TEXT,
        "agent": TEXT,
        "time": TIME,
        "response": TEXT,
        "kind": TEXT,
        "tool": TEXT,
        "state": TEXT,
        "failed": FLAG,
        "abandoned": FLAG,
    },
    "responses": {
        **_KEY,
        "id": TEXT,
        "agent": TEXT,
        "is_agent": FLAG,
        "turn": WHOLE,
        "time": TIME,
        "model": TEXT,
        "vendor": TEXT,
        **dict.fromkeys(Usage.__struct_fields__, WHOLE),
        "counts": FLAG,
        "cost_estimate": REAL,
        "client_cost": REAL,
    },
    "edits": {
        **_KEY,
        "agent": TEXT,
        "time": TIME,
        "path": TEXT,
        "number": WHOLE,
        "action": TEXT,
        "moved_to": TEXT,
        "added": WHOLE,
        "removed": WHOLE,
    },
}
"""Columns and their types, by the names of the tables."""


class SessionTables(Value, gc=True):
    """A session with what its rows are made of; all of it is masked, or nothing is."""

    data: SessionData
    heading: Heading
    steps: Sequence[FileStep]
    """Changes of its calls to files, in order."""
    host: str
    login: str
    """The machine that the log is on, and the name of its user there."""

    @property
    def day(self) -> str:
        """The day on which the session began, else that of the last write to its log, in UTC."""
        times = (self.data.usage.started, self.data.ref.modified, 0.0)
        return next(day for time in times if (day := iso_time(time)))[:10]

    def rows(self, table: str) -> Iterator[Object]:
        """The rows that a table has of the session, each with all columns of the table."""
        ref = self.data.ref
        key = {
            "host": self.host,
            "login": self.login,
            "day": self.day,
            "log": ref.path,
            "session": ref.session_id,
            "provider": ref.provider,
        }
        made = {
            "sessions": self._sessions,
            "turns": self._turns,
            "calls": self._calls,
            "responses": self._responses,
            "edits": self._edits,
        }[table]()
        return ({**key, **row} for row in made)

    def _sessions(self) -> Iterable[Object]:
        usage, known = self.data.usage, self.heading
        yield {
            "client": known.provider,
            "client_version": known.version,
            "title": known.title,
            "project": known.project,
            "branch": known.branch,
            "model": known.model,
            "started": iso_time(usage.started),
            "ended": iso_time(usage.ended),
            "agents": len(usage.agent_paths),
            "compactions": usage.compactions,
            "client_cost": usage.client_cost,
        }

    def _turns(self) -> Iterable[Object]:
        for turn in self.data.usage.turns:
            yield {
                "turn": turn.at,
                "number": turn.number,
                "started": iso_time(turn.started),
                "prompt": turn.prompt,
                "abandoned": turn.abandoned,
            }

    def _calls(self) -> Iterable[Object]:
        for line in self.data.lines:
            standing = line["status"] in (Status.ACTIVE, Status.ABANDONED)
            if line["type"] != "tool_call" or not standing:
                continue
            yield {
                "id": line["id"],
                "agent": _agent(cast("Stream", line["stream"])),
                "time": line["time"],
                "response": line.get("response_id"),
                "kind": line["kind"],
                "tool": line["canonical_name"],
                "state": line["state"],
                "failed": None if line["ok"] is None else not line["ok"],
                "abandoned": line["status"] is Status.ABANDONED,
            }

    def _responses(self) -> Iterable[Object]:
        for each in self.data.responses:
            yield {
                "id": None if each.is_correction else each.id,
                "agent": _agent(each.stream),
                "is_agent": each.is_agent,
                "turn": each.turn,
                "time": iso_time(each.time),
                "model": each.model,
                "vendor": self.data.vendor(each.model),
                **asdict(each.usage),
                "counts": each.counts,
                "cost_estimate": None if each.price is None else each.price.cost,
                "client_cost": each.client_cost,
            }

    def _edits(self) -> Iterable[Object]:
        for step in self.steps:
            if step.act is FileAction.READ:
                continue
            yield {
                "agent": _agent(step.stream),
                "time": iso_time(step.time),
                "path": step.path,
                "number": step.number,
                "action": step.act,
                "moved_to": step.move_to,
                "added": step.added,
                "removed": step.removed,
            }


def _agent(stream: Stream) -> str | None:
    """The agent of a stream; None for the session itself."""
    return None if stream.kind is StreamKind.MAIN else stream.id
