"""What error texts of any provider tell: exit codes, time limits, and what wraps them."""

import re
from functools import lru_cache

_EXIT_CODE = re.compile(
    r"\s*(?:error: )?(?:process |command )?"
    r"(?:exit(?:ed)?(?: with)?(?: code| status)|exit_code)[ :=]+(-?\d{1,10})\b[ \t]*\n?",
    re.IGNORECASE,
)
_TIMED_OUT = re.compile(
    r"\s*(?:error: )?(?:the )?(?:command |process |request )?(?:execution )?"
    r"(?:timed out|timeout)(?: after)? \d",
    re.IGNORECASE,
)


def exit_code(text: str) -> tuple[int | None, str]:
    """The exit code that a text begins with, and the text behind it.

    Only the beginning counts: the same words further down are part of some output.
    """
    match = _EXIT_CODE.match(text)
    if match is None:
        return None, text
    return int(match[1]), text[match.end() :]


def timed_out(text: str) -> bool:
    """Whether a text begins by saying that a time limit was reached."""
    return _TIMED_OUT.match(text) is not None


@lru_cache(maxsize=32)
def _wrapped(tag: str) -> re.Pattern[str]:
    name = re.escape(tag)
    return re.compile(rf"\s*<{name}>(.*?)(?:</{name}>\s*)?\Z", re.DOTALL)


def unwrap(text: str, tag: str) -> str | None:
    """What stands inside `<tag>…</tag>` when that is the whole text; None when it is not.

    A closing tag that was cut off is not missed.
    """
    match = _wrapped(tag).match(text)
    return match[1] if match is not None else None


@lru_cache(maxsize=32)
def _section(tag: str) -> re.Pattern[str]:
    name = re.escape(tag)
    return re.compile(rf"(?:\A|\n)<{name}>(.*?)</{name}>(?=\n|\Z)", re.DOTALL)


def section(text: str, tag: str) -> str | None:
    """The text of the first `<tag>…</tag>` that begins a line and ends one."""
    match = _section(tag).search(text)
    return match[1] if match is not None else None
