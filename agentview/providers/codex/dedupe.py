"""Keys by which the two records of one fact find each other: what it says, and when.

The client writes a text twice, for the model and for the screen, within milliseconds and without a
common id. The same words said again later are another fact, so that a time belongs to the key.
"""

from dataclasses import dataclass
from hashlib import blake2b

from agentview.normalize.json_values import Fields, whole_of

APART = 1.5
"""Seconds that lie between two twins at most; 0.8 is the most that was seen."""

_SPAN = 2 * APART
_COUNTS = (
    "input_tokens",
    "cached_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "total_tokens",
)


@dataclass(frozen=True, slots=True)
class DuplicateKeys:
    """The two keys of an event; of two twins exactly one is the same."""

    dedupe_key: str | None
    replaces: str | None = None


NO_TWIN = DuplicateKeys(None)


def total_name(total: Fields) -> str:
    """A name for the response after which a thread had used these tokens."""
    return ":".join(["total", *(str(whole_of(total.get(key))) for key in _COUNTS)])


def newest(key: str) -> DuplicateKeys:
    """Of several events with this key the last in the log counts."""
    return DuplicateKeys(None, key)


def twin_keys(kind: str, said: str, time: float | None, *, first: bool) -> DuplicateKeys:
    """Keys of a fact of that kind; `first` tells which of its two records the client writes first.

    Time is cut into spans. Twins in one span have one `dedupe_key`, so that the second gives way.
    A first one in the later half of its span may have its twin in the next; both then carry the key
    of the edge between the spans, by which the second takes the place of the first.
    """
    if time is None:
        return NO_TWIN
    name = blake2b(f"{kind}\x00{said.strip()}".encode("utf-8", "replace"), digest_size=12)
    span = int(time // _SPAN)
    late = time - span * _SPAN >= APART
    edge: int | None = None
    if first and late:
        edge = span
    elif not first and not late:
        edge = span - 1
    digest = name.hexdigest()
    return DuplicateKeys(
        f"{kind}:{digest}:{span}", f"{kind}:{digest}:{edge}+" if edge is not None else None
    )
