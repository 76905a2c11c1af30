"""Normalized events: what a record of a log says happened."""

from enum import StrEnum
from hashlib import sha1
from uuid import UUID

from agentview.domain.content import Block
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, Stream
from agentview.domain.tools import Denial, ToolCall
from agentview.domain.usage import Usage
from agentview.domain.usage_limit import UsageLimits
from agentview.domain.value import Value

_NAMESPACE = UUID("6f0c1c8e-54bb-5d53-9d3a-0f5d3f6f2f0a").bytes


def event_id(session_id: str, record_id: str, suffix: str) -> str:
    """The id of an event: the same log gives the same ids everywhere (UUIDv5, as text).

    A lone surrogate, which no UTF-8 text can have, counts as a question mark.
    """
    name = f"{session_id}\x00{record_id}\x00{suffix}".encode("utf-8", "replace")
    # As uuid5 does it, without the objects that it makes on the way (RFC 9562, 5.5).
    digest = sha1(_NAMESPACE + name, usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digest[16], 16) & 3]
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


class User(Value):
    """A prompt that a person (or a program in a person's place) gave to the agent."""

    text: str
    blocks: tuple[Block, ...] = ()
    """Images and documents that came with it."""
    via: str | None = None
    """How it came in, in the provider's words: typed, queued, sdk ..."""
    context: tuple[str, ...] = ()
    """Blocks that a host application put in front of it, as recorded."""


class Reasoning(Value):
    """A thought of the model; `withheld` when the log has only a signature of it."""

    text: str
    withheld: bool = False
    duration: float | None = None
    """Seconds."""


class Message(Value):
    """Text that the agent wrote, Markdown."""

    text: str
    blocks: tuple[Block, ...] = ()
    ends_turn: bool | None = None
    """True if the record shows that the turn ends with it, False if it shows that the agent
    continues; None where it shows neither."""


class ToolResult(Value):
    """The outcome of a call, before it is joined with the call.

    `structured` is the provider's own structured form of the result, where it recorded one.
    """

    call_id: str
    ok: bool | None
    output: tuple[Block, ...] = ()
    structured: object = None
    error: str | None = None
    denial: Denial | None = None
    interrupted: bool = False


class ToolProgress(Value):
    """Progress of a running call: its whole output as known at this moment."""

    call_id: str
    output: str
    elapsed: float | None = None
    """Seconds."""
    total_lines: int | None = None


class ToolInput(Value):
    """A piece of the arguments of the call that began the run it is in: JSON text as it comes."""

    text: str


class TokenUsage(Value):
    """Tokens of the response `response_id`; a later event of the same response replaces it."""

    response_id: str
    usage: Usage
    model: str | None = None
    total: bool = False
    """Of all that was done until now, by the client's own count: no response before it counts."""
    cost: float | None = None
    """Cost in US dollars, as the client itself counted it."""
    aside: bool = False
    """True for the tokens of another request that was made for the response, such as to an advisor.

    It is not counted as a response, and its tokens are not in the context.
    """


class Level(StrEnum):
    """How much a notification matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Topic(StrEnum):
    """Subject of a notification."""

    API_ERROR = "api-error"
    HOOK = "hook"
    LIMIT = "limit"
    MODEL = "model"
    MODE = "mode"
    INTERRUPT = "interrupt"
    BACKGROUND = "background"
    """A background task or agent reported its outcome."""
    REWIND = "rewind"
    TURN_END = "turn-end"
    LINK = "link"
    """A pull request or page that belongs to the session."""
    SYSTEM = "system"


class Notification(Value):
    """Something the client reported. `call_id` names the call that it belongs to.

    With the topic BACKGROUND it names the call that began what has now ended.
    """

    topic: Topic
    text: str
    level: Level = Level.INFO
    detail: str | None = None
    call_id: str | None = None
    duration: float | None = None
    """Seconds."""

    @property
    def failed(self) -> bool:
        """True if a request or a turn failed that nobody tries again: the agent is done."""
        ends = (Topic.API_ERROR, Topic.LIMIT, Topic.TURN_END)
        return self.topic in ends and self.level is Level.ERROR


class SlashCommand(Value):
    """A command that the person gave to the client, with its output where this record has it.

    `name` is empty when the record holds only the output of the command before it.
    """

    name: str
    args: str = ""
    output: str | None = None
    error: str | None = None
    shell: bool = False
    """A shell command that the person ran through the client."""


class TitleSource(StrEnum):
    """Where a title comes from, weakest first."""

    SUMMARY = "summary"
    AI = "ai"
    CUSTOM = "custom"


class Title(Value):
    """A title of a session; `target` names a record of the session it belongs to."""

    text: str
    source: TitleSource
    target: str | None = None


class Compaction(Value):
    """The history was replaced by a summary. Token counts are of the context."""

    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    summary: str | None = None


class Attachment(Value):
    """Something put into the conversation that nobody typed: a file, a changed file, a note."""

    name: str
    kind: str
    text: str | None = None
    path: str | None = None


class Hidden(Value):
    """A record that is accounted for and not shown: bookkeeping of the client."""

    reason: str
    record_type: str


class Unparsed(Value):
    """A record, or a part of it, that could not be read, or whose type nothing knows."""

    reason: str
    excerpt: str
    record_type: str | None = None
    malformed: bool = True
    """False for a record that is well-formed but of an unknown type."""


class Branch(Value):
    """An abandoned branch of the conversation, as the row that stands for it. No record says it."""

    prompts: int
    calls: int
    prompt: str = ""
    """Its first words."""
    cost: float | None = None
    """US dollars, as far as that is known."""
    estimated: bool = True
    """The cost is by list prices, not the client's own figure."""
    whole: bool = True
    """False when it cost at least so much."""


