"""Claude Code: the transcripts that its command line, desktop and SDK clients write."""

import re
from collections.abc import Callable, Sequence

from agentview.domain.outline import EventFact
from agentview.domain.session import SessionRef
from agentview.providers.base import Provider
from agentview.providers.claude_code import discovery, tools
from agentview.providers.claude_code.decode import decode

_WINDOW = re.compile(r"\[([0-9]+)([mk])\]", re.IGNORECASE)
_SIZES = {"k": 1_000, "m": 1_000_000}
_KNOWN_WINDOWS = (
    (re.compile(r"claude-3-|claude-(?:opus|sonnet|haiku)-4(?:-[015])?(?:-2[0-9]{7})?$"), 200_000),
    (re.compile(r"claude-opus-5-5"), 1_000_000),
)
"""Windows that the client states in results it prints (`modelUsage.*.contextWindow`, 2.1.x) and, up
to generation 4.5, that the vendor documents."""


def context_window(model: str) -> int | None:
    """Tokens that a model holds: what its name says (`…[1m]`), else what is known of it."""
    stated = _WINDOW.search(model)
    if stated is not None:
        return int(stated[1]) * _SIZES[stated[2].lower()]
    return next((size for name, size in _KNOWN_WINDOWS if name.match(model)), None)


def resume_command(ref: SessionRef) -> Sequence[str] | None:
    """The command line that resumes a session; none for the log of a sub-agent."""
    return None if ref.parent_id is not None else ("claude", "--resume", ref.session_id)


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads."""
    # The models cost more to build than all of decoding; only the raw view asks for them.
    from agentview.providers.claude_code.records import unused_keys as find

    return find(record)


def outliner(session: SessionRef) -> Callable[[bytes], tuple[EventFact, ...] | None]:
    """What gives the facts of a record of a session without decoding it."""
    # It brings a parser of its own, which the process of the screen does not need to start.
    from agentview.providers.claude_code.outline import outliner as make

    return make(session)


PROVIDER = Provider(
    name=discovery.NAME,
    label="Claude Code",
    discovery=discovery,
    decode=decode,
    answer=tools.answer,
    tool_kinds={name: spec.kind for name, spec in tools.SPECS.items()},
    kind_of=tools.kind_of,
    unused_keys=unused_keys,
    context_window=context_window,
    resume_command=resume_command,
    outliner=outliner,
)
