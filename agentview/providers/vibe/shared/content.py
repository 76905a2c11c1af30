"""The content of a message: a text, or a list of parts."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Raw

from agentview.domain.content import Block
from agentview.normalize.json_values import Fields
from agentview.providers._kit.images import words_and_blocks
from agentview.providers._kit.typed_records import TypedBuilder

Content = str | list[Raw] | None


def content_of(
    record: TypedBuilder[Any], content: Content, images: Callable[[Fields], Sequence[str] | None]
) -> tuple[str, tuple[Block, ...]]:
    """The words of a content, and what is not words; `images` is as in `words_and_blocks`."""
    if not isinstance(content, list):
        return content or "", ()
    return words_and_blocks([record.value_of(each) for each in content], images)
