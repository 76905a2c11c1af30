"""Finds providers: every folder here, and every entry point of the group `agentview.providers`."""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from agentview.domain.tools import ToolKind
from agentview.providers.base import Provider

HEAD_BYTES = 65_536
"""How much of a file decides whose it is."""

_GROUP = "agentview.providers"


@cache
def _plugins() -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=_GROUP)}


@cache
def provider_names() -> tuple[str, ...]:
    """Names of all providers, in alphabetical order."""
    found = {module.name for module in pkgutil.iter_modules(__path__) if module.ispkg}
    return tuple(sorted(found | set(_plugins())))


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


def recognise(head: bytes, path: Path) -> Provider | None:
    """The provider whose probe is surest that `head` begins one of its files; None when all are 0."""
    best: Provider | None = None
    best_confidence = 0.0
    for name in provider_names():
        provider = load_provider(name)
        confidence = provider.discovery.probe(head, path)
        if confidence > best_confidence:
            best, best_confidence = provider, confidence
    return best


def map_tool_name_to_kind(provider: str, name: str) -> ToolKind:
    """Kind of the tool `name` of `provider`; UNKNOWN for a tool that no rule knows."""
    return load_provider(provider).kind_of(name)
