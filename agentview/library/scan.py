"""Finds the sessions of all providers, the newest file first, a batch of them at a time."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from types import MappingProxyType

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.value import Value
from agentview.providers import load_provider, provider_names

_BATCH_SECONDS = 0.1
"""A batch is handed on after this time, whatever is in it."""


class Found(Value):
    """What a scan has found since the last batch; `total` is how many logs there are in all."""

    infos: tuple[SessionInfo, ...]
    total: int


def session_roots(
    env: Mapping[str, str],
    provider: str | None = None,
    more: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[tuple[str, Path]]:
    """Provider and directory of each place where sessions may lie, each directory once.

    `more` are directories by provider beside those that it is known to write to.
    """
    names = provider_names() if provider is None else (provider,)
    roots: list[tuple[str, Path]] = []
    seen: set[tuple[str, str]] = set()
    for name in names:
        added = [Path(place).expanduser() for place in more.get(name, ())]
        for root in (*load_provider(name).discovery.roots(env), *added):
            real = (name, os.path.realpath(root))
            if real not in seen:
                seen.add(real)
                roots.append((name, root))
    return roots


def newest_first(refs: Iterable[SessionRef]) -> list[SessionRef]:
    """The same sessions by modification time of their files, each file once."""
    by_path = {ref.path: ref for ref in refs}
    return sorted(by_path.values(), key=lambda ref: (-(ref.modified or 0.0), ref.path))


def scan_sessions(
    roots: Sequence[tuple[str, Path]], stopped: Callable[[], bool] = lambda: False
) -> Iterator[Found]:
    """All sessions under `roots`, sub-agents' files included, in batches of about 0.1 s.

    The first batch is empty and says how many there are. Meant for a thread: it ends soon after
    `stopped` says so.
    """
    refs: list[SessionRef] = []
    for name, root in roots:
        if stopped():
            return
        if root.is_dir():
            refs.extend(load_provider(name).discovery.scan(root))
    refs = newest_first(refs)
    yield Found((), len(refs))
    batch: list[SessionInfo] = []
    began = perf_counter()
    for ref in refs:
        if stopped():
            return
        batch.append(load_provider(ref.provider).discovery.info(ref))
        if perf_counter() - began >= _BATCH_SECONDS:
            yield Found(tuple(batch), len(refs))
            batch.clear()
            began = perf_counter()
    if batch:
        yield Found(tuple(batch), len(refs))
