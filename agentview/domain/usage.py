"""Token counts of one model response; what a log does not state is None, never 0."""

from msgspec.structs import astuple

from agentview.domain.value import Value


def _add(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return left if right is None else right
    return left + right


class Usage(Value):
    """Tokens of one model response; `input_uncached` excludes what a cache gave or took."""

    input_uncached: int | None = None
    input_cached: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    """Part of `output` that was reasoning, where the log counts it separately."""
    cache_write_1h: int | None = None
    """Part of `cache_write` that the cache keeps for an hour, where the log states it.

    It has a price of its own; the rest is kept for the vendor's shortest time.
    """

    unfinished: int | None = None
    """1 where `output` was not counted to its end: it was at least that. A sum counts these."""

    @property
    def rank(self) -> tuple[bool, bool]:
        """Of several counts of one response the highest holds, of equal ones the last."""
        return bool(self.context), not self.unfinished

    def plus(self, other: "Usage") -> "Usage":
        """The sum field by field; a side that does not know a field does not count for it."""
        return Usage(
            _add(self.input_uncached, other.input_uncached),
            _add(self.input_cached, other.input_cached),
            _add(self.cache_write, other.cache_write),
            _add(self.output, other.output),
            _add(self.reasoning, other.reasoning),
            _add(self.cache_write_1h, other.cache_write_1h),
            _add(self.unfinished, other.unfinished),
        )

    def minus(self, other: "Usage") -> "Usage":
        """The difference to `other`, in counts that this one states."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Usage(*(None if new is None else new - (old or 0) for new, old in pairs))

    def or_else(self, other: "Usage") -> "Usage":
        """These counts, and those of `other` where they are not known."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Usage(*(theirs if own is None else own for own, theirs in pairs))

    @property
    def context(self) -> int | None:
        """Tokens that this response left in the model's context: all input and the output."""
        known = [
            part
            for part in (self.input_uncached, self.input_cached, self.cache_write, self.output)
            if part is not None
        ]
        return sum(known) if known else None
