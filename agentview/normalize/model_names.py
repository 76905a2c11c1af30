"""Names of models: one for all forms in which clients, gateways and clouds write it."""

import re
from collections.abc import Iterator

_ANNOTATION = re.compile(r"\s*[\[(][^\])]*[\])]\s*$")
"""`gpt-5.5[high]`, `claude-sonnet-5[1m]`, `gpt-5 (high)`."""
_CLOUD = re.compile(r"(?:[a-z]+(?:-[a-z]+)*\.){1,2}(?=[a-z])")
"""Region and vendor, as Bedrock has them: `us.anthropic.`, `us-gov.anthropic.`, `amazon.`."""
_REVISION = re.compile(r"-v\d+(?::\d+)?$")
"""`-v1:0` of Bedrock."""
_VERTEX = re.compile(r"@(?:(?P<date>\d{8})|default|latest)$")
"""`claude-sonnet-4-5@20250929`."""
_EFFORT = re.compile(
    r"(?P<name>claude-.+?)(?:-(?:low|medium|high|max|thinking))+"
    r"|(?P<other>(?:gpt|o\d|codex|gemini|grok)\b.*?)-(?:minimal|low|medium|high|xhigh)"
)
"""`gpt-5-codex-high`, `claude-4.5-opus-high-thinking`; but `mistral-medium` is a name."""
_DATE = re.compile(r"-20\d{2}-?\d{2}-?\d{2}$|-latest$")
_CLAUDE_TURNED = re.compile(r"claude-(\d(?:[.-]\d)?)-(opus|sonnet|haiku)\b")
"""`claude-4.6-sonnet`, as Cursor has it; up to 3.7 the vendor itself writes names so."""


def names_of(name: str) -> Iterator[str]:
    """All names by which a model may be known, from the one that was written to the plainest.

    Each is given once. What identifies no model, as the end of an ARN of an inference profile that
    somebody made, is given as it is.
    """
    seen: set[str] = set()
    for each in _plainer(name.strip()):
        if each and each not in seen:
            seen.add(each)
            yield each


def _plainer(name: str) -> Iterator[str]:
    name = _ANNOTATION.sub("", name)
    yield name
    name = name.rpartition("/")[2]
    yield name
    # A gateway writes `anthropic:claude-…`; what is short behind a colon says which of several.
    vendor, _, model = name.partition(":")
    if vendor.isalpha() and "-" in model:
        name = model
    name = _CLOUD.sub("", name.lower(), count=1)
    yield name
    name = _REVISION.sub("", name)
    yield name
    dated = _VERTEX.search(name)
    if dated is not None:
        name = name[: dated.start()] + (f"-{dated['date']}" if dated["date"] else "")
        yield name
    for each in (name, _CLAUDE_TURNED.sub(r"claude-\2-\1", name)):
        yield each
        effort = _EFFORT.fullmatch(each)
        plain = each if effort is None else effort["name"] or effort["other"]
        yield plain
        yield _DATE.sub("", plain)


_STATED = re.compile(r"\[([0-9]+)([mk])\]", re.IGNORECASE)
_SIZES = {"k": 1_000, "m": 1_000_000}
_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?(\d)(?:[.-](\d)(?!\d))?")
_GEMINI = re.compile(r"gemini-[23](?:\.\d)?-(?:pro|flash)")
_SHORT, _LONG = 200_000, 1_000_000
_FIRST_LONG, _NEWEST = (4, 6), (5, 9)
"""Generations of Claude: the first with a long window, and the last of which that is known."""


def context_window(model: str) -> int | None:
    """Tokens that a model holds: what its name says (`…[1m]`), else what its vendor documents.

    None for a model that is not known.
    """
    stated = _STATED.search(model)
    if stated is not None:
        return int(stated[1]) * _SIZES[stated[2].lower()]
    for name in names_of(model):
        claude = _CLAUDE.match(name)
        if claude is not None:
            generation = int(claude[1]), int(claude[2] or 0)
            if generation > _NEWEST:
                return None
            return _LONG if generation >= _FIRST_LONG else _SHORT
        if _GEMINI.match(name):
            return 1_048_576
    return None
