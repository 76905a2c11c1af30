"""Messages that cross from one part of the screen to another.

Nobody prints or compares them: to make the methods for that takes most of the time of a class.
"""

from collections.abc import Callable
from dataclasses import dataclass

from textual.message import Message

from agentview.domain.record_ref import FileLocation
from agentview.domain.session import SessionRef, Stream
from agentview.settings.reading import EffectiveSettings


@dataclass(repr=False, eq=False)
class SessionChosen(Message):
    """The person wants to see this session, at a place where it is reported.

    `place` is the byte offset of a record and the number of the event in it, as `LogRows.row_of`
    takes them; `query` is searched for there, so that what it found is marked. `continues`: nobody
    chose it, but the client that was followed has it now.
    """

    ref: SessionRef
    place: tuple[int, int] | None = None
    query: str = ""
    continues: bool = False


@dataclass(repr=False, eq=False)
class RowRequested(Message):
    """The person wants to see this row of the session in the timeline."""

    row: int


@dataclass(repr=False, eq=False)
class FileRequested(Message):
    """The person wants to see what was done to a file, by its path among those of the session."""

    path: str


@dataclass(repr=False, eq=False)
class AgentChosen(Message):
    """The person wants to see what the agents of these streams did, each started by the one before.

    The first one was started in the session on the screen. `row` is where to go in the log of the
    last one.
    """

    way: tuple[Stream, ...]
    row: int | None = None


@dataclass(repr=False, eq=False)
class CopyRequested(Message):
    """The person wants this text in the clipboard; `say` gets what was copied, and how much.

    `what` is what the text is called: command, path, selection.
    """

    text: str
    what: str
    say: Callable[[str], None]


@dataclass(repr=False, eq=False)
class DemoRequested(Message):
    """The person wants to see a sample session played; `say` gets the reason when that fails."""

    say: Callable[[str], None]


@dataclass(repr=False, eq=False)
class EditRequested(Message):
    """The person wants to see this file in their editor; `say` gets the reason when that fails."""

    place: FileLocation
    say: Callable[[str], None]


@dataclass(repr=False, eq=False)
class BlameRequested(Message):
    """The person wants to see who wrote the lines of this file; `say` gets why that fails."""

    place: FileLocation
    say: Callable[[str], None]


@dataclass(repr=False, eq=False)
class ComparisonRequested(Message):
    """The person wants to see where two sessions differ."""

    a: SessionRef
    b: SessionRef


class AwayRequested(Message):
    """The person asks what sessions did in the meantime."""


class WidgetsPrepared(Message):
    """Everything made until now stays for as long as the screen does."""


class RowsFiltered(Message):
    """A filter leaves in other rows."""


class SeenChanged(Message):
    """A session was read further, in this program."""


class AnnotationsChanged(Message):
    """The star, the title or a note of the open session has changed, in this program."""


@dataclass(repr=False, eq=False)
class FocusChanged(Message, bubble=False):
    """The terminal got or lost the focus. It is sent to every screen.

    A screen does not watch the attribute of the app: Textual keeps a watcher, and so a closed
    screen with its session, until the attribute changes.
    """

    focused: bool


class LexersFound(Message, bubble=False):
    """Code that was plain can have its colours. It is sent to every widget that shows some."""


class MinutePassed(Message):
    """Another minute is over: ages of what is shown are different.

    The application sends it to each screen. Timers of a screen must be short: the event loop keeps
    a cancelled timer, and with it the screen, until the timer would have fired.
    """

    bubble = False


@dataclass(repr=False, eq=False)
class SettingChanged(Message):
    """The person set a setting, or an entry of one; None unsets it.

    `take` gets the settings in force then, and the outcome in a sentence. What is not `kept`
    applies until agentview ends.
    """

    key: str
    value: object
    take: Callable[[EffectiveSettings, str], None]
    kept: bool = True
