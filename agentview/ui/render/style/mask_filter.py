"""A filter of rows that masks the secrets in them, whatever painted them."""

from functools import lru_cache

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from agentview.redaction.forms import Span
from agentview.redaction.secrets import covered, find_secrets


@lru_cache(maxsize=2048)
def _secrets_of(row: str) -> list[Span]:
    # Most rows of a frame are those of the frame before.
    return find_secrets(row)


class MaskFilter(LineFilter):
    """Masks what is a secret within one row; the row keeps its cells and colours."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments of a row, those with a secret in them masked."""
        del background
        text = "".join(segment.text for segment in segments)
        secrets = _secrets_of(text)
        if not secrets:
            return segments
        hidden = list(text)
        for start, end in secrets:
            hidden[start:end] = covered(text[start:end])
        masked: list[Segment] = []
        position = 0
        for part, style, control in segments:
            end = position + len(part)
            masked.append(Segment("".join(hidden[position:end]), style, control))
            position = end
        return masked
