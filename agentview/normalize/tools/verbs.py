"""Actions of tools that do several things, by a verb among their arguments."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

from agentview.normalize.json_fields import Fields, text

_Action = TypeVar("_Action", bound=StrEnum)
_KEYS = ("action", "operation", "command", "op")


def by_verb(
    words: Mapping[_Action, str], keys: Sequence[str] = _KEYS
) -> Callable[[Fields, _Action | None], _Action | None]:
    """Return a function from arguments, and the action of the tool's name, to the action.

    `words` are the verbs of each action, separated by spaces; the first of `keys` counts that the
    arguments have.
    """
    actions = {word: action for action, verbs in words.items() for word in verbs.split()}

    def action_of(fields: Fields, named: _Action | None) -> _Action | None:
        return actions.get((text(fields, *keys) or "").lower()) or named

    return action_of
