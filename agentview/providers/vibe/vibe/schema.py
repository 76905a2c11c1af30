"""Records of Vibe 3 (3.0): entries, turns, the session, and calls that got no entry.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

from agentview.providers.vibe.shared.content import Content

PATCH = "mistralai.vibe.sdk.search_replace"
"""The key under which the client keeps the change of a file."""
Number = int | float | str | None
Anything = object


class Inner(Struct, gc=False):
    """The call that a request is about."""

    input: Raw = Raw()


class Detail(
    Struct, gc=False, rename={"tool_name": "toolName", "related_entry_id": "relatedEntryId"}
):
    """The subject of an entry: a call, or a request to the user."""

    kind: str | None = None
    tool_name: str | None = None
    input: Raw = Raw()
    effect: Inner | None = None
    related_entry_id: str | None = None


class Details(Struct, gc=False, rename={"http_status": "httpStatus"}):
    """More of a compaction or of an error."""

    trigger: str | None = None
    http_status: Number = None


class Fault(Struct, gc=False):
    """The error of a turn or an entry."""

    code: str | None = None
    message: str | None = None
    details: Details | None = None


class Display(Struct, gc=False):
    """The result as the client shows it."""

    success: bool | None = None


class State(
    Struct, gc=False, rename={"output_text": "outputText", "approval_source": "approvalSource"}
):
    """How far a call has come, and what came of it."""

    status: str | None = None
    output_text: str | None = None
    output: Raw = Raw()
    error: Fault | None = None
    display: Display | None = None
    decision: str | None = None
    approval_source: str | None = None


class Turn(Struct, gc=False, rename="camel"):
    """A turn that is over."""

    id: str | None = None
    status: str | None = None
    started_at: Number = None
    completed_at: Number = None
    error: Fault | None = None


class Counts(Struct, gc=False, rename="camel"):
    """Tokens; those that go in include what a cache gave or took."""

    input_tokens: Number = None
    cached_input_tokens: Number = None
    cache_write_tokens: Number = None
    output_tokens: Number = None


class Session(Struct, gc=False, rename="camel"):
    """The session, as the client counts it."""

    updated_at: Number = None
    token_usage: Counts | None = None


class Asked(Struct, gc=False):
    """A call as the model gave it."""

    id: str | None = None
    name: str | None = None
    arguments_json: str | None = None
    time: Number = None


class Answer(Struct, gc=False):
    """The text that the model got for a call that was not run."""

    content: Content = None
    outcome: str | None = None


class Decision(Struct, gc=False):
    """The user's decision on a request."""

    type: str | None = None


class Reply(Struct, gc=False):
    """The answer to a request."""

    type: str | None = None
    decision: Decision | None = None
    feedback: str | None = None


class Replied(Struct, gc=False):
    """The result of a request."""

    output: Reply | None = None


class Resolved(Struct, gc=False):
    """A request that is answered."""

    callback_id: str | None = None
    result: Replied | None = None


class Environment(Struct, gc=False):
    """Where a session is."""

    working_directory: str | None = None


class Config(Struct, gc=False):
    """Settings of a session."""

    model_name: str | None = None
    active_model: str | None = None


class Record(
    Struct,
    gc=False,
    rename={
        "created_at": "createdAt", "updated_at": "updatedAt", "in_session": "sessionId",
        "turn_id": "turnId", "generation_status": "generationStatus",
        "related_entry_id": "relatedEntryId", "latest_turn": "latestTurn",
    },
):  # fmt: skip
    """An entry, or, without a type, one of the other records."""

    type: str | None = None
    id: str | None = None
    created_at: Number = None
    updated_at: Number = None
    in_session: Anything = None
    turn_id: Anything = None
    generation_status: str | None = None
    related_entry_id: str | None = None
    # Messages and thoughts.
    role: str | None = None
    source: str | None = None
    content: Content = None
    text: str | None = None
    summary: Raw = Raw()
    # Calls, requests and compactions.
    detail: Detail | None = None
    state: State | None = None
    title: str | None = None
    kind: str | None = None
    message: str | None = None
    details: Details | None = None
    # Other records.
    latest_turn: Turn | UnsetType | None = UNSET
    session: Session | UnsetType | None = UNSET
    requests: Counts | None = None
    call: Asked | UnsetType | None = UNSET
    answer: Answer | UnsetType | None = UNSET
    callback_resolved: Resolved | UnsetType | None = UNSET
    missing_chunk: Anything = UNSET
    # What is kept of the session.
    session_id: Anything = UNSET
    parent_session_id: Anything = None
    child_sessions: Anything = None
    environment: Environment | UnsetType | None = UNSET
    config: Config | None = None
    git_branch: str | None = None
    start_time: Number = None
    title_source: str | None = None


