"""Rows of the tables of OpenCode and its forks (1.2 to 2, Kilo 7.7.9), and what is printed.

The names are those of the format. What a kind of row has besides, and what only a body needs, is
read from its `values` by the function of that kind. Times are milliseconds.
"""

from msgspec import Raw, Struct

Number = int | float | str | None
"""Some forks write numbers as texts."""


class Times(Struct, gc=False):
    """When a message was made, or when a part or a call ran."""

    created: Number = None
    completed: Number = None
    start: Number = None
    end: Number = None


class Cached(Struct, gc=False):
    """Tokens that a cache had, or has now."""

    read: Number = None
    write: Number = None


class Tokens(Struct, gc=False):
    """Tokens of a response; what was thought is counted next to the output."""

    input: Number = None
    output: Number = None
    reasoning: Number = None
    cache: Cached | None = None


class Model(Struct, gc=False, rename={"model_id": "modelID"}):
    """The model that a prompt is for."""

    model_id: str | None = None


class Folder(Struct, gc=False):
    """Where the agent worked."""

    cwd: str | None = None


class Words(Struct, gc=False):
    """Text of an error."""

    message: str | None = None


class Failure(Struct, gc=False):
    """The error that a message ended with, or after which a request was made again."""

    name: str | None = None
    data: Words | None = None

    @property
    def words(self) -> str | None:
        return (self.data.message if self.data is not None else None) or self.name


class Metadata(
    Struct, gc=False, rename={"session_id": "sessionId", "lifecycle": "kilocode.lifecycle"}
):
    """Facts of a tool, or of Kilo, on a part."""

    session_id: str | None = None
    """The session of the agent that a call started."""
    exit: Number = None
    output: Raw = Raw()
    """Output of a command so far."""
    lifecycle: str | None = None


class State(Struct, gc=False):
    """How far a call has come."""

    status: str | None = None
    error: str | None = None
    metadata: Metadata | None = None
    time: Times | None = None


class Data(
    Struct,
    gc=False,
    rename={
        "model_id": "modelID",
        "call_id": "callID",
        "message_id": "messageID",
        "parent_id": "parentID",
    },
):
    """A message, or a part of one, which has a `type`."""

    id: str | None = None
    """Of what is printed; a row has the ids apart."""
    message_id: str | None = None
    parent_id: str | None = None
    """The prompt that a message answers."""
    time: Times | None = None
    error: Failure | str | None = None
    # Messages.
    role: str | None = None
    model_id: str | None = None
    """Of an answer; a prompt has `model`."""
    model: Model | str | None = None
    path: Folder | None = None
    mode: str | None = None
    tokens: Tokens | None = None
    cost: Number = None
    finish: str | None = None
    summary: Raw = Raw()
    """`true` of the answer that is one; a prompt has the files that changed."""
    # Parts.
    type: str | None = None
    text: str | None = None
    synthetic: object = None
    ignored: object = None
    metadata: Metadata | None = None
    reason: str | None = None
    """For which a step ended."""
    tool: str | None = None
    call_id: str | None = None
    state: State | None = None
    # Sessions that are exported.
    directory: str | None = None
    version: str | None = None
    title: str | None = None


class Cause(Struct, gc=False):
    """An error (2); `type` is such as `provider.rate-limit` or `aborted`."""

    type: str | None = None
    message: str | None = None
    status: Number = None


class Retry(Struct, gc=False):
    """Why a request is made again (2)."""

    error: Cause | str | None = None


class ItemTimes(Struct, gc=False):
    """When a part was begun, its call was made, and it ended."""

    created: Number = None
    ran: Number = None
    completed: Number = None


class ToolFacts(Struct, gc=False, rename={"session_id": "sessionID"}):
    """Facts of a tool on its call (2)."""

    exit: Number = None
    session_id: str | None = None
    """The session of the agent that a call started."""


class ItemState(Struct, gc=False):
    """How far a call has come (2); what it has said is read from the values."""

    status: str | None = None
    metadata: ToolFacts | None = None
    structured: ToolFacts | None = None
    """The same, before its name was changed."""


class Item(Struct, gc=False, rename={"call_id": "callID"}):
    """A part of a response (2): a text, a thought or a call."""

    type: str | None = None
    id: str | None = None
    call_id: str | None = None
    """Of a call that was taken over from an older version, whose `id` is another."""
    name: str | None = None
    text: str | None = None
    time: ItemTimes | None = None
    state: ItemState | None = None


class Reference(Struct, gc=False):
    """A model (2)."""

    id: str | None = None


class Projected(Struct, gc=False):
    """A message as a whole (2); its type and its id are columns of the row."""

    text: str | None = None
    description: str | None = None
    """Of what the client put in: what a person sees of it."""
    agent: str | None = None
    model: Reference | None = None
    content: list[Item | None] | None = None
    tokens: Tokens | None = None
    cost: Number = None
    finish: str | None = None
    error: Cause | str | None = None
    retry: Retry | None = None
    # Compactions, and the end of a turn.
    status: str | None = None
    reason: str | None = None
    outcome: str | None = None


class File(Struct, gc=False):
    """A file of a prompt, or a part of the output of a call."""

    type: str | None = None
    mime: str | None = None
    name: str | None = None
    uri: str | None = None
    url: str | None = None
    data: str | None = None
    text: str | None = None


class Prompt(Struct):
    """A prompt, as far as it is more than a text."""

    files: list[File | None] | None = None


class Job(Struct, gc=False):
    """Work in the background."""

    source: str | None = None
    state: str | None = None
    exit: Number = None


class PutIn(Struct):
    """A text of the client."""

    metadata: Job | None = None


class Switched(Struct):
    """Another model than before."""

    previous: Reference | None = None


class Place(Struct, gc=False):
    """A directory."""

    directory: str | None = None


class Moved(Struct):
    """Another directory than before."""

    location: Place | None = None


class Outcome(Struct):
    """The outcome of a call (2)."""

    status: str | None = None
    metadata: object = None
    structured: object = None
    content: list[File | None] | None = None
    error: Cause | None = None


class Summary(Struct, gc=False):
    """Of the parts of a summary: the message that asked for the compaction, and how that began."""

    of: str | None = None
    auto: object = None


class Row(Struct, gc=False):
    """A row of a table."""

    table: str | None = None
    id: str | None = None
    time_created: Number = None
    data: Data | None = None
    # Messages that are complete.
    parts: object = None
    """How many there are."""
    refused: object = None
    """1 if a call was refused without words, which ends the turn."""
    # Parts.
    message_id: str | None = None
    role: str | None = None
    summary: Summary | None = None
    # Messages that are kept as a whole.
    type: str | None = None
    message: Projected | None = None
    # Sessions.
    directory: str | None = None
    version: str | None = None
    title: str | None = None


class Printed(Struct, gc=False, rename={"session_id": "sessionID"}):
    """A line of a run, or a message of a session that is exported."""

    type: str | None = None
    timestamp: Number = None
    session_id: str | None = None
    part: Data | None = None
    error: Failure | str | None = None
    info: Data | None = None
    parts: list[Data | None] | None = None
