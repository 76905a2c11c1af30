"""A record reduced to what joins it with others: small enough for millions, and for a pipe."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Protocol, cast

from msgspec import Struct

from agentview.domain.activity import Kind, RowKind
from agentview.domain.events import Body, Event, Facts, Rewind, Title, TokenUsage, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value

KINDS: tuple[Kind, ...] = (*ToolKind, *RowKind)
"""Kinds by their code in the packed rows."""
KIND_CODES: dict[Kind, int] = {kind: code for code, kind in enumerate(KINDS)}

REQUEST = KIND_CODES[RowKind.REQUEST]
"""Code of a request for permission."""
TOPIC = KIND_CODES[RowKind.TOPIC]
"""Code of a heading."""
CALLS = frozenset((*(KIND_CODES[kind] for kind in ToolKind), REQUEST, TOPIC))
"""Codes of the kinds of rows that are answered by results: calls, requests for permission, and
headings."""

NO_ROW = 255
"""Kind code of an event that has no row of its own."""


class Role:
    """The part that an event plays for the call that its key names."""

    NONE = 0
    CALL = 1
    RESULT = 2
    PROGRESS = 3
    OUTCOME = 4
    REQUEST = 6
    """Not of an event as such: what a request for permission is for the call that it names."""
    VERSION = 5
    """None for a call: its key names a row that is written again."""


class Nesting:
    """Relation of a call to the calls that it made, or that made it."""

    NONE = 0
    CONTAINER = 1
    """It only makes calls that have records of their own."""
    NESTED = 2
    """Such a call."""


class Flag:
    """Bits of a row."""

    JOINED = 1
    """Shown as a part of another row."""
    TWIN = 2
    """Says the same as an earlier row."""
    REPLACED = 4
    """A later row took its place."""
    BOOKKEEPING = 8
    """Not meant for a reader."""
    PROBLEM = 16
    TURN = 32
    """A prompt of the stream that the log is of."""
    SIDE = 64
    """Of another stream than the one that the log is of."""
    REWOUND = 128
    """The conversation went back to before it."""
    ASIDE = TURN | SIDE
    """Both of these: a prompt on an abandoned branch that a reader has opened."""
    SUPERSEDED = TWIN | REPLACED
    """Another row says what this one said."""
    GONE = SUPERSEDED | REWOUND
    """Any of these: the row says nothing any more."""
    ABSENT = JOINED | GONE | BOOKKEEPING
    """Any of these: the row stands nowhere."""


PROBLEMS = bytes(flags & (Flag.ABSENT | Flag.PROBLEM) == Flag.PROBLEM for flags in range(256))
"""1 for the flags of a problem: an error or a denied call in a row that stands somewhere. All that
counts problems, lists them or goes to the next one goes by it; a call without a result is none."""
SOUND = bytes(0 if flags & (Flag.ABSENT | Flag.PROBLEM) else 255 for flags in range(256))
"""255 for the flags of all other rows that stand somewhere."""


class Signal:
    """The statement of an event on who has to act next."""

    NONE = 0
    AGENT = 1
    """The agent has to continue."""
    PERSON = 2
    """The agent said something: a person may continue, unless the agent does."""
    INTERRUPTED = 3
    QUESTION = 4
    """The agent asks."""
    APPROVAL = 5
    """The agent waits for leave."""
    FAILED = 6
    """A request failed: a person may continue, unless one had stopped the agent."""
    LIMITED = 7
    """A request failed since a limit of the service is reached."""
    ENDED = 8
    """The client said that the session is over."""
    COMMAND = 9
    """A person gave the client a command: a signal only where nothing came before it."""
    OVER = 10
    """The client said that the turn is over: one that failed right before has failed, and what a
    call of it comes to later changes nothing."""
    DONE = 11
    """The agent said something, and its turn is over: a person may continue."""
    PROPOSED = 12
    """The turn ended with a plan that nobody is known to have decided on: not that of an
    event, but that of the call and the end of the turn together."""
    OUTCOME_UNKNOWN = 16
    """A bit next to these: only the texts show how a call ended."""


SAID = (Signal.PERSON, Signal.DONE)
"""The agent said something."""
FAILURES = (Signal.FAILED, Signal.LIMITED)
"""A request failed, for whatever reason."""


class EventLinks(Value):
    """Links of an event to others where ids do not join them: see the fields of `Event`."""

    run: str | None = None
    whole: bool = False
    amends: bool = False
    rewinds: Rewind | None = None


class CallFact(Value):
    """Name of a call and the files that it changes."""

    name: str
    """As the provider has it."""
    paths: tuple[str, ...] = ()


class Origin(Protocol):
    """A decoded record, of which events are still to be made."""

    source: SourceRef

    def event_of(self, fact: "EventFact", body: Body, /) -> Event: ...


class EventFact(Struct, gc=False):
    """A light event: what joins it with others, and how the rest of it is made.

    `sub` is its place in its record. One that was kept, or that waits to be joined, has no `origin`
    any more. What it is made of must not know it: the collector does not look for such a cycle.
    """

    sub: int
    kind: int
    flags: int
    role: int = Role.NONE
    key: str | None = None
    dedupe: str | None = None
    replaces: str | None = None
    replaces_all: bool = False
    response: str | None = None
    stream: Stream | None = None
    child: Stream | None = None
    signal: int = Signal.NONE
    time: float | None = None
    usage: TokenUsage | None = None
    title: Title | None = None
    facts: Facts | None = None
    prompt: str | None = None
    """Prompt of the main stream, or the prompt that a call gave to its subagent; cut short."""
    tie: EventLinks | None = None
    record: str | None = None
    """The provider's own id of the record."""
    parent: str | None = None
    """The id of the record before it in its chain, which need not be the one before it."""
    tool: str | None = None
    """The canonical name of the tool of a call whose kind is unknown."""
    call: CallFact | None = None
    """Of a call; None where nobody asked for it."""
    path: str = ""
    """By which of the paths of its format a call or a result is recorded."""
    asked_for: str | None = None
    """Of a request for permission: the id of the call that it names."""
    process: str | None = None
    """Of a call that reads, writes to or ends what another call began: the path of that, as `runs`
    gives it."""
    nesting: int = Nesting.NONE
    """Of a call."""
    made_by: str | None = None
    """Of a call that another one made: the id of that, where the log says so."""
    suffix: str = ""
    origin: Origin | Event | None = None
    """The origin from which the event is made, or the event."""
    make: Callable[..., Body] | None = None
    """Makes the body, of `args`; pure. None where `origin` is the event, or there is none."""
    args: tuple[Any, ...] = ()

    @property
    def source(self) -> SourceRef:
        """Where its record is. Raises ValueError where it has no origin any more."""
        if self.origin is None:
            raise ValueError("an event that is joined is to be read again")
        return self.origin.source

    @property
    def amends(self) -> bool:
        """True for an event that says more of a call or a row: see the field of `Event`."""
        return self.tie is not None and self.tie.amends

    @property
    def rewrites(self) -> str | None:
        """The `replaces` of the event."""
        return self.key if self.role == Role.VERSION else self.replaces

    def event(self) -> Event:
        """The event, with its body. Raises ValueError where it has no origin any more."""
        origin, make = self.origin, self.make
        if make is None:
            if isinstance(origin, Event):
                return origin
            raise ValueError("an event that is joined is to be read again")
        self.origin = event = cast("Origin", origin).event_of(self, _body(make, self.args))
        # What it was made of is not needed any more.
        self.make, self.args = None, ()
        return event


def _body(make: Callable[..., Body], args: tuple[Any, ...]) -> Body:
    try:
        return make(*args)
    except MemoryError:
        # Of the machine, not of the record.
        raise
    except Exception as error:
        return Unparsed(f"a form that could not be read: {error}", excerpt="")


LightEvent = EventFact | Event
"""An event of a record that is made later, or has been made."""


def event_of(light: LightEvent) -> Event:
    return light if isinstance(light, Event) else light.event()


FACTS = EventFact.__struct_fields__[: EventFact.__struct_fields__.index("suffix")]
"""The fields that join an event with others."""
facts_of = attrgetter(*FACTS)
"""Gives their values."""


class RecordFacts(Value):
    """A record: where it is, and its events."""

    offset: int
    length: int
    events: tuple[EventFact, ...]


PROMPT_CHARS = 400
"""How much of a prompt is kept as a title and to recognise the agent that it started."""
