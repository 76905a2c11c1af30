"""Versions of clients: in which order they come, and which have not been seen yet."""

import re
from collections.abc import Iterable

from agentview.providers.base import Evidence

_NUMBERS = re.compile(r"\d{1,9}")


def version_key(version: str) -> tuple[tuple[int, ...], bool, tuple[int, ...], str]:
    """Sorts versions by their numbers, a preview before what it is a preview of."""
    release, dash, preview = version.partition("-")
    return _numbers(release), not dash, _numbers(preview), version


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, _NUMBERS.findall(text)))


def in_order(versions: Iterable[str]) -> list[str]:
    return sorted(set(versions), key=version_key)


def seen(evidence: Evidence | None) -> list[str]:
    return (
        [] if evidence is None else in_order((*evidence.verified_versions, *evidence.seen_versions))
    )


def unseen(evidence: Evidence | None, versions: Iterable[str]) -> list[str]:
    """Those of the versions that are newer than all that are known: their format may differ."""
    known = seen(evidence)
    if evidence is None or not evidence.versioned or not known:
        return []
    newest = version_key(known[-1])
    return [version for version in in_order(versions) if version_key(version) > newest]
