"""The folders of providers, and where their sessions are: known without importing a provider.

`roots.txt` in a folder has the places, one a line. Of alternatives, which are separated by `|`, the
first counts that leads to a place: `$NAME/more` does where the variable is set, `~/more` where the
home directory is known. `$NAME[]` may name several folders, separated by commas. A value that is
not absolute leads nowhere. What follows the variable is left out where its value ends with it; `..`
is the folder that the value is in. A line that begins with `#` is a comment. `%APPDATA%/more` is
the folder of a desktop program on each system: `app.getPath("appData")` of Electron.

Where a client lists its folders itself, `~/list.json projects/folder` names the file, the list in
its object, and the key of each item that has the folder.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import cast

import orjson

from agentview.sources.member import first_bytes
from agentview.sources.packed_file import archive_folder

_SHARED = "shared"
_LISTED = re.compile(r"(?P<file>.+\.json) +(?P<list>\w+)/(?P<key>\w+)")
"""A file that lists folders; names of folders may have blanks too."""
_APP_DATA = "%APPDATA%/"
_APP_FOLDERS = ("~/.config/", "~/Library/Application Support/")
"""Where it is on Linux and macOS."""
_VARIABLE = re.compile(r"\$(\w+)")
_Named = tuple[tuple[str, str], ...]
"""Variables of the environment that name folders, with their values."""
_LIST_BYTES = 1 << 20
"""Bytes of a client's list of folders that are read."""
_PACKAGE = __name__.rpartition(".")[0]
_HERE = Path(__file__).parent


@cache
def own_packages() -> Mapping[str, str]:
    """Packages of the providers in this folder, by the names of the providers, in their order."""
    found: dict[str, str] = {}
    for folder in _packages(_HERE):
        family = _packages(_HERE / folder)
        # One member of a family may have its name.
        inside = {name: f"{_PACKAGE}.{folder}.{name}" for name in family}
        found.update(inside or {folder: f"{_PACKAGE}.{folder}"})
    return {name: found[name] for name in sorted(found)}


def _packages(folder: Path) -> list[str]:
    return [
        entry.name
        for entry in os.scandir(folder)
        if entry.is_dir()
        and entry.name != _SHARED
        and not entry.name.startswith("_")
        and Path(entry.path, "__init__.py").is_file()
    ]


@cache
def own_file(name: str, file: str) -> Path | None:
    """A file in the folder of a provider; None where it is not there, and for a plug-in."""
    package = own_packages().get(name)
    if package is None:
        return None
    path = _HERE.joinpath(*package.split(".")[_PACKAGE.count(".") + 1 :], file)
    return path if path.is_file() else None


@cache
def has_folder(name: str) -> bool:
    """Return True if it is known where the sessions of a provider of this folder are."""
    file = own_file(name, "roots.txt")
    return file is not None and any(_lines(file))


def _lines(file: Path) -> Iterator[str]:
    """The lines with places; one for each system of the folder of a desktop program."""
    for line in file.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text and text[0] != "#":
            yield from place_lines(text)


def place_lines(text: str) -> Sequence[str]:
    """A line with places as several, where it has the folder of a desktop program."""
    if not text.startswith(_APP_DATA):
        return (text,)
    below = text.removeprefix(_APP_DATA)
    windows = f"$APPDATA/{below} | ~/AppData/Roaming/{below}"
    return (*(f"{folder}{below}" for folder in _APP_FOLDERS), windows)


def declared_roots(name: str, env: Mapping[str, str]) -> Sequence[Path] | None:
    """Directories where sessions may be, as `roots.txt` of the provider says; None without one."""
    file = own_file(name, "roots.txt")
    if file is None:
        return None
    places = (place for line in _lines(file) for place in first_places(line, env))
    return list(dict.fromkeys(places))


