"""Providers that raise, in this process and in those that it starts."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from operator import setitem
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict, force_setattr, replace

from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.providers.contained import contain
from agentview.system.paths import sample_sessions_dir

SAMPLES = sample_sessions_dir()

ERRORS: Sequence[Exception] = (
    RecursionError("maximum recursion depth exceeded"),
    MemoryError(),
    ValueError("embedded null byte"),
    UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
    OSError(5, "Input/output error"),
    sqlite3.DatabaseError("database disk image is malformed"),
    AssertionError("not so"),
    KeyError("type"),
)

VICTIMS = {
    "claude_code": "claude_code/demo.jsonl",
    "gemini_cli": "gemini_cli/document.json",
    "goose": "goose/sessions.db",
    "inspect_ai": "inspect_ai/evaluation.json",
}
"""Of each kind of source one: lines, a document, a database, an archive."""

OTHERS = {"codex": "codex/demo.jsonl", "aider": "aider/demo.chat.history.md"}

DISCOVERY = ("probe", "files", "session_at", "ref", "children", "child_places", "info")
READING = ("decode", "light", "attach_result", "merge_call", "kind_of", "unused_keys")


def places(tmp_path: Path, samples: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each provider find its sample in a directory of its own."""
    lines = ["[sessions.roots]"]
    for name, sample in samples.items():
        place = tmp_path / "logs" / name
        place.mkdir(parents=True, exist_ok=True)
        source = SAMPLES / sample
        copy = shutil.copytree if source.is_dir() else shutil.copyfile
        copy(source, place / source.name)
        lines.append(f"{name} = [{json.dumps(str(place))}]")
    config = tmp_path / "config.toml"
    config.write_text("\n".join(lines))
    monkeypatch.setenv("AGENTVIEW_CONFIG", str(config))


def raising(error: Exception) -> Callable[..., Any]:
    def call(*_: object, **__: object) -> Any:
        raise error

    return call


class Raising:
    """A `Discovery` of which one method raises; of files after those that it found."""

    def __init__(self, own: Any, method: str, error: Exception) -> None:
        self._own, self._method, self._error = own, method, error

    def __getattr__(self, name: str) -> Any:
        if name != self._method:
            return getattr(self._own, name)
        return self._files if name == "files" else raising(self._error)

    def _files(self, root: Path) -> Iterator[Any]:
        yield from self._own.files(root)
        raise self._error


class _Fields(dict[str, object]):
    """The fields of a provider that others may know already; what is put here is put there."""

    def __init__(self, provider: Provider) -> None:
        super().__init__(asdict(provider))
        self._provider = provider

    def __setitem__(self, name: str, value: object) -> None:
        super().__setitem__(name, value)
        force_setattr(self._provider, name, value)


def break_provider(
    name: str, method: str, error: Exception, put: Callable[[Any, str, object], None]
) -> None:
    """Have one function of a provider raise whenever it is asked; `put` sets an item."""
    provider = load_provider(name)
    discovery, reading = provider.discovery, provider.reading
    if method in DISCOVERY:
        discovery = Raising(discovery, method, error)
    else:
        reading = replace(reading, **{method: raising(error)})
    broken = contain(replace(provider, discovery=discovery, load_reading=lambda: reading))
    fields = _Fields(provider)
    for field in ("discovery", "load_reading"):
        put(fields, field, getattr(broken, field))


def refs_of(name: str, tmp_path: Path) -> list[SessionRef]:
    return load_provider(name).scan(tmp_path / "logs" / name)


VARIABLE = "TESTED_BREAKS"
_START = "from tests.cli.broken_providers import break_here\nbreak_here()\n"


def break_everywhere(
    breaks: dict[str, tuple[str, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Have a method of each of some providers raise one of `ERRORS`, by its number.

    The providers of this process and of every one that it starts do so.
    """
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(_START)
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), str(root)]))
    monkeypatch.setenv(VARIABLE, json.dumps(breaks))
    _break(breaks, monkeypatch.setitem)


def break_here() -> None:
    """Do in a process what `break_everywhere` asked for."""
    _break(json.loads(os.environ[VARIABLE]), setitem)


def _break(breaks: dict[str, tuple[str, int]], put: Callable[[Any, str, object], None]) -> None:
    for name, (method, error) in breaks.items():
        break_provider(name, method, ERRORS[error], put)
