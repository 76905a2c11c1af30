"""Effects of keys at this moment, read from the bindings, so that a rebound key is right."""

from collections.abc import Sequence

from textual.binding import Binding
from textual.keys import format_key
from textual.screen import Screen
from textual.widgets import Input

from agentview.domain.value import Value


class ActiveBinding(Value):
    """An action and the keys that run it now, as they are shown to a person.

    `word` is for a hint, `sentence` says it in full; `hint` is the key to show with the word, None
    for what not everybody needs.
    """

    group: str
    keys: tuple[str, ...]
    word: str
    sentence: str
    action: str
    hint: str | None


def shown_key(binding: Binding) -> str:
    """The key of a binding as a person reads it: `j`, `⏎`, `ctrl+d`."""
    modifiers, key = binding.parse_key()
    return "+".join([*modifiers, format_key(key)])


def bound_actions(screen: Screen[object]) -> Sequence[ActiveBinding]:
    """Actions of the screen and the application that a person can run, in the order declared."""
    found: dict[str, ActiveBinding] = {}
    typing = isinstance(screen.focused, Input)
    for active in screen.active_bindings.values():
        binding = active.binding
        # Textual's own bindings of the screen have no id: focus, copying of a selection.
        if binding.id is None or not binding.description:
            continue
        key = shown_key(binding)
        if typing and len(key) == 1 and key.isascii():
            # It is a letter of what is typed; Textual leaves out most of them, but not all.
            continue
        known = found.get(binding.id)
        if known is not None and key in known.keys:
            continue
        found[binding.id] = ActiveBinding(
            group=binding.group.description if binding.group else "",
            keys=(*known.keys, key) if known else (key,),
            word=binding.description,
            sentence=binding.tooltip or binding.description,
            action=binding.action,
            hint=known.hint if known else (binding.key_display or key) if binding.show else None,
        )
    return tuple(found.values())
