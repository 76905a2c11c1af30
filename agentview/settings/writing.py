"""Writes a setting into the file and leaves everything else in it as it was."""

import os
import stat
import tomllib
from collections.abc import MutableMapping
from pathlib import Path
from typing import cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from agentview.errors import AgentViewError
from agentview.settings.table import plain_value, setting_of
from agentview.system.file_writing import make_folder, replace_file

Table = MutableMapping[str, object]


class Unwritable(AgentViewError):  # noqa: N818  (reads as the sentence it stands for)
    """The file of settings cannot be written. Exit code 1."""


def write_setting(path: Path, key: str, value: object) -> None:
    """Set one setting, or one entry of one, in the file; None takes it out.

    Comments, order and the mode of the file stay. The file is replaced as a whole, so that nobody
    ever reads a half of it; one that a link leads to is replaced where it lies. A file that does
    not exist is made, with the directories it is in. Raises Unwritable.
    """
    target = Path(os.path.realpath(path))
    try:
        before = target.read_bytes().decode("utf-8-sig") if target.exists() else ""
        after = with_setting(before, key, plain_value(value))
        if after != before:
            _replace(target, after)
    except UnicodeDecodeError as error:
        raise Unwritable(f"{path} is not UTF-8.") from error
    except (TOMLKitError, tomllib.TOMLDecodeError) as error:
        raise Unwritable(f"{path} is not TOML: {error}.") from error
    except OSError as error:
        raise Unwritable(f"{path} cannot be written: {error.strerror}.") from error


def with_setting(text: str, key: str, value: object) -> str:
    """TOML text with another value for a key; None takes it out.

    Raises Unwritable if the text cannot express it without further changes.
    """
    document = tomlkit.parse(text)
    table, name = _place(document, key)
    if value is not None:
        table[name] = value
    elif name in table:
        del table[name]
    after = tomlkit.dumps(document)  # pyright: ignore[reportUnknownMemberType]
    if _plain_at(tomllib.loads(after), key) != value:
        raise Unwritable(f"{key} cannot be written among what the file says of it.")
    return after


def _place(document: Table, key: str) -> tuple[Table, str]:
    """The table and the name in it that a key has, or would have."""
    found = _existing(document, key)
    if found is not None:
        return found
    setting = setting_of(key)
    owner = setting.key if setting is not None and setting.key != key else key.rpartition(".")[0]
    table = document
    for name in owner.split(".") if owner else ():
        if name not in table:
            table[name] = tomlkit.table()
        table = cast("Table", table[name])
    return table, key[len(owner) + 1 :] if owner else key


def _existing(table: Table, key: str) -> tuple[Table, str] | None:
    """Where the text has the key; any of its dots may be part of a name."""
    if key in table:
        return table, key
    for name, value in table.items():
        if key.startswith(f"{name}.") and isinstance(value, MutableMapping):
            found = _existing(cast("Table", value), key[len(name) + 1 :])
            if found is not None:
                return found
    return None


def _plain_at(data: Table, key: str) -> object:
    found = _existing(data, key)
    return None if found is None else found[0][found[1]]


def _replace(path: Path, text: str) -> None:
    make_folder(path.parent)
    mode = 0o600
    if path.exists():
        mode = stat.S_IMODE(path.stat().st_mode)
        # Whoever may do everything would write it all the same.
        if not mode & 0o222:
            raise Unwritable(f"{path} is read-only.", "Make it writable to keep changes.")
    replace_file(path, text.encode("utf-8"), mode)
