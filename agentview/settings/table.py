"""Every setting by its key: what it takes, what it is for, and how its text becomes a value."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import cast

from msgspec.structs import replace

from agentview.domain.activity import Kind, RowKind
from agentview.domain.sort_order import Column, Grouping
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.settings.values import (
    Density,
    DiffMode,
    Icons,
    Linear,
    NotifyScope,
    OnEnter,
    Settings,
    TimeFormat,
)
from agentview.timeline.view.detail_levels import DetailLevel

KINDS: Mapping[str, Kind] = {
    kind.value: kind for kind in (*ToolKind, *RowKind) if kind is not RowKind.HIDDEN
}
"""Kinds of activities by name; hidden records have no level of their own."""

LARGEST = 10**9
"""The largest number that a setting may be."""

COMMAND_FIELDS = ("path", "line", "command", "session", "project")
"""Fields of an activity that arguments of `commands` may name in braces."""

HOST_NAME = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$"
"""The pattern of the names in `hosts`: one word, and not an option."""

SEPARATOR = ";"
"""Stands between the entries of a table that is written in one line: `shell=full;read=title`."""


class Shape(StrEnum):
    """Sort of value of a setting."""

    CHOICE = "choice"
    """One word of a few."""
    FLAG = "flag"
    """True or false."""
    TEXT = "text"
    NUMBER = "number"
    """A whole number from 0 on."""
    DOLLARS = "dollars"
    """An amount above 0."""
    WORDS = "words"
    """A program and its arguments."""
    LEVELS = "levels"
    """A detail level by kind of activity, or by name of a tool."""
    KEYS = "keys"
    """Keys by id of a binding."""
    ROOTS = "roots"
    """Directories by provider."""
    LINES = "lines"
    """Lines of text by name."""
    AMOUNTS = "amounts"
    """US dollars by project."""
    COMMANDS = "commands"
    """A program and its arguments by key."""
    HOSTS = "hosts"
    """Machines by name."""


_ALLOWED: Mapping[Shape, str] = {
    Shape.FLAG: "true or false",
    Shape.TEXT: "a name",
    Shape.NUMBER: "a whole number",
    Shape.DOLLARS: "US dollars, above 0",
    Shape.WORDS: "a program and its arguments",
    Shape.LEVELS: f"kinds of activities and names of tools, each {', '.join(DetailLevel)}",
    Shape.KEYS: 'ids of bindings, each with its keys, such as "j,down"',
    Shape.ROOTS: "providers, each with a list of directories",
    Shape.LINES: "names, each with a filter line",
    Shape.AMOUNTS: "projects, each with US dollars",
    Shape.COMMANDS: "keys, each with a program and its arguments",
    Shape.HOSTS: "names, each with a machine as ssh takes it, or a folder",
}


_TABLES = frozenset(
    {
        Shape.LEVELS,
        Shape.KEYS,
        Shape.ROOTS,
        Shape.LINES,
        Shape.AMOUNTS,
        Shape.COMMANDS,
        Shape.HOSTS,
    }
)


class Setting(Value):
    """One setting: its key with dots, its shape, and one sentence on what it is for."""

    key: str
    shape: Shape
    sentence: str
    choices: type[StrEnum] | None = None
    unset: str = ""
    """The description of its default, if it has no value of its own."""

    @property
    def variable(self) -> str:
        return "AGENTVIEW_" + self.key.replace(".", "_").upper()

    @property
    def allowed(self) -> str:
        """Its values, in words."""
        if self.shape is Shape.CHOICE:
            return "one of " + ", ".join(self.choices or ())
        return _ALLOWED[self.shape]

    @property
    def is_table(self) -> bool:
        return self.shape in _TABLES


_KIND_DEFAULT = "per kind"
_NO_LIMIT = "no limit"

SETTINGS = (
    Setting(
        "theme",
        Shape.TEXT,
        "The color theme: one of agentview, of Textual, or your own.",
        unset="agentview-dark",
    ),
    Setting(
        "detail.default",
        Shape.CHOICE,
        "Detail level of activities whose kind is not in detail.by_tool.",
        DetailLevel,
        _KIND_DEFAULT,
    ),
    Setting(
        "detail.default_live",
        Shape.CHOICE,
        "Detail level while a session is followed.",
        DetailLevel,
        "as detail.default",
    ),
    Setting(
        "detail.by_tool",
        Shape.LEVELS,
        "Detail level by kind of activity or by name of tool.",
    ),
    Setting(
        "detail.expanded_default",
        Shape.CHOICE,
        "Detail level of an expanded activity.",
        DetailLevel,
        "next level",
    ),
    Setting(
        "detail.expanded_by_tool",
        Shape.LEVELS,
        "Detail level of an expanded activity, by kind or name of tool.",
    ),
    Setting(
        "detail.on_enter",
        Shape.CHOICE,
        "What enter does: expand the activity, or open the detail screen.",
        OnEnter,
    ),
    Setting(
        "timeline.density",
        Shape.CHOICE,
        "Compact leaves out the separator of turns and the margins.",
        Density,
    ),
    Setting("timeline.time", Shape.CHOICE, "How the time of an activity is shown.", TimeFormat),
    Setting(
        "timeline.wrap",
        Shape.FLAG,
        "Wrap long lines in the timeline, or truncate them; the detail screen always wraps.",
    ),
    Setting(
        "timeline.fold_looks",
        Shape.FLAG,
        "Show neighbouring activities that only looked at something as one row.",
    ),
    Setting("timeline.icons", Shape.CHOICE, "The icons.", Icons),
    Setting(
        "diff.mode",
        Shape.CHOICE,
        "Unified or split diffs; auto selects by the width.",
        DiffMode,
    ),
    Setting(
        "accessibility.linear",
        Shape.CHOICE,
        "Show a session line by line, for screen readers; auto follows the environment.",
        Linear,
    ),
    Setting(
        "debug.raw_by_default",
        Shape.FLAG,
        "The detail screen starts with the raw record.",
    ),
    Setting(
        "sessions.roots", Shape.ROOTS, "Further directories to search for sessions, by provider."
    ),
    Setting("library.group", Shape.CHOICE, "How the library groups sessions.", Grouping),
    Setting("library.sort", Shape.CHOICE, "The column by which the library is sorted.", Column),
    Setting(
        "library.reverse",
        Shape.FLAG,
        "Reverse the usual order of the column.",
    ),
    Setting(
        "library.preview",
        Shape.FLAG,
        "Show a preview of the selected session when the window is large enough.",
    ),
    Setting(
        "library.last_words",
        Shape.FLAG,
        "Show the last sentence of the agent below each session, from 120 columns.",
    ),
    Setting("library.filters", Shape.LINES, "Saved filters of the library; the key m adds one."),
    Setting(
        "board.idle_after",
        Shape.NUMBER,
        "Hours without a record after which a session is idle on the board.",
    ),
    Setting(
        "looping.repeats",
        Shape.NUMBER,
        "Equal calls with equal results, or errors, that mark a session as looping?; 0: never.",
    ),
    Setting(
        "looping.minutes",
        Shape.NUMBER,
        "Minutes since the turn last changed a file that do so; 0: never.",
    ),
    Setting("budget.day", Shape.DOLLARS, "What may be spent in a day.", unset=_NO_LIMIT),
    Setting(
        "budget.week", Shape.DOLLARS, "What may be spent in a week, from Monday.", unset=_NO_LIMIT
    ),
    Setting("budget.month", Shape.DOLLARS, "What may be spent in a month.", unset=_NO_LIMIT),
    Setting("budget.session", Shape.DOLLARS, "What a session may cost.", unset=_NO_LIMIT),
    Setting(
        "budget.projects",
        Shape.AMOUNTS,
        "What may be spent in a month, by directory of a project or its name.",
    ),
    Setting(
        "notify.scope",
        Shape.CHOICE,
        "Sessions that notify: those that are open, or all.",
        NotifyScope,
    ),
    Setting(
        "notify.after",
        Shape.NUMBER,
        "Seconds of work after which the end of a turn notifies.",
    ),
    Setting("notify.bell", Shape.FLAG, "Ring the terminal's bell."),
    Setting(
        "notify.terminal",
        Shape.FLAG,
        "Have the terminal show a notification, where it is known to.",
    ),
    Setting(
        "notify.title",
        Shape.FLAG,
        "Say in the terminal's title how many sessions need you.",
    ),
    Setting("notify.desktop", Shape.FLAG, "Notify with notify-send or osascript."),
    Setting(
        "notify.command",
        Shape.WORDS,
        "Program that is run with the facts as JSON on its standard input.",
    ),
    Setting(
        "notify.focused",
        Shape.FLAG,
        "Notify also while the terminal has the focus.",
    ),
    Setting("notify.looping", Shape.FLAG, "Notify also of a session that is marked looping?."),
    Setting(
        "hosts",
        Shape.HOSTS,
        "Machines for --host: [ssh://][USER@]HOST[:PORT], or a folder with a copy of a home.",
    ),
    Setting(
        "commands",
        Shape.COMMANDS,
        "Programs that keys of the session screen run with the selected activity.",
    ),
    Setting("keymap", Shape.KEYS, "Keys by id of a binding; agentview config keys lists them."),
)


@cache
def setting_of(key: str) -> Setting | None:
    """The setting with this key, or whose entry this is; None for neither."""
    for setting in SETTINGS:
        if key == setting.key or (setting.is_table and key.startswith(f"{setting.key}.")):
            return setting
    return None


def value_of(settings: Settings, key: str) -> object:
    """Return the value of a setting in `settings`; `key` is that of a setting, not of an entry."""
    value: object = settings
    for name in key.split("."):
        value = getattr(value, name)
    return value


def with_value(settings: Settings, key: str, value: object) -> Settings:
    """The settings with another value for one of them, or for an entry; None unsets it."""
    setting = setting_of(key)
    if setting is None:
        raise KeyError(key)
    if key != setting.key:
        entries = dict(cast("Mapping[object, object]", value_of(settings, setting.key)))
        name: object = key[len(setting.key) + 1 :]
        name = KINDS.get(str(name), name) if setting.shape is Shape.LEVELS else name
        entries.pop(name, None)
        if value is not None:
            entries[name] = value
        key, value = setting.key, entries
    elif value is None:
        value = value_of(Settings(), key)
    section, _, name = key.partition(".")
    if not name:
        return replace(settings, **{section: value})
    return replace(settings, **{section: replace(getattr(settings, section), **{name: value})})


def plain_value(value: object) -> object:
    """A value as TOML and JSON have it."""
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        return {str(key): plain_value(entry) for key, entry in entries.items()}
    if isinstance(value, tuple):
        return [plain_value(entry) for entry in cast("tuple[object, ...]", value)]
    return str(value) if isinstance(value, StrEnum) else value
