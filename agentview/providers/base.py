"""The contract of a provider: what is asked about its logs, and the form of the answers."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, Protocol, get_args

from msgspec.structs import replace

from agentview.domain.background import BackgroundSession, WorkflowPhase
from agentview.domain.events import Event, ToolResult
from agentview.domain.index_entry import LightEvent
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import Activity
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value
from agentview.errors import AgentViewError, NotFound, reason_of
from agentview.normalize.session_state import NO_HABITS, LogHabits
from agentview.sources.member import Archive, Database, Folder, Member, last_write, log_stat

HEAD_BYTES = 65_536
"""How much of a file decides whose it is."""

CERTAIN = 0.95
"""Confidence of a probe that found a record which no other program writes."""


class Documents(Value, gc=True):
    """Logs that are one JSON document, rewritten whole, instead of lines that are appended."""

    begin: Callable[[bytes], bool]
    """Return by its beginning whether a file is such a document."""
    split: Callable[[bytes], Sequence[tuple[int, int]]]
    """Start and end of each record of a document, in order. Raises ValueError when it is none."""


class Discovery(Protocol):
    """Says which files are mine, and where sessions lie."""

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence 0..1 that a file that begins with `head` is mine, by content alone.

        `path` may break a tie; it never decides. `head` may be cut anywhere.
        """
        ...

    def roots(self, env: Mapping[str, str]) -> Sequence[Path]:
        """Directories where sessions may lie, whether they exist or not."""
        ...

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """Files under `root` that by their names may hold sessions; opens none of them.

        Of a database all its sessions, whether `root` is above it or is the database.
        """
        ...

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in one of these files, a sub-agent's too; None when it is not a log of mine.

        It is asked only for files that have content.
        """
        ...

    def ref(self, path: Path) -> SessionRef:
        """The session that a file holds: its id by content, else by file name."""
        ...

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """Files of agents that this session started and that exist now."""
        ...

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        """Directories, existing or not, in which files of such agents appear."""
        ...

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        """The file that holds an output too large for the log, whose path the log states.

        None when it is not there, or not where the client keeps what belongs to the session.
        """
        ...

    def info(self, ref: SessionRef, decode: "Light") -> SessionInfo:
        """Facts from a head and a tail of the file (at most 128 kB each), which `decode` reads."""
        ...


class Entry(Protocol):
    """Entry of a listing: a `DirEntry`, a `Member`, or a copy in the archive."""

    @property
    def path(self) -> str: ...


class Decode(Protocol):
    """Returns the events of a record."""

    def __call__(self, record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
        """Events of one record: pure, keeps nothing, never raises, never returns an empty list."""
        ...


class Light(Protocol):
    """Returns the light events of a record, and as they are those that have no light form."""

    def __call__(
        self, record: bytes, source: SourceRef, session: SessionRef
    ) -> Sequence[LightEvent]:
        """As `Decode`: each of these, made, is the event of the same place there."""
        ...


class Answer(Protocol):
    """Joins a call with its outcome."""

    def __call__(self, call: ToolCall, result: ToolResult) -> ToolCall:
        """The call with state, output and typed result; pure and never raises."""
        ...


def logged(record: Mapping[str, object]) -> str:
    """How a record came that its client wrote to its own log: as all do, where nothing is said."""
    _ = record
    return "log"


class ListedClient(Value):
    """A client that runs, as its entry in the client's own list of running sessions says."""

    session_id: str
    pid: int
    started: str | None = None
    """When its process began, as the system counts it: field 22 of `/proc/<pid>/stat` on Linux."""
    started_at: float | None = None
    """The same by the clock of the client, epoch seconds; the process began a little before."""
    here: bool | None = None
    """True if its process id counts where we run, rather than in a container or on another machine;
    None where the entry does not say it."""
    activity: Activity | None = None
    """Activity that the client states; None where it says nothing."""
    since: float | None = None
    """Since when, epoch seconds."""
    name: str | None = None
    """The client's name for the session."""
    cwd: str | None = None
    """The directory that it was started in."""
    over: bool = False
    """True if the client says that it has left the session."""
    about: str | None = None
    """Its request to the person, where the entry says it."""
    spare: bool = False
    """True if the process was started ahead and has no session yet, whatever id it has."""
    details: str | None = None
    """The file that says more of the session, below the `details_folder` of the list."""


class Retention(Value):
    """How long a client keeps the logs in a place before it deletes them."""

    days: float
    """Days after the last change of a log."""
    setting: str
    """The name of the setting that decides."""
    path: str
    """The file that it is in, which need not exist."""


