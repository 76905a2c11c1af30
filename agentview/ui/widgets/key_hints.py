"""Effects of keys at this moment, read from the bindings, so that a rebound key is right."""

from collections.abc import Callable, Sequence

from textual.binding import ActiveBinding as TextualBinding
from textual.binding import Binding
from textual.keys import format_key
from textual.screen import Screen
from textual.widgets import Input

from agentview.domain.value import Value


class ActiveBinding(Value):
    """An action and the keys that run it now, as they are shown to a person.

    `word` is for a hint, `sentence` says it in full; `hint` is the key to show with the word, None
    for what not everybody needs, or for what its screen or widget does not offer now.
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
            hint=known.hint if known else _hint(active, key),
        )
    return tuple(found.values())


def _hint(active: TextualBinding, key: str) -> str | None:
    offers: Callable[[str], bool] | None = getattr(active.node, "offers", None)
    if not active.binding.show or (offers is not None and not offers(active.binding.action)):
        return None
    return active.binding.key_display or key
