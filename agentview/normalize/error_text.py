"""Parse error texts of any provider: exit codes, time limits and wrappers."""

import re

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
    return _TIMED_OUT.match(text) is not None


def unwrap(text: str, tag: str) -> str | None:
    """Return the inner text of `<tag>…</tag>` when that is the whole text; None when it is not.

    A closing tag that was cut off is not missed.
    """
    bare = text.strip()
    opening = f"<{tag}>"
    return bare[len(opening) :].removesuffix(f"</{tag}>") if bare.startswith(opening) else None


def section(text: str, tag: str) -> str | None:
    """The text between a `<tag>` that begins a line and the first `</tag>` behind it."""
    opening = f"<{tag}>"
    start = 0 if text.startswith(opening) else text.find("\n" + opening) + 1
    if not text.startswith(opening, start):
        return None
    start += len(opening)
    end = text.find(f"</{tag}>", start)
    return text[start:end] if end >= 0 else None
