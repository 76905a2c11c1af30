"""Notifications by escape codes: which a terminal takes, and their bytes.

A code that a terminal does not know may be shown as text, so none is sent on a guess.
"""

import re
from collections.abc import Mapping
from enum import Enum

BELL = "\a"
_END = "\x1b\\"
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_MOST = 400
"""Characters of a text: terminals take few."""
_NAME = "agentview"


class Code(Enum):
    """An escape code that shows a notification."""

    OSC_9 = 9
    """One text, as iTerm2 has it."""
    OSC_777 = 777
    """Title and text, as rxvt-unicode has it."""
    OSC_99 = 99
    """Title and text in parts, as kitty has it."""


_BY_PROGRAM = {
    "iterm.app": Code.OSC_9,
    "wezterm": Code.OSC_9,
    "ghostty": Code.OSC_9,
    "warpterminal": Code.OSC_777,
    "contour": Code.OSC_777,
    "kitty": Code.OSC_99,
}
_BY_TERM = (
    ("xterm-kitty", Code.OSC_99),
    ("xterm-ghostty", Code.OSC_9),
    ("wezterm", Code.OSC_9),
    ("foot", Code.OSC_777),
    ("rxvt-unicode", Code.OSC_777),
)


def code_of(environ: Mapping[str, str]) -> Code | None:
    """The code that the terminal is known to take, by its environment.

    None inside tmux and screen, which keep such codes from it; the bell comes through.
    """
    term = environ.get("TERM", "")
    if environ.get("TMUX") or environ.get("STY") or term.startswith(("tmux", "screen")):
        return None
    program = _BY_PROGRAM.get(environ.get("TERM_PROGRAM", "").lower())
    if program is not None:
        return program
    if environ.get("KITTY_WINDOW_ID"):
        return Code.OSC_99
    return next((code for name, code in _BY_TERM if term.startswith(name)), None)


def notification(code: Code, title: str, text: str, number: int) -> str:
    """The code that shows a notification; whatever the texts are, they stay texts.

    `number` identifies it among those of this run.
    """
    title, text = _plain(title), _plain(text)
    match code:
        case Code.OSC_9:
            # It begins with a word: a number would be another command to some terminals.
            return f"\x1b]9;{_NAME}: {title} · {text}{_END}"
        case Code.OSC_777:
            # A semicolon ends the title.
            return f"\x1b]777;notify;{_NAME}: {title.replace(';', ',')};{text}{_END}"
        case Code.OSC_99:
            name = f"i={_NAME}-{number}"
            first = f"\x1b]99;{name}:d=0:p=title;{_NAME}: {title}{_END}"
            return f"{first}\x1b]99;{name}:d=1:p=body;{text}{_END}"


def title_code(waiting: int, *, first: bool) -> str:
    """The code that says in the terminal's title how many sessions need their person.

    The title before the `first` one is kept by the terminal, and comes back with none waiting.
    """
    if not waiting:
        return f"\x1b]2;{_NAME}{_END}\x1b[23;2t"
    verb = "needs" if waiting == 1 else "need"
    kept = "\x1b[22;2t" if first else ""
    return f"{kept}\x1b]2;● {waiting} {verb} you{_END}"


def _plain(text: str) -> str:
    return _CONTROLS.sub(" ", text)[:_MOST].encode("utf-8", "replace").decode()
