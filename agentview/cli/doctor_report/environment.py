"""The program itself: its version, what it runs on, and the settings that somebody has set."""

import os
import platform
import sqlite3
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast
from urllib.parse import quote

from rich.console import Console

import agentview
from agentview.cli.output.terminal import is_terminal, wants_colour, writes_unicode
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.providers import plugin_faults
from agentview.settings.reading import EffectiveSettings, config_file, read_settings
from agentview.settings.table import SETTINGS, plain_value, value_of
from agentview.system.paths import cache_dir
from agentview.ui.clipboard import clipboard_command

# What the terminal can show, and what can be copied out of it.

_INSIDE = {"TMUX": "tmux", "STY": "screen", "ZELLIJ": "zellij", "SSH_CONNECTION": "ssh"}
_COLOURS = {"truecolor": 16_777_216, "256": 256, "standard": 16}


class TerminalFacts(Value):
    """Facts on standard output; None where it is not a terminal, or where it is not known."""

    terminal: bool
    term: str | None
    program: str | None
    inside: tuple[str, ...]
    """Layers between program and terminal: tmux, screen, ssh."""
    columns: int | None
    lines: int | None
    colours: int | None
    """How many it has, by what it says of itself."""
    colorterm: str | None
    coloured: bool
    """True if text output has colours, given `NO_COLOR` and `FORCE_COLOR`."""
    no_color: bool
    encoding: str
    unicode: bool
    locale: str | None
    clipboard: str | None
    """The program that takes what is copied; the terminal is asked as well (OSC 52)."""
    images: str
    """How pictures are shown: as blocks of colour, since no image protocol is spoken."""


def terminal_facts(env: Mapping[str, str]) -> TerminalFacts:
    """Facts on standard output and its surroundings; nothing is asked of the terminal."""
    columns = lines = None
    if is_terminal():
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
    command = clipboard_command(env)
    return TerminalFacts(
        terminal=is_terminal(),
        term=env.get("TERM") or None,
        program=_program(env),
        inside=tuple(name for variable, name in _INSIDE.items() if env.get(variable)),
        columns=columns,
        lines=lines,
        colours=_colours(),
        colorterm=env.get("COLORTERM") or None,
        coloured=wants_colour(env),
        no_color=bool(env.get("NO_COLOR")),
        encoding=sys.stdout.encoding or "",
        unicode=writes_unicode(),
        locale=next((env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), None),
        clipboard=Path(command[0]).name if command else None,
        images="half blocks",
    )


def _program(env: Mapping[str, str]) -> str | None:
    name, version = env.get("TERM_PROGRAM"), env.get("TERM_PROGRAM_VERSION")
    return f"{name} {version}" if name and version else name or None


def _colours() -> int | None:
    if not is_terminal():
        return None
    return _COLOURS.get(Console(no_color=False).color_system or "")


# The files that agentview keeps for itself, looked at without changing any of them.

_PATIENCE = 0.3
"""Seconds that the check of one database may take."""
_STEPS = 20_000
"""Steps of the database between two looks at the clock."""
_DATABASE = ".sqlite"
SOUND = "sound"


class CacheFile(Value):
    """One file of the cache; `state` is `sound`, what is wrong, or None for another file."""

    name: str
    bytes: int
    version: int | None
    """As the database has it: of its form and of the program that made it."""
    state: str | None


class CacheFacts(Value):
    """The cache, which can be deleted at any time."""

    path: str
    state: str
    """`there`, `missing`, or what prevents it."""
    files: tuple[CacheFile, ...]


def cache_facts() -> CacheFacts:
    """The files of the cache, without those of single logs: `agentview cache` counts them."""
    path = cache_dir()
    try:
        files = sorted(each for each in path.glob("*") if each.is_file())
        if not path.is_dir():
            return CacheFacts(str(path), _missing(path), ())
    except OSError as error:
        return CacheFacts(str(path), error.strerror or str(error), ())
    return CacheFacts(str(path), _writable(path), tuple(_file(path, each) for each in files))