# Results of tools.


class Replaced(Struct, gc=False):
    """Lines of a file that an edit replaced."""

    old_lines: object = None
    new_lines: object = None
    old_start_line: Number = None
    new_start_line: Number = None


class Patch(Struct, gc=False):
    """A change of a file."""

    blocks: list[Replaced | None] | None = None


class Structured(Struct, gc=False, rename={"patch": PATCH}):
    """The result of a tool: each has some of these keys."""

    returncode: Number = None
    # A file.
    path: str | None = None
    file: str | None = None
    file_existed: bool | None = None
    content: str | None = None
    offset: Number = None
    lines_read: Number = None
    total_lines: Number = None
    patch: Patch | None = None
    # A search.
    matches: str | None = None
    match_count: Number = None
    was_truncated: bool | None = None


# Files of a session: snapshots and the journal.


class Pointer(Struct, gc=False):
    """`CURRENT`: the newest snapshot, and the last record of the journal that is in it."""

    generation: str | None = None
    snapshot_sequence: Number = None


class Chunks(Struct):
    """Names of the files with the entries."""

    chunks: list[str | None] = []


class Manifest(Struct):
    """`manifest.json` of a snapshot."""

    projection_state: Chunks = field(default_factory=Chunks)


class Envelope(Struct, rename="camel"):
    """The state of a session."""

    active_callbacks: list[object] = []
    latest_turn: dict[str, object] | None = None
    session: object = None


class Kept(Struct):
    """`projection-state.json` of a snapshot."""

    snapshot: Envelope = field(default_factory=Envelope)


class Named(Struct, rename={"created_at": "createdAt"}):
    """An entry, or a part of a response."""

    type: str | None = None
    id: str | None = None
    created_at: object = None


class Change(Struct):
    """A change of an entry or of the state."""

    op: object = None
    entry: object = None
    state: Envelope | UnsetType | None = UNSET


class AnswerTo(Struct, gc=False):
    """A message with the outcome of a call."""

    tool_call_id: str | None = None


class Messages(Struct):
    """A conversation."""

    messages: list[object] = []


class ModelInput(Struct):
    """Input of the model."""

    messages: Messages = field(default_factory=Messages)


class Request(Struct):
    """A request to the model, or to run a call."""

    call_id: str | None = None
    model_input: ModelInput | UnsetType | None = UNSET


class Parts(Struct):
    """Output of the model."""

    parts: list[object] = []


class Command(Struct):
    """A command to the core, such as to take a response."""

    result: Parts = field(default_factory=Parts)


class Moment(Struct):
    """The time of a command."""

    time_unix_ms: object = None


class Response(Struct):
    """A response of the model."""

    command: Command = field(default_factory=Command)
    determinism: Moment = field(default_factory=Moment)


class Used(Struct, gc=False):
    """Tokens of a request, by the names that requests have for `Counts`."""

    input_tokens: Number = None
    cached_input_tokens: Number = None
    cache_write_tokens: Number = None
    output_tokens: Number = None


class Outcome(Struct):
    """The response of a request, as far as it is counted."""

    usage: Used | None = None


class Done(Struct):
    """The result of an action."""

    result: Outcome = field(default_factory=Outcome)


class Payload(Struct):
    """Contents of a record of the journal."""

    action_id: str | None = None
    request: Request = field(default_factory=Request)
    input: Response = field(default_factory=Response)
    result: Done = field(default_factory=Done)
    delta: list[object] = []
    routing: object = None


class JournalLine(Struct):
    """A record of the journal."""

    type: str | None = None
    sequence: Number = None
    payload: Payload = field(default_factory=Payload)


class Identity(Struct, gc=False):
    """Place of a session among those that it started."""

    kind: str | None = None
    depth: Number = None


class Runtime(Struct):
    """`runtime-state.json` of a snapshot."""

    identity: Identity = field(default_factory=Identity)


class Child(Struct, gc=False):
    """A session that another one lists as its own."""

    session_id: str | None = None


class Meta(Struct):
    """`meta.json` of a session."""

    session_id: str | None = None
    parent_session_id: str | None = None
    title: str | None = None
    child_sessions: list[Child | str | None] = []


class Link(Struct, gc=False):
    """An address."""

    url: str | None = None


class Picture(Struct, rename={"mime_type": "mimeType"}):
    """A picture in a content, as bytes in base64 or by its address."""

    type: str | None = None
    data: str | None = None
    mime_type: str | None = None
    image_url: Link | None = None
    url: str | None = None