def writers(path: Path, env: Mapping[str, str]) -> Sequence[str]:
    """Providers whose clients write to a folder that a file is in, the nearest folder first.

    The folders of another home, such as a copied one, count too, and so does the archive's folder
    of a provider.
    """
    named = tuple((name, env[name]) for name in _variables() if name in env)
    texts = (os.path.abspath(path), _real(path))  # noqa: PTH100
    folders = dict.fromkeys(map(os.path.dirname, texts))
    found = (_writing(folder, named, archive_folder()) for folder in folders)
    return tuple(dict.fromkeys(chain.from_iterable(found)))


@cache
def _variables() -> Sequence[str]:
    """Names of the variables that say where the folders of providers are."""
    files = (own_file(name, "roots.txt") for name in own_packages())
    texts = (line for file in files if file is not None for line in _lines(file))
    return sorted(
        {"HOME", "USERPROFILE", *(name for text in texts for name in _VARIABLE.findall(text))}
    )


@lru_cache(maxsize=1024)
def _writing(folder: str, named: _Named, archive: str) -> Sequence[str]:
    """Providers whose clients write to a folder or one that it is in, the nearest first."""
    places, parts = _written(named, archive), Path(folder).parts
    ends = range(len(parts), 0, -1)
    inner = (places.get(parts[start:end], ()) for end in ends for start in range(end))
    return tuple(dict.fromkeys(chain.from_iterable(inner)))


def _real(path: Path) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:
        return str(path)


@lru_cache(maxsize=1)
def _written(named: _Named, archive: str) -> Mapping[tuple[str, ...], list[str]]:
    """Names of providers by the parts of a folder's path: a whole path, or one below a home."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name in own_packages():
        whole = [*(declared_roots(name, dict(named)) or ()), Path(archive, name)]
        for parts in dict.fromkeys((*(path.parts for path in whole), *_below_home(name))):
            found.setdefault(parts, []).append(name)
    return found


def _below_home(name: str) -> Iterator[tuple[str, ...]]:
    file = own_file(name, "roots.txt")
    for line in _lines(file) if file is not None else ():
        places = line.split("|")
        yield from (Path(each.strip()[2:]).parts for each in places if each.strip()[:2] == "~/")


def first_places(line: str, env: Mapping[str, str]) -> Sequence[Path]:
    """The places to which the first alternative of a line leads that leads to any."""
    found = (list(_places(part.strip(), env)) for part in line.split("|"))
    return next(filter(None, found), ())


def _places(text: str, env: Mapping[str, str]) -> Iterator[Path]:
    listed = _LISTED.fullmatch(text)
    if listed is None:
        yield from _named_places(text, env)
        return
    for place in _named_places(listed["file"], env):
        yield from _listed_folders(place, listed["list"], listed["key"])


def _listed_folders(file: Path, list_key: str, key: str) -> Iterator[Path]:
    """Folders that a JSON file lists; none where it cannot be read. Relative ones are left out."""
    data = first_bytes(file, _LIST_BYTES)
    try:
        listed: object = orjson.loads(data) if data else None
    except ValueError:
        return
    entries = cast("dict[str, object]", listed).get(list_key) if isinstance(listed, dict) else None
    for entry in cast("list[object]", entries) if isinstance(entries, list) else []:
        folder = cast("dict[str, object]", entry).get(key) if isinstance(entry, dict) else None
        if isinstance(folder, str) and "\0" not in folder and Path(folder).is_absolute():
            yield Path(folder)


def _named_places(text: str, env: Mapping[str, str]) -> Iterator[Path]:
    base, _, rest = text.partition("/")
    home = env.get("HOME") or env.get("USERPROFILE")
    if base == "~":
        yield from [Path(home, rest)] if home else []
        return
    several = base.endswith("[]")
    value = env.get(base.removeprefix("$").removesuffix("[]"), "")
    for each in value.split(",") if several else [value]:
        named = each.strip()
        folder = Path(home, named[2:]) if home and named.startswith("~/") else Path(named)
        if folder.is_absolute():
            yield _below(folder, rest)


def _below(folder: Path, rest: str) -> Path:
    if rest == "..":
        return folder.parent
    return folder if rest and folder.parts[-1] == rest else folder / rest