def _missing(path: Path) -> str:
    """Return why the cache is missing: it has not been made, or it cannot be."""
    if path.exists() or path.is_symlink():
        return "no directory, so nothing is kept"
    above = next(each for each in path.parents if each.exists())
    return "missing" if _writable(above) == "there" else "cannot be made, so nothing is kept"


def _writable(path: Path) -> str:
    writable = path.is_dir() and os.access(path, os.W_OK | os.X_OK)
    return "there" if writable else "cannot be written"


def _file(cache: Path, path: Path) -> CacheFile:
    version, state = _checked(path) if path.suffix == _DATABASE else (None, None)
    try:
        size = path.stat().st_size
    except OSError as error:
        size, state = 0, error.strerror or str(error)
    return CacheFile(str(path.relative_to(cache)), size, version, state)


def _checked(path: Path) -> tuple[int | None, str | None]:
    """Version and state of a database; it is neither made nor repaired."""
    began = time.monotonic()
    try:
        # A reader, too, would leave files next to a database that nobody has open.
        open_elsewhere = path.with_name(f"{path.name}-wal").exists()
        uri = f"file:{quote(str(path))}?mode=ro{'' if open_elsewhere else '&immutable=1'}"
        with closing(sqlite3.connect(uri, uri=True, timeout=_PATIENCE)) as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            database.set_progress_handler(lambda: time.monotonic() - began > _PATIENCE, _STEPS)
            (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            return None, "too large to be checked here"
        return None, str(error)
    except sqlite3.Error as error:
        return None, f"damaged; it will be rebuilt: {error}"
    return version, SOUND if found == "ok" else f"damaged: {found}"


class ProgramFacts(Value):
    """Versions and platform of this program."""

    version: str
    path: str
    python: str
    textual: str | None
    sqlite: str
    full_text: bool
    """True if SQLite can search for words."""
    platform: str
    plugin_faults: Mapping[str, str]
    """Faults of plug-ins, by name."""


class SettingFacts(Value):
    """One setting, or entry of one, that somebody has set, and who."""

    key: str
    value: object
    source: str
    place: str


class SettingsFacts(Value):
    """The settings that differ from the defaults; `trouble` says why they could not be read."""

    path: str
    exists: bool
    trouble: str | None
    changed: tuple[SettingFacts, ...]


def program_facts() -> ProgramFacts:
    """Versions and places of the program."""
    try:
        textual = version("textual")
    except PackageNotFoundError:
        textual = None
    implementation = "" if sys.implementation.name == "cpython" else f" {sys.implementation.name}"
    return ProgramFacts(
        version=agentview.__version__,
        path=str(Path(agentview.__file__).parent),
        python=f"{platform.python_version()}{implementation}",
        textual=textual,
        sqlite=sqlite3.sqlite_version,
        full_text=_has_full_text(),
        platform=f"{platform.system()} {platform.machine()}",
        plugin_faults=dict(plugin_faults()),
    )


def _has_full_text() -> bool:
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        except sqlite3.Error:
            return False
    return True


def settings_facts(flags: Iterable[str]) -> tuple[SettingsFacts, EffectiveSettings]:
    """Return settings with their sources, and the settings in force; defaults for wrong ones."""
    path = config_file(os.environ)
    trouble = None
    try:
        in_force = read_settings(os.environ, flags)
    except AgentViewError as error:
        in_force, trouble = EffectiveSettings(), error.message
    changed = [
        SettingFacts(key, _value(in_force, key), origin.layer.value, origin.place)
        for key, origin in in_force.origins.items()
    ]
    return SettingsFacts(str(path), path.exists(), trouble, tuple(changed)), in_force


def _value(in_force: EffectiveSettings, key: str) -> object:
    """The value of a setting, or of the entry of one that is a table."""
    for setting in SETTINGS:
        value = plain_value(value_of(in_force.settings, setting.key))
        if key == setting.key:
            return value
        if setting.is_table and key.startswith(f"{setting.key}."):
            return cast("Mapping[str, object]", value).get(key[len(setting.key) + 1 :])
    return None
