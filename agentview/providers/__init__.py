"""Finds providers: the folders here, and every entry point of the group `agentview.providers`.

A folder is a provider, named as the folder, or a family: a folder of providers and of what they
share. A name that begins with an underscore is neither.
"""

import importlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import cast

from agentview.domain.tools import ToolKind
from agentview.errors import AgentViewError, inert
from agentview.normalize.partial_json import readable
from agentview.providers.base import CERTAIN, Evidence, OtherWriter, Provider
from agentview.providers.folders import declared_roots, has_folder, own_file, own_packages, writers
from agentview.sources.member import (
    Archive,
    Database,
    Folder,
    use_archives,
    use_databases,
    use_folders,
)

_GROUP = "agentview.providers"

_LONGEST_FAULT = 300

_WORD = re.compile("[a-z0-9]+")
_SAID_BYTES = 4_096
"""How much of a file is looked at for names of clients, such as one that a model has."""


@cache
def _plugins() -> dict[str, str]:
    # Imported here because it takes 10 ms and a file is mostly one of the providers in this folder.
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=_GROUP)}


@cache
def provider_names() -> tuple[str, ...]:
    """Names of all providers, those of this folder first; plug-ins with a fault are left out."""
    more = sorted(set(_plugins()) - set(own_packages()))
    return (*own_packages(), *(name for name in more if _is_sound(name)))


def plugin_names() -> tuple[str, ...]:
    """Names of the providers that are plug-ins and have no fault."""
    return provider_names()[len(own_packages()) :]


_faults: dict[str, str] = {}


def plugin_faults() -> Mapping[str, str]:
    """Faults of plug-ins, by their names, as far as they were asked: of each the first."""
    return _faults


def _is_sound(name: str) -> bool:
    """Return True if a plug-in can be imported and is a provider of that name."""
    try:
        provider: object = _plugin(name)
    except (Exception, SystemExit) as error:
        return _left_out(name, f"{type(error).__name__}: {error}")
    if not isinstance(provider, Provider):
        return _left_out(name, f"{_plugins()[name]} is not a Provider")
    if provider.name != name:
        return _left_out(name, f"its provider is named {provider.name}")
    from agentview.providers.plugin_guard import fault_in

    fault = fault_in(provider)
    return fault is None or _left_out(name, fault)


def _left_out(name: str, fault: str) -> bool:
    _faults[name] = inert(f"was left out: {fault}"[:_LONGEST_FAULT])
    return False


def _answered_wrongly(name: str, fault: str) -> None:
    _faults.setdefault(name, inert(f"gave a wrong answer: {fault}"[:_LONGEST_FAULT]))


def _plugin(name: str) -> object:
    module, _, attribute = _plugins()[name].partition(":")
    return getattr(importlib.import_module(module), attribute or "PROVIDER")


@cache
def load_provider(name: str) -> Provider:
    """The provider of that name. Raises KeyError when there is none."""
    # Imported here: a list of no sessions loads no provider.
    from agentview.providers.contained import contain

    if name in own_packages():
        return contain(importlib.import_module(own_packages()[name]).PROVIDER)
    if name not in provider_names():
        raise KeyError(name)
    from agentview.providers.plugin_guard import guarded

    return contain(guarded(cast("Provider", _plugin(name)), partial(_answered_wrongly, name)))


def provider_roots(name: str, env: Mapping[str, str]) -> Sequence[Path]:
    """Directories where sessions of a provider may be, whether they exist or not.

    A provider whose folder has a `roots.txt` is not imported. Raises KeyError when there is none of
    that name.
    """
    declared = declared_roots(name, env)
    return load_provider(name).discovery.roots(env) if declared is None else declared


def _databases() -> Iterator[Database]:
    for name in provider_names():
        # Only those in this folder that have one are imported.
        if name not in own_packages() or own_file(name, "database.py") is not None:
            database = load_provider(name).database
            if database is not None:
                yield database


