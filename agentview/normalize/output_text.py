"""Content blocks of a result by their sort; whether a text is whole."""

import re
from collections.abc import Iterable

from agentview.domain.content import Block, ImageBlock, ResourceBlock, TextBlock
from agentview.domain.events import ToolResult


def text_of(blocks: Iterable[Block]) -> str | None:
    """All text of the blocks, one after the other on lines of their own; None without any."""
    texts = [block.text for block in blocks if isinstance(block, TextBlock)]
    return "\n".join(texts) if texts else None


def value_of(outcome: ToolResult) -> object:
    """The structured form of a result; without one its text, which may be JSON."""
    return text_of(outcome.output) if outcome.structured is None else outcome.structured


def media_of(blocks: Iterable[Block]) -> tuple[Block, ...]:
    return tuple(block for block in blocks if isinstance(block, ImageBlock | ResourceBlock))


_CUT = re.compile(
    r"(?im)\ATotal output lines: \d|^.{0,200}(?:\b\d+ (?:chars|characters|tokens|bytes|lines) "
    r"(?:truncated|omitted)|\[\.{3}.{0,80}truncated|\boutput truncated\b)"
)


def is_cut(text: str) -> bool:
    return _CUT.search(text) is not None
