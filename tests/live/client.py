"""What the run must know of a client: how it is started, its tools, its prompts and keys."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from tests.live.script import Action


@dataclass(frozen=True)
class ToolCall:
    """A call as the model's protocol has it."""

    name: str
    arguments: Mapping[str, Any]
    namespace: str = ""
    """The group of the tool, where the protocol has these."""
    is_freeform: bool = False
    """The tool takes the text `arguments["input"]` instead of JSON."""


@dataclass(frozen=True)
class Request:
    """What a client sent to the model."""

    body: str
    offered: frozenset[str]
    """The names of the tools that it offers."""


Answer = ToolCall | str
"""What the model does for an action: a call, or a text that the client takes for one."""


@dataclass(frozen=True)
class Place:
    """Where a client runs: a home and a repository of its own, and the port of the model."""

    home: Path
    repository: Path
    port: int

    @property
    def url(self) -> str:
        """The address of the model, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def write(self, name: str, content: str | Mapping[str, Any]) -> None:
        """Write a file of the home; a mapping as JSON."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))


class Prompt(StrEnum):
    """What a client shows when it waits for the user."""

    READY = "ready"
    COMMAND = "command"
    FILE = "file"
    AGENT = "agent"
    QUESTION = "question"
    PLAN = "plan"
    FAILED = "failed"


@dataclass(frozen=True)
class Background:
    """How a client runs a session without a terminal."""

    start: tuple[str, ...]
    """Arguments in front of the prompt."""
    listed: tuple[str, ...]
    """Arguments that list these sessions."""
    waits: str
    """Regular expression of what the list says of one that waits for the user."""


def nothing_to_write(_: Place) -> None:
    """For clients without settings."""


@dataclass(frozen=True)
class Client:
    """A client and how to drive it."""

    name: str
    label: str
    package: str
    """The npm package."""
    program: str
    """The executable, below the folder of the installation."""
    arguments: tuple[str, ...]
    environment: Callable[[Place], Mapping[str, str]]
    answers: Callable[[Action, Place], tuple[Callable[[Request], Answer], ...]]
    """What the model does for an action, one response each; nothing where it cannot do that."""
    shown: Mapping[Prompt, str]
    """Regular expressions of what is on the screen."""
    clear: str
    """The command that starts a new session."""
    leave: str
    """The command that ends the client."""
    prepare: Callable[[Place], None] = nothing_to_write
    first_keys: tuple[str, ...] = ()
    """Keys that close what the client shows at its first start."""
    plan_mode: str = ""
    """The command that switches to planning, where the model cannot do that or asks only then."""
    allow: tuple[str, ...] = ("Enter",)
    refuse: tuple[str, ...] = ("Escape",)
    stop: tuple[str, ...] = ("Escape",)
    approve_plan: tuple[str, ...] = ("Enter",)
    background: Background | None = None

    def executable(self, installations: Path) -> Path | None:
        """Where it is installed, or None."""
        path = installations / self.package_folder / self.program
        return path if os.access(path, os.X_OK) else None

    @property
    def package_folder(self) -> str:
        """The folder of its installation, which variants of a client share."""
        return self.package.replace("/", "-").lstrip("@")

    def version(self, installations: Path) -> str:
        """The version of the installed package."""
        package = installations / self.package_folder / "node_modules" / self.package
        return str(json.loads((package / "package.json").read_text())["version"])
