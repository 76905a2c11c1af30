"""The settings and what each is when nobody sets it; standard library only, for a quick start."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import field

from agentview.domain.activity import Kind, RowKind
from agentview.domain.session_state import LoopingLimits
from agentview.domain.sort_order import Column, Grouping
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences


class OnEnter(StrEnum):
    """Action of the enter key on an activity."""

    EXPAND = "expand"
    """Show more of it where it stands."""
    OPEN = "open"
    """Show it on a screen of its own."""


class Density(StrEnum):
    """How close the rows of the timeline stand."""

    COMFORTABLE = "comfortable"
    """A rule above each turn, and room around the timeline."""
    COMPACT = "compact"
    """Neither."""


class TimeFormat(StrEnum):
    """How the time of an activity is shown."""

    CLOCK = "clock"
    """`14:02`."""
    SECONDS = "clock-seconds"
    """`14:02:31`."""
    DATE = "date"
    """`06-21 14:02`."""
    RELATIVE = "relative"
    """`12m`: how long ago."""
    NONE = "none"
    """Not at all."""


class DiffMode(StrEnum):
    """How old and new text of a diff stand."""

    AUTO = "auto"
    """Side by side where there is much room."""
    UNIFIED = "unified"
    """One below the other."""
    SPLIT = "split"
    """Side by side wherever it can be read."""


class Icons(StrEnum):
    """The icons."""

    UNICODE = "unicode"
    ASCII = "ascii"


class NotifyScope(StrEnum):
    """Which sessions notify."""

    FOLLOWED = "followed"
    """Those that are open."""
    ALL = "all"
    """All that the library and the board see."""
    OFF = "off"


class Linear(StrEnum):
    """Whether a session is shown line by line, as screen readers need it."""

    AUTO = "auto"
    """Where the environment asks for it."""
    ALWAYS = "always"
    NEVER = "never"


class DetailSettings(Value):
    """How much of each activity is shown."""

    default: DetailLevel | None = None
    """Level of kinds that `by_tool` does not name; None leaves each kind its own."""
    default_live: DetailLevel | None = None
    """The same for a session that is being followed; None is `default`."""
    by_tool: Mapping[str, DetailLevel] = field(default_factory=dict[str, DetailLevel])
    """Level by kind of activity, or by name of a tool."""
    expanded_default: DetailLevel | None = None
    """Level that expanding leads to; None goes from title to summary to full."""
    expanded_by_tool: Mapping[str, DetailLevel] = field(default_factory=dict[str, DetailLevel])
    on_enter: OnEnter = OnEnter.EXPAND


class TimelineSettings(Value):
    """How the timeline is laid out."""

    density: Density = Density.COMFORTABLE
    time: TimeFormat = TimeFormat.SECONDS
    wrap: bool = True
    """Fold long lines; otherwise they are cut at the edge."""
    fold_looks: bool = True
    """Show neighbouring activities that only looked as one row."""
    icons: Icons = Icons.UNICODE


class DiffSettings(Value):
    """How diffs are shown."""

    mode: DiffMode = DiffMode.AUTO


class AccessibilitySettings(Value):
    """`accessibility`: for those who do not see the screen."""

    linear: Linear = Linear.AUTO


class DebugSettings(Value):
    """Settings that help to look behind the timeline."""

    raw_by_default: bool = False
    """The detail screen begins with the raw view."""


class SessionSettings(Value):
    """Where sessions lie."""

    roots: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Directories by provider, next to those that it is known to write to."""


class LibrarySettings(Value):
    """How the library begins."""

    group: Grouping = Grouping.NONE
    sort: Column = Column.ACTIVE
    reverse: bool = False
    """The other way round than a column is usually sorted."""
    preview: bool = True
    """Show a preview of the selected session when the window is large enough."""
    last_words: bool = True
    """Show the last sentence of the agent below each session, from 120 columns."""
    filters: Mapping[str, str] = field(default_factory=dict[str, str])
    """Filter lines by the names that they were saved under."""


class BoardSettings(Value):
    """How the board groups sessions."""

    idle_after: int = 8
    """Hours without a record after which a session no longer counts as one that needs somebody,
    unless its client runs and asks."""


class BudgetSettings(Value):
    """Budgets in US dollars; None without one."""

    day: float | None = None
    week: float | None = None
    month: float | None = None
    session: float | None = None
    """By a session of today, all of its time."""
    projects: Mapping[str, float] = field(default_factory=dict[str, float])
    """In a month, by the directory of a project or the name of that."""

    @property
    def any(self) -> bool:
        return self != BudgetSettings()


class NotifySettings(Value):
    """When a session that needs its person says so, and how."""

    scope: NotifyScope = NotifyScope.FOLLOWED
    after: int = 30
    """Seconds of work after which the end of a turn notifies."""
    bell: bool = True
    terminal: bool = True
    """By an escape code that the terminal is known to show as a notification."""
    title: bool = True
    """The terminal's title says how many sessions need their person."""
    desktop: bool = False
    """By the desktop's own program."""
    command: tuple[str, ...] = ()
    """A program of the person's own with its arguments; no shell reads them."""
    focused: bool = False
    """Also while the terminal has the focus."""
    looping: bool = False
    """Also of an agent that seems to go round in circles."""


class Settings(Value):
    """All settings of a run, each as it is in force."""

    theme: str | None = None
    """Name of a theme; None is the shipped default."""
    detail: DetailSettings = field(default_factory=DetailSettings)
    timeline: TimelineSettings = field(default_factory=TimelineSettings)
    diff: DiffSettings = field(default_factory=DiffSettings)
    accessibility: AccessibilitySettings = field(default_factory=AccessibilitySettings)
    debug: DebugSettings = field(default_factory=DebugSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    library: LibrarySettings = field(default_factory=LibrarySettings)
    board: BoardSettings = field(default_factory=BoardSettings)
    looping: LoopingLimits = field(default_factory=LoopingLimits)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    notify: NotifySettings = field(default_factory=NotifySettings)
    hosts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Machines by the names that `--host` takes, as ssh takes them."""
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Programs of the person's own with their arguments, by the key that runs them."""
    keymap: Mapping[str, str] = field(default_factory=dict[str, str])
    """Keys by id of a binding, with a comma between them."""

    def preferences(self, every: DetailLevel | None = None, *, live: bool) -> DetailPreferences:
        """The levels of a session that is followed (`live`) or not; `every` is for all kinds."""
        detail = self.detail
        levels, expanded = (
            _by_kind_and_name(detail.by_tool),
            _by_kind_and_name(detail.expanded_by_tool),
        )
        return DetailPreferences(
            default=every,
            others=(detail.default_live if live else None) or detail.default,
            chosen=levels[0],
            by_name=levels[1],
            expanded=detail.expanded_default,
            expanded_by_kind=expanded[0],
            expanded_by_name=expanded[1],
            fold_looks=self.timeline.fold_looks,
        )


def _by_kind_and_name(
    levels: Mapping[str, DetailLevel],
) -> tuple[dict[Kind, DetailLevel], dict[str, DetailLevel]]:
    """Levels of kinds of activities, and those of tools by their names."""
    kinds: dict[Kind, DetailLevel] = {
        kind: at for kind, at in levels.items() if isinstance(kind, ToolKind | RowKind)
    }
    return kinds, {name: at for name, at in levels.items() if name not in kinds}
