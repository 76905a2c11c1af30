"""The names that a query can use: fields, kinds of activities, places in them, states."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from agentview.domain.activity import Kind, RowKind
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value


class Surface(StrEnum):
    """Where a query is used."""

    ACTIVITIES = "activities"
    """Search and filter in one session."""
    SESSIONS = "sessions"
    """Filter of the library."""
    EVERYWHERE = "everywhere"
    """Search in all sessions: activities, in sessions that fields of sessions select."""


class ValueType(StrEnum):
    """Sort of value behind the colon of a field."""

    TEXT = "text"
    KIND = "kind"
    PLACE = "place"
    STATE = "state"
    AMOUNT = "amount"
    MOMENT = "moment"
    PERIOD = "period"
    MARK = "mark"


class FieldSpec(Value):
    """A field, and the surfaces that accept it."""

    type: ValueType
    surfaces: frozenset[Surface]
    example: str
    sentence: str


_STREAM = frozenset({Surface.ACTIVITIES})
_ACTIVITY = frozenset({Surface.ACTIVITIES, Surface.EVERYWHERE})
_SESSION = frozenset({Surface.SESSIONS, Surface.EVERYWHERE})
_BOTH = _ACTIVITY | _SESSION
_TIMED = _STREAM | _SESSION

FIELDS: Mapping[str, FieldSpec] = {
    "kind": FieldSpec(ValueType.KIND, _BOTH, "kind:shell", "kind of activity"),
    "tool": FieldSpec(ValueType.TEXT, _BOTH, "tool:bash", "name of the tool"),
    "file": FieldSpec(ValueType.TEXT, _BOTH, "file:src/", "path of a file that a call names"),
    "state": FieldSpec(ValueType.STATE, _BOTH, "state:error", "state of a call, or of a session"),
    "problems": FieldSpec(ValueType.AMOUNT, _BOTH, "problems", "errors and denied calls"),
    "in": FieldSpec(ValueType.PLACE, _ACTIVITY, "in:command", "where words are looked for"),
    "stream": FieldSpec(ValueType.TEXT, _STREAM, "stream:main", "main, sidechain or a subagent"),
    "title": FieldSpec(ValueType.TEXT, _SESSION, "title:cart", "title of the session"),
    "project": FieldSpec(ValueType.TEXT, _SESSION, "project:shop", "directory of the session"),
    "provider": FieldSpec(ValueType.TEXT, _SESSION, "provider:NAME", "client of the session"),
    "host": FieldSpec(ValueType.TEXT, _SESSION, "host:build", "machine of the session"),
    "id": FieldSpec(ValueType.TEXT, _SESSION, "id:3f2a", "beginning of the id of the session"),
    "branch": FieldSpec(ValueType.TEXT, _SESSION, "branch:fix", "git branch of the session"),
    "model": FieldSpec(ValueType.TEXT, _SESSION, "model:NAME", "a model that the session used"),
    "is": FieldSpec(ValueType.MARK, _SESSION, "is:starred", "what you added to the session"),
    "tag": FieldSpec(ValueType.TEXT, _SESSION, "tag:retry", "beginning of one of your tags"),
    "note": FieldSpec(ValueType.TEXT, _SESSION, "note:retry", "text of one of your notes"),
    "after": FieldSpec(ValueType.MOMENT, _TIMED, "after:3d", "at this time or later"),
    "before": FieldSpec(ValueType.MOMENT, _TIMED, "before:today", "earlier than this time"),
    "active": FieldSpec(ValueType.PERIOD, _SESSION, "active:yesterday", "was going on then"),
    "cost": FieldSpec(ValueType.AMOUNT, _SESSION, "cost:>5", "US dollars"),
    "tokens": FieldSpec(ValueType.AMOUNT, _SESSION, "tokens:>100k", "tokens"),
    "tools": FieldSpec(ValueType.AMOUNT, _SESSION, "tools:>50", "tool calls"),
    "turns": FieldSpec(ValueType.AMOUNT, _SESSION, "turns:<=2", "turns"),
}
"""Fields by name."""

FIELD_ALIASES = {"prob": "problems", "client": "provider"}
"""Other names of fields, as over a column of the library or on a count of the search."""

PLACES = ("prompt", "message", "reasoning", "command", "path", "args", "result")
"""Values of `in:`."""

KIND_ALIASES: Mapping[str, Sequence[Kind]] = {
    "you": (RowKind.USER,),
    "prompt": (RowKind.USER,),
    "assistant": (RowKind.MESSAGE,),
    "thinking": (RowKind.REASONING,),
    "bash": (ToolKind.SHELL,),
    "change": (ToolKind.EDIT, ToolKind.WRITE, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT),
    "search": (ToolKind.GREP, ToolKind.GLOB, ToolKind.SEM_SEARCH),
    "web": (ToolKind.WEB_FETCH, ToolKind.WEB_SEARCH),
    "fetch": (ToolKind.WEB_FETCH,),
    "notebook": (ToolKind.NOTEBOOK_EDIT,),
    "lints": (ToolKind.READ_LINTS,),
    "list": (ToolKind.LS,),
    "subagent": (ToolKind.SUBAGENT_TASK,),
    "agent": (ToolKind.SUBAGENT_TASK,),
    "send": (ToolKind.SEND_MESSAGE,),
    "speak": (ToolKind.SEND_MESSAGE,),
    "tool": tuple(ToolKind),
    "compacted": (RowKind.COMPACTION,),
    "attached": (RowKind.ATTACHMENT,),
    "malformed": (RowKind.UNPARSED,),
    "abandoned": (RowKind.BRANCH,),
}
"""Labels of the timeline, groups of kinds, and names of earlier versions."""

_KINDS = {kind.value: kind for kind in (*ToolKind, *RowKind)}
KIND_NAMES = (*(name for name in _KINDS if name != RowKind.HIDDEN), *KIND_ALIASES)
"""Values of `kind:` and `--only`."""

CALL_STATES = ("error", "denied", "running", "streaming", "abandoned", "ok", "warning")
"""States of calls and notices."""

CALL_STATE_ALIASES = {"failed": "error", "done": "ok"}

LIVE = "live"
"""The state of a session in which somebody is at work."""

SESSION_STATES = (*(state.value for state in SessionState), LIVE)
"""States of sessions."""


def kinds_named(name: str) -> frozenset[Kind]:
    """Kinds with a name or alias, else those whose name begins with it; empty for an unknown one.

    A filter narrows while its word is being typed.
    """
    name = name.lower()
    if name in _KINDS:
        return frozenset({_KINDS[name]})
    if name in KIND_ALIASES:
        return frozenset(KIND_ALIASES[name])
    found = {kind for known, kind in _KINDS.items() if known.startswith(name)}
    for alias in beginning(name, KIND_ALIASES):
        found.update(KIND_ALIASES[alias])
    return frozenset(found)


def call_states(name: str) -> frozenset[str]:
    """States of calls that a name, or the beginning of one, stands for."""
    found = beginning(name.lower(), (*CALL_STATES, *CALL_STATE_ALIASES))
    return frozenset(CALL_STATE_ALIASES.get(state, state) for state in found)


_STATE_NAMES = {
    **{name: name for name in SESSION_STATES},
    "waiting-approval": SessionState.NEEDS_APPROVAL.value,
    "waiting-input": SessionState.YOUR_TURN.value,
    "approval": SessionState.NEEDS_APPROVAL.value,
    "answer": SessionState.NEEDS_ANSWER.value,
    "stale": SessionState.UNKNOWN.value,
}
"""Names of a session's state: the word that is shown, and words of earlier versions."""


def session_states(name: str) -> frozenset[str]:
    return frozenset(_STATE_NAMES[each] for each in beginning(name.lower(), _STATE_NAMES))


MARKS = ("starred", "noted", "bookmarked", "titled", "tagged", "hidden", "deleted")
"""Values of `is:`."""


def marks_named(name: str) -> Sequence[str]:
    return beginning(name.lower(), MARKS)


def places_named(name: str) -> Sequence[str]:
    return beginning(name.lower(), PLACES)


def beginning(name: str, known: Iterable[str]) -> list[str]:
    """The known names that begin with a name; that name alone where it is one of them."""
    found = [each for each in known if each.startswith(name)]
    return [name] if name in found else found
