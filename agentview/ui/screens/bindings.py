"""Every binding of the application by its id, and the keys that settings give them."""

import pkgutil
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys

from agentview.domain.value import Value
from agentview.settings.checking import WrongSetting, nearest

_PACKAGE = "agentview.ui"
_SESSION = ("agentview.ui.screens.session.", "agentview.ui.timeline.")
_FOLDERS = ("screens", "timeline", "widgets")
_MODIFIERS = frozenset({"ctrl", "alt", "shift", "super", "hyper", "meta"})
_NAMED = {key.value for key in Keys} | set(KEY_NAME_REPLACEMENTS.values())


class BindingInfo(Value):
    """A binding that has an id: what it does, where, and on which keys unless settings say else."""

    id: str
    scope: type[DOMNode]
    """The screen or widget that has it."""
    keys: tuple[str, ...]
    sentence: str
    group: str


def known_bindings(app: type[App[None]]) -> tuple[BindingInfo, ...]:
    """All bindings of the application, its screens and widgets, in the order declared."""
    for folder in _FOLDERS:
        package = import_module(f"{_PACKAGE}.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    found: dict[str, BindingInfo] = {}
    scopes = dict.fromkeys((app, *_descendants(DOMNode)))
    for scope in scopes:
        if scope is not app and not scope.__module__.startswith(f"{_PACKAGE}."):
            continue
        for binding in own_bindings(scope):
            if binding.id is not None:
                known = found.get(binding.id)
                keys = (*(known.keys if known else ()), binding.key)
                group = binding.group.description if binding.group else ""
                sentence = binding.tooltip or binding.description
                found[binding.id] = BindingInfo(binding.id, scope, keys, sentence, group)
    return tuple(found.values())


def own_bindings(scope: type[DOMNode]) -> Iterator[Binding]:
    """Bindings that a class has next to those of its bases, one for each key."""
    declared = vars(scope).get("BINDINGS", ())
    return iter(Binding.make_bindings(declared))


def _descendants(cls: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for child in cls.__subclasses__():
        yield child
        yield from _descendants(child)


def check_keymap(keymap: Mapping[str, str], known: Iterable[BindingInfo]) -> None:
    """Raise WrongSetting for an id that no binding has, or a key that no keyboard has."""
    ids = [binding.id for binding in known]
    for binding_id, keys in keymap.items():
        key = f"keymap.{binding_id}"
        if binding_id not in ids:
            hint = nearest(binding_id, ids) or "agentview config keys lists all bindings."
            raise WrongSetting(key, f"Unknown binding: {binding_id}.", hint)
        for name in keys.split(","):
            if not is_key(name):
                hint = "It takes names such as j, G, enter, f5, ctrl+d, slash, question_mark."
                raise WrongSetting(key, f"{name} is not a key.", hint)


def check_commands(
    commands: Iterable[str], keymap: Mapping[str, str], known: Iterable[BindingInfo]
) -> None:
    """Raise WrongSetting for a key that is none, or that a session has bound already."""
    taken = {
        key: binding
        for binding in known
        if issubclass(binding.scope, App) or binding.scope.__module__.startswith(_SESSION)
        for key in _keys(binding, keymap)
    }
    for name in commands:
        setting = f"commands.{name}"
        if not is_key(name):
            hint = "It takes names such as f6, ctrl+g, alt+o."
            raise WrongSetting(setting, f"{name} is not a key.", hint)
        if name in taken:
            hint = f"keymap.{taken[name].id} gives that another key."
            raise WrongSetting(setting, f"{name} is bound to {taken[name].id}.", hint)


def is_key(name: str) -> bool:
    """Return True if a key has this name: a character, or its name, with modifiers before it."""
    *modifiers, key = name.split("+") if len(name) > 1 else [name]
    if not set(modifiers) <= _MODIFIERS:
        return False
    if len(key) == 1 or key in _NAMED or name in _NAMED:
        return len(key) > 1 or key.isprintable()
    try:
        unicodedata.lookup(key.replace("_", " "))
    except KeyError:
        return False
    return True


def clashes(keymap: Mapping[str, str], known: Iterable[BindingInfo]) -> list[str]:
    """A sentence for each key that the keymap gives to more than one binding of a scope.

    The application's bindings are in every scope, since its keys work everywhere.
    """
    by_scope: dict[type[DOMNode], dict[str, list[str]]] = {}
    everywhere = [binding for binding in known if issubclass(binding.scope, App)]
    for binding in known:
        by_scope.setdefault(binding.scope, {})
    sentences: list[str] = []
    for scope, by_key in by_scope.items():
        members = [binding for binding in known if binding.scope is scope]
        for binding in members if scope in {b.scope for b in everywhere} else members + everywhere:
            for key in _keys(binding, keymap):
                by_key.setdefault(key, []).append(binding.id)
        for key, ids in by_key.items():
            if len(ids) > 1 and any(key in keymap.get(name, "").split(",") for name in ids):
                sentences.append(f"{key} is bound twice: {' and '.join(ids)}")
    return sentences


def _keys(binding: BindingInfo, keymap: Mapping[str, str]) -> Iterable[str]:
    return keymap[binding.id].split(",") if binding.id in keymap else binding.keys
