"""Finds providers: every folder here, and every entry point of the group `agentview.providers`."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from agentview.domain.tools import ToolKind
from agentview.normalize.names import classify
from agentview.providers.base import Evidence, Provider

HEAD_BYTES = 65_536
"""How much of a file decides whose it is."""

CERTAIN = 0.95
"""Confidence of a probe that found a record which no other program writes."""

_GROUP = "agentview.providers"


@cache
def _plugins() -> dict[str, str]:
    # Imported here because it takes 10 ms and a file is mostly one of the providers in this folder.
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=_GROUP)}


@cache
def _own_names() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


@cache
def provider_names() -> tuple[str, ...]:
    """Names of all providers, those of this folder first."""
    return (*_own_names(), *sorted(set(_plugins()) - set(_own_names())))


@cache
def load_provider(name: str) -> Provider:
    """The provider of that name. Raises KeyError when there is none."""
    if (Path(__path__[0]) / name / "__init__.py").is_file():
        module = importlib.import_module(f"{__name__}.{name}")
    elif name in _plugins():
        module = importlib.import_module(_plugins()[name].partition(":")[0])
    else:
        raise KeyError(name)
    provider: Provider = module.PROVIDER
    return provider


@cache
def load_evidence(name: str) -> Evidence | None:
    """What is known of the formats of the provider of that name; None where it does not tell."""
    if not (Path(__path__[0]) / name / "evidence.py").is_file():
        return None
    evidence: Evidence = importlib.import_module(f"{__name__}.{name}.evidence").EVIDENCE
    return evidence


def recognise(head: bytes, path: Path) -> Provider | None:
    """The provider whose probe is surest that `head` begins one of its files; None when all are 0.

    The first that is certain is taken without asking, and without importing, the others.
    """
    best: Provider | None = None
    best_confidence = 0.0
    for name in _candidates(path):
        provider = load_provider(name)
        confidence = provider.discovery.probe(head, path)
        if confidence > best_confidence:
            best, best_confidence = provider, confidence
        if best_confidence >= CERTAIN:
            break
    return best


def _candidates(path: Path) -> Iterator[str]:
    # Where a log lies decides nothing; it only saves looking, and importing, in vain.
    place = str(path).lower()
    own = _own_names()
    yield from sorted(own, key=lambda name: name.partition("_")[0] not in place)
    # Plugins are looked up only when no provider of this folder is certain.
    yield from provider_names()[len(own) :]


def map_tool_name_to_kind(provider: str, name: str) -> ToolKind:
    """Kind of the tool `name` of `provider`; UNKNOWN for a tool that no rule knows.

    Of a provider that is not known, the rules decide that all share.
    """
    try:
        known = load_provider(provider)
    except KeyError:
        return classify(name, {}).kind
    return known.kind_of(name)
