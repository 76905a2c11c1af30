"""Keys and shapes of what each client writes in the scenarios of a scripted run."""

from collections.abc import Iterator
from pathlib import Path

from agentview.coverage.versions import version_key
from agentview.domain.session import SessionRef
from agentview.drift.log_files import logs_below
from agentview.providers import load_provider

FOLDER = Path(__file__).parent
"""Holds `<provider>/<scenario>.json`."""


def logs_by_scenario(home: Path, provider: str) -> dict[str, list[SessionRef]]:
    """The logs of a home directory by the folder that their project lies in, newest version only.

    A scripted run of a client works in `<client>/<scenario>/repo`.
    """
    found: dict[str, dict[str, list[SessionRef]]] = {}
    for ref in logs_below([home], provider):
        info = load_provider(provider).discovery.info(ref)
        if info.project is not None:
            scenario = Path(info.project).parent.name
            version = info.client_version or ""
            found.setdefault(scenario, {}).setdefault(version, []).append(ref)
    return {
        scenario: versions[max(versions, key=version_key)] for scenario, versions in found.items()
    }


def baseline_files() -> Iterator[Path]:
    """All baselines, in order."""
    yield from sorted(FOLDER.glob("*/*.json"))
