"""Records of Codex (0.1 to 0.169): rollouts, and what `exec --json` prints.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it. A value
that is of different types in different records is an `object`. What a type of record has besides is
in its `report`.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

Number = int | float | str | None
"""Some writers of this format write numbers as texts."""


class Counts(Struct, gc=False):
    """Tokens; `input_tokens` includes what a cache gave and took."""

    input_tokens: Number = None
    cached_input_tokens: Number = None
    cache_write_input_tokens: Number = None
    cache_creation_input_tokens: Number = None
    """The same in logs of Trae CLI."""
    output_tokens: Number = None
    reasoning_output_tokens: Number = None
    total_tokens: Number = None


class Info(Struct, gc=False):
    """Tokens of the thread so far, and of its newest response."""

    total_token_usage: Counts | None = None
    last_token_usage: Counts | None = None


class Window(Struct, gc=False):
    """A limit of the account over some time; `resets_at` since 0.47, epoch seconds."""

    used_percent: Number = None
    window_minutes: Number = None
    resets_in_seconds: Number = None
    resets_at: Number = None


class RateLimits(Struct, gc=False):
    """Limits of the account; the first versions had them in one flat object."""

    limit_id: str | None = None
    limit_name: str | None = None
    primary: Window | None = None
    secondary: Window | None = None
    primary_used_percent: Number = None
    primary_window_minutes: Number = None
    secondary_used_percent: Number = None
    secondary_window_minutes: Number = None


class Passed(Struct, gc=False):
    """Values that the client passes through the model's service and back."""

    turn_id: str | None = None
    content_item_kinds: object = None
    """Of each block of a message: whose it is (0.17x)."""


class Metadata(Struct, gc=False):
    sampled_through_sequence: Number = None


class Payload(Struct, gc=False):
    """Content of an envelope: an item, a report, or tokens."""

    type: str | None = None
    timestamp: Number = None
    id: object = None
    call_id: object = None
    thread_id: str | None = None
    turn_id: str | None = None
    internal_chat_message_metadata_passthrough: Passed | None = None
    # Messages and thoughts.
    role: str | None = None
    content: Raw = Raw()
    message: Raw = Raw()
    text: Raw = Raw()
    summary: Raw = Raw()
    phase: object = None
    questions: object = UNSET
    """Whatever they are, the message asks."""
    # Calls and their outcomes.
    name: str | None = None
    namespace: str | None = None
    arguments: Raw = Raw()
    input: Raw = Raw()
    action: Raw = Raw()
    output: Raw = Raw()
    source: object = None
    status: object = None
    exit_code: object = None
    success: object = None
    duration: object = None
    started_at_ms: Number = None
    # Tokens.
    info: Info | UnsetType | None = UNSET
    rate_limits: RateLimits | None = None
    usage: Counts | None = None
    thread_token_usage: Counts | None = None
    # What is carried within.
    item: "Payload | None" = None
    items: list[Raw] | None = None
    """Of a change of the history, in logs of Trae CLI."""
    msg: "Payload | None" = None
    """A report, in what was printed up to 0.43."""


class Record(Payload, gc=False):
    """An envelope; without a `payload`, as in the oldest logs, a record carries itself."""

    payload: Payload | UnsetType | None = UNSET
    ordinal: Number | UnsetType = UNSET
    metadata: Metadata | None = None


# What is read when somebody looks at it, for all types of records.


class Duration(Struct, gc=False):
    secs: Number = None
    nanos: Number = None


class Part(Struct, gc=False):
    """A part of a content; tools have the names of the client's interface."""

    type: str | None = None
    text: str | None = None
    path: str | None = None
    image_url: str | None = None
    image_place: str | None = field(name="imageUrl", default=None)
    data: str | None = None
    mime_type: str | None = field(name="mimeType", default=None)


class Git(Struct, gc=False):
    branch: str | None = None


class HistoryBase(Struct, gc=False):
    """The thread whose history a session begins with, where that is not repeated."""

    thread_id: str | None = None
    end_ordinal_exclusive: Number = None


class Spawn(Struct, gc=False):
    parent_thread_id: str | None = None


class Subagent(Struct, gc=False):
    thread_spawn: Spawn | None = None
    other: str | None = None


class Source(Struct, gc=False):
    """The origin of a session, if it is an agent."""

    subagent: Subagent | str | None = None


class SessionMeta(Struct, gc=False):
    """Whose session a log is of."""

    id: str | None = None
    session_id: str | None = None
    parent_thread_id: str | None = None
    source: Source | str | None = None
    thread_source: str | None = None
    agent_nickname: str | None = None
    agent_path: str | None = None
    agent_role: str | None = None
    timestamp: Number = None
    cwd: str | None = None
    cli_version: str | None = None
    git: Git | None = None
    history_base: HistoryBase | None = None
    forked_from_id: str | None = None
    subagent_history_start_ordinal: Number = None
    followed: bool = field(name="(followed)", default=False)
    """True if another one follows directly, as in a fork."""