class KeptPrompts(Value):
    """Prompts of a session in the client's own history, with or without a log."""

    session_id: str
    project: str | None
    """The directory of the session."""
    prompts: tuple[tuple[float | None, str], ...]
    """Time, epoch seconds, and text of each as it was typed, in order."""


def _as_listed(client: ListedClient, _details: bytes) -> ListedClient:
    return client


def _log_unknown(_root: str, _client: ListedClient) -> str | None:
    """A client whose list does not give the name of its log."""


class LiveRegistry(Value, gc=True):
    """The list of running sessions that a client keeps: a file for each of its processes."""

    directory: Callable[[str], str | None]
    """The directory of the list in which the client of a log would be, by the path of the log: the
    same for all logs of a folder, unless `is_file`."""
    is_entry: Callable[[str], bool]
    """True if a file of that name in the directory is an entry."""
    entry: Callable[[bytes, str], ListedClient | None]
    """The client of an entry, by its bytes and name; None when it is none. Never raises."""
    lists: Callable[[str | None], bool]
    """True if a client of that version lists each of its sessions while it runs."""
    log: Callable[[str, ListedClient], str | None] = _log_unknown
    """Where the client writes the log of its session, below a directory of its logs."""
    by_hooks: bool = False
    """True if hooks of ours keep the list: only files count that nobody else may read or write,
    the beginning of a long one counts, and each is of the time at which it was written."""
    settings: Callable[[], str] | None = None
    """Of such a list: gives the settings that make the client run the hooks."""
    settings_file: str = ""
    """The file of the client that has these settings, below the home directory."""
    partial: bool = False
    """True if the client also runs sessions that it does not list: one whose process is gone may
    have gone on in another."""
    is_file: bool = False
    """True if `directory` gives a file next to a log rather than a list: it says which process has
    the session, and stays when that has exited."""
    details_folder: str = ""
    """The name of a folder next to the list, with the `details` of sessions."""
    detailed: Callable[[ListedClient, bytes], ListedClient] = _as_listed
    """The client with what the file of its `details` says. Never raises."""

    def details_at(self, directory: str) -> str | None:
        """The folder with the details of a list; None where it has none."""
        if not self.details_folder:
            return None
        return os.path.join(os.path.dirname(directory), self.details_folder)  # noqa: PTH118, PTH120


def _kept_for_ever(_root: Path) -> None:
    """A client of which nobody knows that it deletes logs."""


def _merge_call(call: ToolCall, later: ToolCall) -> ToolCall:
    # Imported here: most providers bring their own, and a list of sessions needs none.
    from agentview.normalize.build import merge_call

    return merge_call(call, later)


class RecordTypeKeys(Value, gc=True):
    """Keys that distinguish the records of a format, to compare what its versions write."""

    types: Sequence[str] = ("type",)
    """Places of the keys whose values say what a record is, such as `payload/type`."""
    keys: Sequence[str] = ()
    """Places of keys that say by being there what a record is that has no type."""
    asks: Sequence[str] = ()
    """Types of records in which a person is asked for permission."""
    protocol: Callable[[Mapping[str, object]], str] = logged
    """How a record came: `log`, `stream` for what the client prints, or the protocol's name."""

    @property
    def is_text(self) -> bool:
        return not self.types and not self.keys


class OtherWriter(Value):
    """Another client that writes a format, such as a fork of the one that it is named after."""

    name: str
    folders: Sequence[str]
    """Where its sessions are, as lines of `roots.txt` have it."""
    source: str
    """How it is known that the format is the same: a sentence."""


class Evidence(Value):
    """Evidence for a format: in `evidence.toml` of a provider's folder.

    Versions are those of the client as its logs have them, oldest first. The texts are sentences of
    docs/formats.md, which has all of this.
    """

    verified_versions: Sequence[str] = ()
    """Versions of which the project has recordings that it made with the real client."""
    seen_versions: Sequence[str] = ()
    """Other versions whose genuine logs were read."""
    public_logs: bool = False
    """True if genuine logs were read that do not say which version wrote them."""
    versioned: bool = True
    """True if logs say which version wrote them, so that a newer one can be recognized."""
    verified_on: str | None = None
    """Day of the last comparison with what a real client wrote, as `2026-11-21`; None: never."""
    sources: Sequence[str] = ()
    """Where the facts come from."""
    guesses: Sequence[str] = ()
    """Assumptions that nothing read or measured proves."""
    gaps: Sequence[str] = ()
    """Known gaps."""
    writers: Sequence[OtherWriter] = ()
    """Other clients that write the format."""

    @property
    def basis(self) -> str:
        """The best basis of the reading of the format, in one word or two."""
        if self.verified_versions:
            return "measured"
        return "public logs" if self.seen_versions or self.public_logs else "guess"