def _folders() -> Iterator[Folder]:
    for name in provider_names():
        if name not in own_packages() or own_file(name, "folder.py") is not None:
            folder = load_provider(name).folder
            if folder is not None:
                yield folder


use_databases(_databases)
use_folders(_folders)


def _archives() -> Iterator[Archive]:
    for name in provider_names():
        if name not in own_packages() or own_file(name, "archive.py") is not None:
            archive = load_provider(name).archive
            if archive is not None:
                yield archive


use_archives(_archives)


@cache
def load_evidence(name: str) -> Evidence | None:
    """Return the evidence for the formats of the provider of that name; None where it has none.

    It is `evidence.toml` in the package of the provider, with the fields of `Evidence`.
    """
    # Imported here: a list of sessions asks for no evidence.
    import tomllib
    from importlib import resources

    from agentview.providers._kit.type_check import fault_of

    package = own_packages().get(name) or _plugins().get(name, "").partition(":")[0]
    try:
        text = resources.files(package).joinpath("evidence.toml").read_text(encoding="utf-8")
        fields = tomllib.loads(text)
        others = [OtherWriter(**each) for each in fields.pop("writers", ())]
        found = Evidence(**fields, writers=others)
    except (ImportError, FileNotFoundError):
        return None
    except (Exception, SystemExit) as error:
        _answered_wrongly(name, f"evidence.toml cannot be read: {error}")
        return None
    fault = fault_of(found, Evidence, "evidence.toml")
    if fault is not None:
        _answered_wrongly(name, fault)
    return found if fault is None else None


def recognise(head: bytes, path: Path) -> Provider | None:
    """The provider whose file `path` is, by the folder and by `head`, which it begins with.

    Of formats that share a shape, the one counts whose client writes to the folder. Elsewhere, the
    probe counts that is surest; None when all are 0. The first that is certain is taken without
    asking, and without importing, the others. Raises AgentViewError where none is sure and one
    could not look at it.
    """
    best: Provider | None = None
    best_confidence = 0.0
    fault: AgentViewError | None = None
    head = readable(head)
    owners = writers(path, os.environ)
    for name in chain(owners, _candidates(head, path, owners)):
        provider = load_provider(name)
        try:
            confidence = provider.discovery.probe(head, path)
        except AgentViewError as error:
            fault = fault or error
            continue
        if name in owners and confidence > 0:
            return provider
        if confidence > best_confidence:
            best, best_confidence = provider, confidence
        if best_confidence >= CERTAIN:
            break
    if best is None and fault is not None:
        raise fault
    return best


def is_certain(name: str, head: bytes, path: Path) -> bool:
    """Return True if nothing that is written behind `head` makes the file another provider's."""
    owned = name in writers(path, os.environ)
    return owned or load_provider(name).discovery.probe(head, path) >= CERTAIN


def _candidates(head: bytes, path: Path, asked: Sequence[str]) -> Iterator[str]:
    # Words decide nothing; they only save looking, and importing, in vain.
    begun = head[:_SAID_BYTES].decode("utf-8", "replace")
    words = set(_WORD.findall(f"{path} {begun}".lower()))
    own = [name for name in own_packages() if name not in asked]
    # A client is asked before what has no folder of its own, such as a format of many programs.
    yield from sorted(
        own,
        key=lambda name: (
            name.partition("_")[0] not in words,
            not has_folder(name),
        ),
    )
    # Plugins are looked up only when no provider of this folder is certain.
    yield from plugin_names()


def map_tool_name_to_kind(provider: str, name: str) -> ToolKind:
    """Kind of the tool `name` of `provider`; UNKNOWN for a tool that no rule knows.

    Of a provider that is not known, the rules decide that all share.
    """
    try:
        known = load_provider(provider)
    except KeyError:
        # Imported here: it knows the arguments of all kinds of tools.
        from agentview.normalize.classify import classify

        return classify(name, {}).kind
    return known.reading.kind_of(name)