class FirstLine(SessionMeta, gc=False):
    """The first line of a log: of a session, of what is printed, or in the oldest form."""

    type: str | None = None
    payload: SessionMeta | None = None
    thread_id: str | None = None
    instructions: Raw | UnsetType = UNSET


class ThreadName(Struct, gc=False):
    id: str | None = None
    thread_name: str | None = None


class Opening(Struct, gc=False):
    """The payload of a record at the start of a log, which may be of another thread."""

    id: str | None = None
    turn_id: str | None = None
    started_at: Number = None
    info: Info | None = None


class Mode(Struct, gc=False):
    mode: str | None = None


class Settings(Struct, gc=False):
    """Settings of a session, or of a turn."""

    cwd: str | None = None
    model: str | None = None
    approval_policy: object = None
    collaboration_mode: Mode | None = None


class Failure(Struct, gc=False):
    message: str | None = None
    kind: str | None = None


class Goal(Struct, gc=False):
    objective: str | None = None
    status: str | None = None


class HookRun(Struct, gc=False):
    """A run of a hook; up to 0.114 the report has its fields."""

    event_name: str | None = None
    status: str | None = None
    message: str | None = None


class AgentStatus(Struct, gc=False):
    thread_id: str | None = None
    status: object = None


class LineRange(Struct, gc=False):
    start: Number = None


class Location(Struct, gc=False):
    absolute_file_path: str | None = None
    line_range: LineRange | None = None


class Finding(Struct, gc=False):
    title: str | None = None
    body: str | None = None
    code_location: Location | None = None


class Review(Struct, gc=False):
    findings: list[Finding | None] | None = None
    overall_explanation: str | None = None
    overall_correctness: str | None = None


class Change(Struct, gc=False):
    path: str | None = None
    kind: object = None


class Outcome(Struct, gc=False):
    """The answer of a server, or `Ok` or `Err` of it."""

    ok: "Outcome | None" = field(name="Ok", default=None)
    broken: object = field(name="Err", default=None)
    content: object = None
    structured: object = field(name="structuredContent", default=None)
    structured_content: object = None
    is_error: bool | None = None
    fails: bool | None = field(name="isError", default=None)


class OldMetadata(Struct, gc=False):
    exit_code: Number = None


class OldOutput(Struct, gc=False):
    """The output of a command, in the oldest form."""

    output: str | None = None
    metadata: OldMetadata | None = None


class Answers(Struct, gc=False):
    """The answers of the person, by the id of each question."""

    answers: dict[str, object] | None = None


class Report(Settings, gc=False):
    """A report of the client, or a finished item of the session."""

    type: str | None = None
    item_type: str | None = None
    """Its type, up to 0.43."""
    id: str | None = None
    call_id: str | None = None
    event_id: str | None = None
    thread_settings: Settings | None = None
    workdir: str | None = None
    approval: str | None = None
    prompt: str | None = None
    thread_name: str | None = None
    name: str | None = None
    kind: str | None = None
    status: str | None = None
    success: bool | None = None
    message: str | None = None
    text: str | None = None
    details: str | None = None
    reason: str | None = None
    duration: object = None
    duration_ms: Number = None
    num_turns: Number = None
    # Errors and approvals.
    error: Failure | str | None = None
    codex_error_info: object = None
    additional_details: str | None = None
    rationale: str | None = None
    target_item_id: str | None = None
    request: Failure | None = None
    to_model: str | None = None
    run: HookRun | None = None
    event_name: str | None = None
    fragments: object = None
    goal: Goal | None = None
    # Messages.
    author: str | None = None
    content: object = None
    summary: object = None
    summary_text: list[str | None] | None = None
    images: list[object] | None = None
    local_images: list[object] | None = None
    revised_prompt: str | None = None
    # Calls and their outcomes.
    command: object = None
    exit_code: object = None
    aggregated_output: str | None = None
    formatted_output: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    output: str | None = None
    changes: object = None
    invocation: object = None
    server: str | None = None
    tool: str | None = None
    tools: list[object] | None = None
    namespace: str | None = None
    arguments: object = None
    input: object = None
    result: Outcome | str | None = None
    content_items: object = None
    items: list[object] | None = None
    action: object = None
    query: str | None = None
    path: str | None = None
    # Agents.
    new_thread_id: object = None
    receiver_thread_id: object = None
    receiver_thread_ids: list[object] | None = None
    agent_thread_id: str | None = None
    agent_path: str | None = None
    statuses: object = None
    agent_statuses: list[AgentStatus | None] | None = None
    agents_states: object = None
    # Events of other systems, and changes of the history.
    event: "Report | None" = None
    title: str | None = None
    severity: str | None = None
    operation: str | None = None
    response_id: str | None = None
    # Reviews.
    target: "Report | None" = None
    review: str | None = None
    review_output: Review | None = None
    user_facing_hint: str | None = None

    @property
    def answer(self) -> Outcome:
        """The answer of a server, without `Ok` around it."""
        outcome = self.result if isinstance(self.result, Outcome) else Outcome()
        return outcome.ok or outcome
