"""Which rules made what is kept: a digest of the code that decides it."""

import os
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from pathlib import Path

import agentview
from agentview.providers.folders import own_file

DECIDING = (
    "providers",
    "normalize",
    "timeline/rows",
    "timeline/view",
    "domain",
    "sources",
    "facts/edits",
    "facts/kept",
    "facts/usage",
    "reports/away",
    "sessions/library",
)
"""Packages whose code, in folders of any depth, decides what is kept of a log."""


def rules_of(provider: str) -> str | None:
    """A digest of the rules by which facts of a provider's logs are made.

    None for a provider from another package, whose rules may change without a new version of this
    program.
    """
    return None if own_file(provider, "__init__.py") is None else own_rules()


@cache
def own_rules() -> str:
    return rules_in(Path(agentview.__file__).parent)


@cache
def rules_with(*folders: str) -> str:
    """The same with the code of further packages."""
    return rules_in(Path(agentview.__file__).parent, (*DECIDING, *folders))


def rules_in(package: Path, deciding: Iterable[str] = DECIDING) -> str:
    """The same for a copy of this package."""
    modules: list[tuple[str, int, int]] = []
    folders = [f"{package}/{name}" for name in deciding]
    while folders:
        with os.scandir(folder := folders.pop()) as entries:
            for entry in entries:
                name = entry.name
                if name.endswith(".py"):
                    status = entry.stat()
                    place = f"{folder}/{name}"[len(str(package)) :]
                    modules.append((place, status.st_size, status.st_mtime_ns))
                elif entry.is_dir() and name != "__pycache__":
                    folders.append(f"{folder}/{name}")
    text = repr((agentview.__version__, sorted(modules)))
    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
