"""Settings of a run of the program: built once by the command line and passed down."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import field

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.settings.reading import EffectiveSettings
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.header import OpenSession


class Screen(StrEnum):
    """The screen that comes first."""

    SESSION = "session"
    """The timeline of one session."""
    HOME = "home"
    """All sessions found on this machine, in the view that was shown last."""
    LIBRARY = "library"
    """A list of them."""
    BOARD = "board"
    """The live ones of them, those that need their person first."""


class NewestSessions(Value, gc=True):
    """A directory whose newest session is followed, and the files of those that were there."""

    directory: Path
    known: frozenset[str]
    scan: Callable[[Path], Sequence[SessionRef]]
    """Lists the sessions of the directory."""


class ReplayRequest(Value):
    """How a past session is played."""

    speed: float = 1.0
    start: str | None = None
    """A time, as the line of a jump has it, from which on it is played; None for its beginning."""
    seconds: float | None = None
    """How long all of it takes at speed 1; None for the times of its records."""
    word: str = "replay"
    """Its name in the header."""


class LaunchOptions(Value, gc=True):
    """How the full-screen program begins.

    The session screen has a `session` or a `pipe`. `provider` and `project` narrow the library.
    """

    screen: Screen
    session: SessionRef | None = None
    pipe: int | None = None
    """Descriptor of the pipe that the session comes through; `session` is None then."""
    tee: Callable[[bytes], None] | None = None
    """Takes all that comes through the pipe, as it comes."""
    report: Callable[[OpenSession], None] | None = None
    """Takes the session of the pipe once the screen is gone."""
    live: bool = False
    """The log is being written: follow it."""
    successors: NewestSessions | None = None
    """Where a session that begins later takes the place of this one."""
    detail: DetailLevel | None = None
    """Level of all activities; None leaves it to the preferences of each kind."""
    theme: str | None = None
    raw: bool = False
    """Begin with the raw view."""
    linear: bool = False
    """Show the session line by line, whatever the settings say."""
    replay: ReplayRequest | None = None
    """The session is played as if it were live."""
    hosts: Sequence[str] = ()
    """Names of machines that the library is of, where not of this one alone."""
    provider: str | None = None
    project: str | None = None
    query: str | None = None
    """The library's first filter, besides the project."""
    places: Sequence[tuple[str, Path]] = ()
    """The library has only the sessions in these, by provider, where there are any."""
    settings: EffectiveSettings = field(default_factory=EffectiveSettings)
    """The values where the fields above are unset."""