Capability = Literal[
    "live", "resume", "usage", "cost", "limits", "images", "reasoning", "subagents", "rewinds",
    "compaction",
]  # fmt: skip
"""Features of a client, or of its logs.

`live`: whether the client runs is known from its processes or its own list. `resume`: a command
continues a session. `usage`: tokens of responses. `cost`: dollars by the client's own count.
`limits`: what is left of the account. `subagents`: what agents do that a call started. `rewinds`:
prompts that were taken back.
"""
CAPABILITIES: Sequence[Capability] = get_args(Capability)
"""All of them, in the order in which they are listed."""


class Reading(Value, gc=True):
    """How the records of a provider are read: its decoder and its tools."""

    decode: Decode
    attach_result: Answer
    tool_kinds: Mapping[str, ToolKind]
    """Every tool name the provider is known to use."""
    kind_of: Callable[[str], ToolKind]
    """Kind of any tool name: the table, then the shared rules, then unknown."""
    unused_keys: Callable[[bytes, SourceRef, SessionRef], Sequence[str]]
    """JSON pointers of the keys of a record that nothing read when it was decoded."""
    merge_call: Callable[[ToolCall, ToolCall], ToolCall] = _merge_call
    """The call with what another record of it says."""
    light: Light | None = None
    """For who needs bodies of few events; without it all events of a record are made."""
    record_keys: Callable[[str], Sequence[str]] | None = None
    """The keys that find a record by its id: the first `dedupe_key` it may have, or a `replaces`.

    For logs that are a tree: the parent of each record says which branch it is on.
    """


@cache
def _loaded(load: Callable[[], Reading]) -> Reading:
    return load()


def window_by_name(model: str) -> int | None:
    """Tokens that a model holds by its name, whoever the client is; None when it is not known."""
    # A list of sessions mostly needs none.
    from agentview.normalize.model_names import context_window

    return context_window(model)


def _no_phases(_ref: SessionRef, _run: str) -> Sequence[WorkflowPhase]:
    return ()


def _no_prompts(_root: Path) -> Sequence[KeptPrompts]:
    """A client of which nobody knows that it keeps a history of prompts."""
    return ()


def _no_sessions(_ref: SessionRef) -> Sequence[BackgroundSession]:
    return ()


def resumes_nothing(_ref: SessionRef) -> Sequence[str] | None:
    """A client that resumes no session."""


