"""Checks what a file, a variable or a flag says against the table of settings."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from agentview.domain.tools import ToolKind
from agentview.errors import UsageError, nearest
from agentview.settings.table import (
    COMMAND_FIELDS,
    HOST_NAME,
    KINDS,
    LARGEST,
    SEPARATOR,
    SETTINGS,
    Setting,
    Shape,
    setting_of,
)
from agentview.timeline.view.detail_levels import DetailLevel

_WORDS = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


_FIELD = re.compile(r"\{([a-z]+)\}")
_NUMBER = re.compile(r"\d{1,10}(\.\d{1,10})?|\.\d{1,10}")


class WrongSetting(UsageError):  # noqa: N818  (reads as the sentence it stands for)
    """A setting that does not exist, or a value that it does not take; `key` says which."""

    def __init__(self, key: str, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.key = key

    def at(self, place: str) -> "WrongSetting":
        return WrongSetting(self.key, f"{place}: {self.message}", self.hint)


def flattened(data: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Keys and values of nested tables, down to what is a setting or an entry of one.

    Raises WrongSetting for a key that is neither, and for a table where the setting takes none.
    """
    for name, value in data.items():
        key = f"{prefix}{name}"
        setting = setting_of(key)
        if setting is None:
            if not any(known.key.startswith(f"{key}.") for known in SETTINGS):
                raise unknown_setting(key)
            if not isinstance(value, dict):
                raise WrongSetting(key, f"{key} is a table of settings.", _inside(key))
            yield from flattened(cast("dict[str, object]", value), f"{key}.")
        elif setting.is_table and isinstance(value, dict):
            yield from _entries(setting, cast("dict[str, object]", value), f"{key}.")
        else:
            yield key, value


