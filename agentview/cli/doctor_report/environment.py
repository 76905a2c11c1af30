"""The program itself: its version, what it runs on, and the settings that somebody has set."""

import os
import platform
import sqlite3
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast

import agentview
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.providers import plugin_faults
from agentview.settings.reading import InForce, config_file, read_settings
from agentview.settings.table import SETTINGS, plain_value, value_of


class ProgramFacts(Value):
    """What runs here."""

    version: str
    path: str
    python: str
    textual: str | None
    sqlite: str
    full_text: bool
    """Whether SQLite can search for words."""
    platform: str
    plugin_faults: Mapping[str, str]
    """Why plug-ins were left out, by name."""


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


def settings_facts(flags: Iterable[str]) -> tuple[SettingsFacts, InForce]:
    """What is set and by whom, and the settings; the defaults where what is set is wrong."""
    path = config_file(os.environ)
    trouble = None
    try:
        in_force = read_settings(os.environ, flags)
    except AgentViewError as error:
        in_force, trouble = InForce(), error.message
    changed = [
        SettingFacts(key, _value(in_force, key), origin.layer.value, origin.place)
        for key, origin in in_force.origins.items()
    ]
    return SettingsFacts(str(path), path.exists(), trouble, tuple(changed)), in_force


def _value(in_force: InForce, key: str) -> object:
    """The value of a setting, or of the entry of one that is a table."""
    for setting in SETTINGS:
        value = plain_value(value_of(in_force.settings, setting.key))
        if key == setting.key:
            return value
        if setting.is_table and key.startswith(f"{setting.key}."):
            return cast("Mapping[str, object]", value).get(key[len(setting.key) + 1 :])
    return None