Body = (
    User
    | Reasoning
    | Message
    | ToolCall
    | ToolResult
    | ToolProgress
    | ToolInput
    | TokenUsage
    | Notification
    | SlashCommand
    | Title
    | Compaction
    | Attachment
    | Hidden
    | Unparsed
    | Branch
)


class Facts(Value):
    """Facts of a record on its session; None is "not said here"."""

    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    client_version: str | None = None
    mode: str | None = None
    cost: float | None = None
    """Cost of the session so far in US dollars, as the client itself counted it."""
    agent: str | None = None
    """The program that did the work, where another one wrote the log."""
    protocol: str | None = None
    """How the two exchanged messages, in the words of the log."""
    ended: bool | None = None
    """True where the client says that the session is over."""
    continued_in: str | None = None
    """Id of the session with which the client continued."""
    limits: UsageLimits | None = None
    """Limits of the account as they are now; what was said of others stays."""


class Reset(StrEnum):
    """How an event changes what came before it in its session."""

    COMPACTED = "compacted"
    """The model no longer sees it; the log still has it."""
    REPLACED = "replaced"
    """All earlier events are replaced by what follows."""


class Rewind(Value):
    """The conversation went back; the messages between no longer count and stay in the log.

    Exactly one of these says how far back: before the last `turns` prompts that still count; before
    the event whose `replaces` is `key` (to the start if the event is missing); or before the next
    prompt of a person behind the record with the id `after`, or else before the next message there
    (nowhere if there is neither).
    """

    key: str | None = None
    turns: int | None = None
    after: str | None = None
    repeats: bool = False
    """The messages between only repeat those above: they are not a branch of their own."""


REPEATED = "repeated"
"""The path of a call or a result that says again what another record may say: it counts where none
does."""


OPEN = "open"
"""How the path begins of a record that shows its call not to be over before. By this path alone
there may be many of one call."""


RUNS = "runs:"
"""How the path begins of a result that says only what its call began, and of an outcome that is
reported later; the name of what runs follows."""


def runs(name: str | None) -> str:
    """The path of a result or an outcome that names what runs."""
    return f"{RUNS}{name}" if name else ""


class Event(Value):
    """One normalized fact and all that the assembler needs to place it.

    `time` is epoch seconds UTC, None where the record has none. `dedupe_key`: events with the same
    key say the same thing and the first in the file counts. `replaces`: the key of events that this
    one takes the place of, so that the last in the file counts. `body.call_id` joins calls, results
    and progress; where several calls have one, see `normalize/call_occurrences.py`. `run`:
    neighbouring events of a stream with the same run are pieces of one text; a
    `whole` one says all of it again and takes their place; `""` belongs to no run and ends one, as
    do all others but bookkeeping, results, and what has a key. `amends`: what this call does not
    say, other events of the same call do; of events that replace each other, that the last one
    is shown where the first one stands.
    """

    suffix: str
    """Distinguishes the events of one record."""
    session_id: str
    source: SourceRef
    body: Body
    stream: Stream = MAIN_STREAM
    time: float | None = None
    record_id: str | None = None
    """The provider's own id of the record."""
    parent_id: str | None = None
    """The provider's id of the record before this one in its chain."""
    response_id: str | None = None
    """Id of the model response that this is a part of."""
    dedupe_key: str | None = None
    replaces: str | None = None
    resets: Reset | None = None
    rewinds: Rewind | None = None
    run: str | None = None
    whole: bool = False
    amends: bool = False
    child: Stream | None = None
    """The stream that this event started or reports on."""
    facts: Facts | None = None
    path: str = ""
    """Of a call or a result: by which path its format records it. A format that records each call
    several times (by the response and by an event, streamed and whole) records it once by each."""

    @property
    def id(self) -> str:
        """The id by its session, its record and suffix; `place_id` where its record has none."""
        if self.record_id:
            return event_id(self.session_id, self.record_id, self.suffix)
        return self.place_id

    @property
    def place_id(self) -> str:
        """The id by the offset of its record and by its stream, which may have its own log."""
        return event_id(self.session_id, f"{self.stream.id}@{self.source.offset}", self.suffix)
