"""Content blocks of a result by their sort; whether a text is whole."""

import re
from collections.abc import Iterable

from agentview.domain.content import Block, ImageBlock, ResourceBlock, TextBlock


def text_of(blocks: Iterable[Block]) -> str | None:
    """All text of the blocks, one after the other on lines of their own; None without any."""
    texts = [block.text for block in blocks if isinstance(block, TextBlock)]
    return "\n".join(texts) if texts else None


def media_of(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The images and documents among the blocks."""
    return tuple(block for block in blocks if isinstance(block, ImageBlock | ResourceBlock))


_CUT = re.compile(
    r"(?im)\ATotal output lines: \d|^.{0,200}(?:\b\d+ (?:chars|characters|tokens|bytes|lines) "
    r"(?:truncated|omitted)|\[\.{3}.{0,80}truncated|\boutput truncated\b)"
)


def is_cut(text: str) -> bool:
    """Return True if a client says in an output that it left out some of it."""
    return _CUT.search(text) is not None