class Provider(Value, gc=True):
    """A program that writes session logs.

    The fields are what a list of sessions asks for, and are cheap to import. What reads records is
    loaded with the first of them.
    """

    name: str
    """Name of its folder under `providers/`; also what `--provider` takes."""
    label: str
    """Its label."""
    discovery: Discovery
    load_reading: Callable[[], Reading]
    """Imports the decoder and the tools; it is called once, when the first record is read."""
    context_window: Callable[[str], int | None] = window_by_name
    """Tokens that a model holds as the client uses it, None when it is not known."""
    has_vendor_response_ids: bool = False
    """Its logs have the vendor's own ids of responses: two responses never have the same."""
    records: Sequence[Capability] = ()
    """Features of its logs that not all logs have; samples show each, and nothing else."""
    resume_command: Callable[[SessionRef], Sequence[str] | None] = resumes_nothing
    """The client's own command line that resumes a session."""
    agent: str | None = None
    """Others' name for the program whose work its logs have; None where the logs say it."""
    protocol: str | None = None
    """The protocol by which others exchange its calls; None is the Agent Client Protocol."""
    documents: Documents | None = None
    """For the logs that are one document; all others are lines."""
    database: Database | None = None
    """For the logs that are rows of a database, each session of which is read as lines."""
    folder: Folder | None = None
    """For the logs that are directories of files, each session of which is read as lines."""
    archive: Archive | None = None
    """For the logs that are parts of an archive, each of which is read as lines."""
    has_linked_events: bool = False
    """Its events have `run` or `amends`, or `rewinds` to before an event by its `key`, or it
    describes a call by several records."""
    record_type_keys: RecordTypeKeys = RecordTypeKeys()
    """Keys that show what a record is, and how it came."""
    live_registry: LiveRegistry | None = None
    """The client's own list of its running sessions, where it keeps one."""
    process_file: LiveRegistry | None = None
    """The file next to a log in which the client says which process has the session."""
    hook_reports: LiveRegistry | None = None
    """The list that our hooks keep, where the client has hooks."""
    habits: LogHabits = NO_HABITS
    """Facts that its log leaves open of the state of a session."""
    retention: Callable[[Path], Retention | None] = _kept_for_ever
    """How long logs below a root are kept; None where the client deletes none."""
    kept_prompts: Callable[[Path], Sequence[KeptPrompts]] = _no_prompts
    """The prompts of each session that the client's history next to a root has."""
    workflow_phases: Callable[[SessionRef, str], Sequence[WorkflowPhase]] = _no_phases
    """The phases of the run of a workflow that a session started, by its id."""
    background_sessions: Callable[[SessionRef], Sequence[BackgroundSession]] = _no_sessions
    """Other sessions that the client of a session runs in the background."""
    programs: Sequence[str] = ()
    """Names of the client's program, as its processes have them; a script without its suffix."""
    refresh_ref: Callable[[SessionRef], SessionRef | None] | None = None
    """The session as its log of lines identifies it now; None when growth can add nothing.

    For logs whose first look may not show which session they are of, or where their own records
    begin.
    """

    @property
    def reading(self) -> Reading:
        """How records are read, loaded when it is first asked for."""
        return _loaded(self.load_reading)

    @property
    def decode(self) -> Decode:
        return self.reading.decode

    @property
    def light(self) -> Light:
        return self.reading.light or self.reading.decode

    @property
    def capabilities(self) -> Sequence[Capability]:
        """Abilities of the client and parts of its logs, in the order of `CAPABILITIES`."""
        live = self.live_registry is not None or bool(self.programs)
        able = {"live": live, "resume": self.resume_command is not resumes_nothing}
        return [each for each in CAPABILITIES if able.get(each, each in self.records)]

    @property
    def has_members(self) -> bool:
        return self.database is not None or self.archive is not None

    def is_document(self, head: bytes) -> bool:
        """Return True if a log that begins with `head` is one document; all others are lines."""
        return self.documents is not None and self.documents.begin(head)

    @property
    def rewrites_logs(self) -> bool:
        """True if records of its logs may move or vanish: in all but those of lines."""
        forms = (self.documents, self.database, self.folder, self.archive)
        return any(form is not None for form in forms)

    def window(self, model: str | None, tokens: int | None) -> int | None:
        """Tokens that a model holds, in which there are `tokens` now.

        None when it is not known, and where there are more than it is known to hold: it is a
        variant with a larger window then, which its name does not say.
        """
        known = None if model is None else self.context_window(model)
        return None if known is None or (tokens or 0) > known else known

    def session_in(self, path: Path) -> SessionRef | None:
        """The session in a file from one of this provider's places, a sub-agent's too.

        None for a file that is not a log, and for an empty one: it does not say yet what it is. One
        that cannot be read has a `fault`.
        """
        try:
            empty = log_stat(path).st_size == 0
        except (OSError, ValueError):
            return None
        try:
            return None if empty else self.discovery.session_at(path)
        except NotFound:
            return None
        except AgentViewError as error:
            return self.unread(path, reason_of(error))

    def session_of(self, entry: "Entry") -> SessionRef | None:
        """The session that a listing gives; where it could not list any, one with a `fault`."""
        if isinstance(entry, Member) and entry.fault is not None:
            return self.unread(Path(entry.path), entry.fault)
        return self.session_in(Path(entry.path))

    def unread(self, path: Path, why: str) -> SessionRef:
        """Return placeholders for sessions that cannot be read."""
        modified = last_write(path)
        return SessionRef(self.name, path.name, str(path), modified=modified, fault=why)

    def info(self, ref: SessionRef) -> SessionInfo:
        """Facts about a session from a head and a tail of its log.

        Of one that cannot be read, the title says so.
        """
        if ref.fault is None:
            try:
                return self.discovery.info(ref, self.light)
            except AgentViewError as error:
                ref = replace(ref, fault=reason_of(error))
        return SessionInfo(ref, title=f"could not be read: {ref.fault}")

    def scan(self, root: Path, known: Collection[str] = ()) -> list[SessionRef]:
        """All sessions under `root`, one of this provider's places, sub-agents' files included.

        They are sorted by path. Files whose path is `known` are left out. No body is parsed.
        """
        entries = {e.path: e for e in self.discovery.files(root) if e.path not in known}
        found = (self.session_of(entries[path]) for path in sorted(entries))
        return [ref for ref in found if ref is not None]