def _entries(
    setting: Setting, data: Mapping[str, object], prefix: str
) -> Iterator[tuple[str, object]]:
    for name, value in data.items():
        # The dots of a binding's id make tables of their own when nobody puts it in quotes.
        if setting.shape is Shape.KEYS and isinstance(value, dict):
            yield from _entries(setting, cast("dict[str, object]", value), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def checked(key: str, value: object) -> object:
    """The value of a setting, or of an entry, as the settings hold it. Raises WrongSetting."""
    setting = setting_of(key)
    if setting is None:
        raise unknown_setting(key)
    if setting.is_table and key == setting.key:
        raise WrongSetting(key, f"{key} is a table of entries.", f"It takes {setting.allowed}.")
    match setting.shape:
        case Shape.CHOICE:
            found = _choice(setting.choices or (), value)
        case Shape.FLAG:
            found = value if isinstance(value, bool) else None
        case Shape.NUMBER:
            found = value if type(value) is int and 0 <= value <= LARGEST else None
        case Shape.DOLLARS:
            found = _dollars(value)
        case Shape.WORDS:
            found = _argv(value)
        case Shape.TEXT:
            found = value if isinstance(value, str) and value and value.isprintable() else None
        case _:
            found = _entry(setting, key, value)
    if found is None:
        allowed = ", ".join(DetailLevel) if setting.shape is Shape.LEVELS else ""
        allowed = f"one of {allowed}" if allowed else setting.allowed
        raise WrongSetting(key, f"{key} cannot be {_shown(value)}.", f"It takes {allowed}.")
    return found


def _entry(setting: Setting, key: str, value: object) -> object:
    name = key[len(setting.key) + 1 :]
    match setting.shape:
        case Shape.LEVELS:
            if name not in KINDS:
                _check_tool(key, name)
            return _choice(DetailLevel, value)
        case Shape.KEYS:
            return ",".join(keys) if (keys := _key_names(value)) else None
        case Shape.LINES:
            named = bool(name.strip()) and name.isprintable()
            return value if named and isinstance(value, str) and value.isprintable() else None
        case Shape.AMOUNTS:
            return _dollars(value) if name.strip() and name.isprintable() else None
        case Shape.COMMANDS:
            return _command(key, value) if name.strip() and name.isprintable() else None
        case Shape.HOSTS:
            return _machine(value) if re.fullmatch(HOST_NAME, name) else None
        case _:
            return _directories(value)


def _dollars(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value <= LARGEST else None


def _check_tool(key: str, name: str) -> None:
    """Refuse what no tool is called, and what looks like a kind that is spelled wrong."""
    if not name.strip() or not name.isprintable():
        raise WrongSetting(key, f"{key} names no tool.", f"Kinds: {', '.join(KINDS)}.")
    meant = nearest(name, KINDS, cutoff=0.75)
    if meant is not None and name.islower() and not _is_tool_name(name):
        raise WrongSetting(key, f"{name} is not a kind of activity or a known tool.", meant)


def _is_tool_name(name: str) -> bool:
    """Return True if the shared rules on names of tools know what it does."""
    # Wanted only for a name that may be spelled wrong.
    from agentview.normalize.classify import classify

    return classify(name, {}).kind is not ToolKind.UNKNOWN


def from_text(key: str, text: str) -> Iterator[tuple[str, object]]:
    """Settings and entries that a variable or flag sets: one, or for a table all that it names."""
    setting = setting_of(key)
    if setting is None:
        raise unknown_setting(key)
    if key != setting.key or not setting.is_table:
        yield key, _read(setting, text)
        return
    for part in filter(None, (part.strip() for part in text.split(SEPARATOR))):
        name, equals, value = part.partition("=")
        if not equals:
            raise WrongSetting(
                key, f"{key} cannot be {_shown(part)}.", "It takes NAME=VALUE;NAME=VALUE."
            )
        yield f"{key}.{name.strip()}", _read(setting, value.strip())


def _read(setting: Setting, text: str) -> object:
    text = text.strip()
    if setting.shape is Shape.FLAG:
        return _WORDS.get(text.lower(), text)
    if setting.shape is Shape.NUMBER:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else text
    if setting.shape in (Shape.DOLLARS, Shape.AMOUNTS):
        plain = text.removeprefix("$")
        return float(plain) if _NUMBER.fullmatch(plain) else text
    if setting.shape in (Shape.WORDS, Shape.COMMANDS):
        try:
            return shlex.split(text)
        except ValueError:
            return text
    return text


def unknown_setting(key: str) -> WrongSetting:
    """The error for a key that no setting has; names the nearest that one has."""
    keys = [setting.key for setting in SETTINGS]
    hint = nearest(key, keys) or "agentview config show lists all settings."
    return WrongSetting(key, f"Unknown setting: {key}.", hint)


def _inside(key: str) -> str:
    names = [known.key for known in SETTINGS if known.key.startswith(f"{key}.")]
    return f"There are: {', '.join(names)}."


def _choice(choices: Iterable[str], value: object) -> str | None:
    return next((choice for choice in choices if choice == value), None)


def _key_names(value: object) -> list[str]:
    """Keys of a text with commas, or of a list; empty when there is none."""
    if isinstance(value, list):
        parts = cast("list[object]", value)
    else:
        parts = value.split(",") if isinstance(value, str) else []
    names = [part.strip() for part in parts if isinstance(part, str)]
    right = len(names) == len(parts) and all(name and name.isprintable() for name in names)
    return names if right else []


def _directories(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str) and value:
        return (value,)
    if not isinstance(value, list):
        return None
    parts = cast("list[object]", value)
    names = tuple(part for part in parts if isinstance(part, str) and part)
    return names if names and len(names) == len(parts) else None


def _argv(value: object) -> tuple[str, ...] | None:
    """A program with its arguments; an empty list for none."""
    if value == []:
        return ()
    if isinstance(value, str):
        return None
    names = _directories(value)
    return names if names and not any("\0" in name for name in names) else None


def _machine(value: object) -> str | None:
    """A machine as ssh takes it, whose path is that of agentview there; or a folder."""
    # Imported here: most people have no other machine.
    from agentview.domain.remote_place import is_folder, parse_place

    try:
        known = isinstance(value, str) and (is_folder(value) or parse_place(value))
        return str(value) if known else None
    except UsageError:
        return None


def _command(key: str, value: object) -> tuple[str, ...] | None:
    """A program with its arguments, of which none has a field that is spelled wrong."""
    words = _argv(value)
    for name in _FIELD.findall(" ".join(words or ())):
        meant = None if name in COMMAND_FIELDS else nearest(name, COMMAND_FIELDS, cutoff=0.75)
        if meant is not None:
            raise WrongSetting(key, f"{key} has an unknown field: {{{name}}}.", meant)
    return words or None


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
