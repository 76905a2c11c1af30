"""A file of a session in the person's own editor: an argument list, never a line for a shell."""

import os
import signal
import stat
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from textual.app import App, SuspendNotSupported

from agentview.domain.record_ref import FileLocation
from agentview.domain.value import Value
from agentview.errors import AgentViewError, NotFound, Unreadable
from agentview.system import platforms
from agentview.ui.messages import EditRequested

_PLUS = frozenset(
    {"vi", "vim", "nvim", "view", "vimx", "gvim", "nano", "pico", "emacs", "emacsclient", "hx",
     "helix", "kak", "micro", "joe", "jed", "ne", "mg", "gedit"}
)  # fmt: skip
_GOTO = frozenset({"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})
_COLON = frozenset({"zed", "zeditor", "subl", "sublime_text"})
_WINDOWS = _GOTO | _COLON | {"gvim", "gedit"}
"""Editors with a window of their own, which need no terminal."""


class Opening(Value):
    """A command that opens a file; one with a window of its own does not take the terminal."""

    argv: tuple[str, ...]
    path: Path
    has_window: bool = False


def opening(place: FileLocation, environ: Mapping[str, str]) -> Opening:
    """The command of the editor in VISUAL or EDITOR, which may have arguments, for a place.

    Raises NotFound when the file does not exist here or no editor is set, Unreadable for a special
    file.
    """
    path = local_file(place)
    editor = next((environ[name] for name in ("VISUAL", "EDITOR") if environ.get(name)), "")
    try:
        command = platforms.command_words(editor)
    except ValueError:
        raise NotFound("VISUAL or EDITOR has a quote without an end") from None
    if not command:
        raise NotFound("no editor is set: VISUAL and EDITOR are empty")
    name = PurePath(command[0]).name.lower().removesuffix(".exe").removesuffix(".cmd")
    return Opening(
        (*command, *_arguments(name, path, place.line)), path, has_window=name in _WINDOWS
    )


def local_file(place: FileLocation) -> Path:
    """The absolute path of the file, so that no name in a log can look like an option.

    Raises NotFound when it is not here, Unreadable when it is a directory, a device or a pipe.
    """
    if "\x00" in place.path or (place.cwd and "\x00" in place.cwd):
        raise NotFound("no file has such a name")
    path = Path(place.cwd or "", place.path)
    if not path.is_absolute():
        raise NotFound(f"no directory is known that {place.path} counts from")
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116  (what kind of thing it is, links followed)
    except FileNotFoundError:
        raise NotFound(f"{path.name} is not on this machine: {path}") from None
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path.name[:80]} cannot be reached: {_reason(error)}") from None
    if not stat.S_ISREG(mode):
        raise Unreadable(f"{path.name} is not a file: {path}")
    return path


def _arguments(name: str, path: Path, line: int | None) -> Sequence[str]:
    if line is None:
        return (str(path),)
    if name in _PLUS:
        return (f"+{line}", str(path))
    if name in _GOTO:
        return ("--goto", f"{path}:{line}")
    if name in _COLON:
        return (f"{path}:{line}",)
    return (str(path),)


def edit(app: App[None], asked: EditRequested) -> None:
    """Open a file in the person's editor, which has the terminal meanwhile unless it has a window.

    What goes wrong is said to who asked.
    """
    try:
        wanted = opening(asked.place, os.environ)
    except AgentViewError as error:
        asked.say(error.message)
        return
    if wanted.has_window:
        trouble = edit_in_window(wanted)
        asked.say(trouble or f"opened {wanted.path.name} with {wanted.argv[0]}")
        return
    try:
        with app.suspend():
            trouble = edit_in_terminal(wanted)
    except SuspendNotSupported:
        trouble = "this terminal cannot be lent to an editor"
    app.refresh(layout=True)
    if trouble:
        asked.say(trouble)


def edit_in_terminal(wanted: Opening) -> str:
    """Run the editor in the terminal until it ends; gives a sentence when that went wrong.

    What the person interrupts meanwhile is the editor, not this program.
    """
    try:
        process = subprocess.Popen(wanted.argv, shell=False)  # noqa: S603
    except OSError as error:
        return _not_started(wanted, error)
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, heard)
    return f"{wanted.argv[0]} ended with {code}" if code else ""


def edit_in_window(wanted: Opening) -> str:
    """Start an editor that has a window of its own; gives a sentence when that went wrong."""
    try:
        subprocess.Popen(  # noqa: S603
            wanted.argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            shell=False,
            **platforms.DETACHED,
        )
    except OSError as error:
        return _not_started(wanted, error)
    return ""


def _not_started(wanted: Opening, error: OSError) -> str:
    return str(AgentViewError(f"{wanted.argv[0]} could not be started: {_reason(error)}"))


def _reason(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
