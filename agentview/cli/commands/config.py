"""`agentview config`: the settings in force, where they are kept, what there is to set."""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from rich.cells import cell_len, set_cell_size

from agentview.settings.reading import EffectiveSettings, Layer, Origin, config_file, read_settings
from agentview.settings.schema import settings_schema
from agentview.settings.table import SETTINGS, Setting, plain_value, value_of
from agentview.timeline.view.format_numbers import UNKNOWN
from agentview.ui.themes import check_theme

_DEFAULT = Origin(Layer.DEFAULT, "default")

Line = tuple[str, object, Origin]
"""Key of a setting or of an entry, value as TOML has it, and where it comes from."""


def run(options: argparse.Namespace) -> int:
    """Print what is asked for."""
    printed: dict[str, Callable[[argparse.Namespace], None]] = {
        "path": _path,
        "show": _show,
        "schema": _schema,
        "keys": _keys,
    }
    printed[options.what](options)
    return 0


def _path(_: argparse.Namespace) -> None:
    print(config_file(os.environ))


def _schema(_: argparse.Namespace) -> None:
    print(json.dumps(settings_schema(), indent=2))


def _show(options: argparse.Namespace) -> None:
    given = [*options.settings, *([f"theme={options.theme}"] if options.theme else ())]
    in_force = read_settings(os.environ, given)
    theme = in_force.origins.get("theme")
    if theme is not None and theme.layer is Layer.FLAG:
        check_theme(in_force.settings.theme or "")
    lines = [line for setting in SETTINGS for line in _lines(setting, in_force)]
    if options.json:
        print(_json(in_force, lines))
        return
    unset = {setting.key: setting.unset or UNKNOWN for setting in SETTINGS}
    _print_table(
        [(key, _value_text(value) or unset[key], origin.place) for key, value, origin in lines]
    )


def _lines(setting: Setting, in_force: EffectiveSettings) -> Iterator[Line]:
    """The setting, or each of its entries; itself without a value where it has none."""
    value = plain_value(value_of(in_force.settings, setting.key))
    if not setting.is_table:
        yield setting.key, value, in_force.origins.get(setting.key, _DEFAULT)
        return
    entries = cast("Mapping[str, object]", value)
    for name, entry in entries.items():
        key = f"{setting.key}.{name}"
        yield key, entry, in_force.origins.get(key, _DEFAULT)
    if not entries:
        yield setting.key, None, _DEFAULT


def _json(in_force: EffectiveSettings, lines: list[Line]) -> str:
    settings = {
        key: {
            "value": value,
            "from": origin.layer.value,
            "place": None if origin.layer is Layer.DEFAULT else origin.place,
        }
        for key, value, origin in lines
    }
    path = in_force.path
    there = path is not None and path.is_file()
    return json.dumps({"path": str(path), "exists": there, "settings": settings}, indent=2)


def _keys(options: argparse.Namespace) -> None:
    """All bindings with their keys; the screen that has them takes long to import."""
    in_force = read_settings(os.environ, options.settings)
    from agentview.ui.app import AgentViewApp
    from agentview.ui.screens.live_settings import key_table

    rows, twice = key_table(in_force, AgentViewApp)
    if options.json:
        print(json.dumps({key: {"keys": keys, "does": does} for key, keys, does in rows}, indent=2))
        return
    _print_table([(key, "  ".join(keys), does) for key, keys, does in rows])
    if twice:
        print(f"\n{twice}")


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(str(part) for part in cast("list[object]", value))
    return "" if value is None else str(value)


def _print_table(rows: list[tuple[str, str, str]]) -> None:
    widths = [max(cell_len(row[column]) for row in rows) for column in (0, 1)]
    for first, second, third in rows:
        print("  ".join([*map(set_cell_size, (first, second), widths), third]))
