"""Where providers keep sessions here, how many there are, and what cannot be read."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import time

from agentview.domain.value import Value
from agentview.facts.accounting.session_files import SkippedFile, why_left
from agentview.facts.accounting.versions import in_order, unseen
from agentview.providers import load_evidence, load_provider
from agentview.reports.export.encoding import iso_time
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.expiry import Expiring, expiring
from agentview.sessions.library.scan.scanner import deletion_rules, sessions_under
from agentview.sessions.library.search_roots import Roots
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.subagent_tree import main_sessions
from agentview.sources.member import files_of

LOOKED_AT = 200
"""Most files of a provider that are not sessions of which the reason is found."""


class Place(Value):
    """A directory where sessions of a provider may lie."""

    path: str
    state: str
    """`there`, `missing`, `unreadable`, or `no directory`."""
    leads_to: str | None
    """Where it is in truth, when a symbolic link leads there."""
    logs: int
    """Files of sessions and of agents that they started."""
    named: bool
    """A setting or a variable of the environment names it."""


class ProviderFacts(Value):
    """Facts on one provider."""

    name: str
    label: str
    places: tuple[Place, ...]
    sessions: int
    agents: int
    bytes: int | None
    """None where no log has a size of its own, as in a database."""
    last_activity: str | None
    client_versions: tuple[str, ...]
    newer_than_seen: tuple[str, ...]
    checked: str | None
    """Day on which its formats were last compared with its newest client."""
    not_read: tuple[SkippedFile, ...]
    not_read_count: int
    expiring: tuple[Expiring, ...]
    """Places with sessions that the client deletes within a week."""


def provider_facts(roots: Roots, names: Iterable[str], usual: Roots) -> list[ProviderFacts]:
    """Sessions under the roots, by provider, with the known facts of each.

    Roots that are not `usual` are those that the person has named.
    """
    found, not_named = _sessions(roots), set(usual)
    return [
        _facts(
            name,
            {root: (name, root) not in not_named for owner, root in roots if owner == name},
            found.get(name, []),
        )
        for name in names
    ]


def _sessions(roots: Roots) -> Mapping[str, Sequence[SessionFacts]]:
    found: dict[str, list[SessionFacts]] = {}
    with SessionCache() as catalogue:
        for facts in sessions_under(roots, catalogue):
            found.setdefault(facts.info.ref.provider, []).append(facts)
    return found


def _facts(name: str, roots: Mapping[Path, bool], found: Sequence[SessionFacts]) -> ProviderFacts:
    provider, evidence = load_provider(name), load_evidence(name)
    # A scan may take a name that says enough for a session, without opening the file.
    infos = [
        facts.info
        for facts in found
        if facts.info.ref.size != 0 and os.access(files_of(facts.info.ref.path)[0], os.R_OK)
    ]
    paths = {info.ref.path for info in infos}
    mains = main_sessions(info.ref for info in infos)
    versions = {info.client_version for info in infos if info.client_version is not None}
    times = [info.last_activity or info.ref.modified or 0.0 for info in infos]
    sizes = [info.ref.size for info in infos if info.ref.size is not None]
    not_read, count = _not_read(name, [*roots], paths)
    return ProviderFacts(
        name=name,
        label=provider.label,
        places=tuple(_place(root, paths, named) for root, named in roots.items()),
        sessions=len(mains),
        agents=len(infos) - len(mains),
        bytes=sum(sizes) if sizes or not infos else None,
        last_activity=iso_time(max(times)) if times else None,
        client_versions=tuple(in_order(versions)),
        newer_than_seen=tuple(unseen(evidence, versions)),
        checked=evidence.verified_on if evidence is not None else None,
        not_read=tuple(not_read),
        not_read_count=count,
        expiring=tuple(expiring(found, deletion_rules([(name, root) for root in roots]), time())),
    )


def _place(root: Path, paths: Iterable[str], named: bool) -> Place:
    real = os.path.realpath(root)
    below = f"{root}{os.sep}"
    return Place(
        path=str(root),
        state=_state(root),
        leads_to=real if real != os.path.abspath(root) else None,  # noqa: PTH100  (links stay)
        logs=sum(1 for path in paths if path.startswith(below)),
        named=named,
    )


def _state(root: Path) -> str:
    try:
        with os.scandir(root):
            return "there"
    except FileNotFoundError:
        return "missing"
    except NotADirectoryError:
        return "no directory"
    except OSError:
        return "unreadable"


def _not_read(name: str, roots: Sequence[Path], known: set[str]) -> tuple[list[SkippedFile], int]:
    """Files that by their names may be sessions and are none, and places that cannot be seen."""
    left: list[SkippedFile] = []
    count = 0
    discovery = load_provider(name).discovery
    for root in roots:
        if _state(root) != "there":
            continue
        for entry in discovery.files(root):
            if entry.path in known:
                continue
            why = why_left(Path(entry.path)) if len(left) < LOOKED_AT else None
            count += 1
            if why is not None:
                left.append(why)
        blocked = _blocked(root)
        count += len(blocked)
        left += blocked[: max(0, LOOKED_AT - len(left))]
    return left, count


def _blocked(root: Path) -> list[SkippedFile]:
    """Directories that may not be looked into."""
    failed: list[OSError] = []
    for _ in os.walk(root, onerror=failed.append):
        pass
    return [
        SkippedFile(str(error.filename), f"{error.strerror}", unreadable=True)
        for error in failed
        if not isinstance(error, FileNotFoundError)
    ]
