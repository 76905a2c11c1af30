"""`agentview dev baselines`: keys and shapes of scripted runs of a client, one file a scenario."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from agentview.cli.commands.dev import fixtures
from agentview.domain.session import SessionRef
from agentview.drift.fixtures import Allowlist, baseline_of, collect, to_text
from agentview.drift.log_files import logs_below
from agentview.drift.trace_session import read_entries
from agentview.errors import AgentViewError, NotFound
from agentview.facts.accounting.versions import version_key
from agentview.providers import load_provider
from agentview.sessions.targets.log_file import chosen_providers


def run(options: argparse.Namespace) -> int:
    """Write the baselines of the scenarios below a directory, or check the runs against them."""
    provider: str = options.run_of
    chosen_providers(provider)
    home = Path(options.home).expanduser()
    folder = Path(options.folder).expanduser() / provider
    runs = {
        name: refs
        for name, refs in sorted(logs_by_scenario(home, provider).items())
        if options.scenario in (None, name)
    }
    if not runs:
        raise NotFound(
            f"No log of a scripted run of {provider} is in {home}.",
            "The project of a run is the directory <scenario>/repo.",
        )
    if options.action == "build":
        for name, refs in runs.items():
            _write(provider, folder / f"{name}.json", refs)
        return 0
    return max(_check(provider, folder / f"{name}.json", refs) for name, refs in runs.items())


def logs_by_scenario(home: Path, provider: str) -> dict[str, list[SessionRef]]:
    """The logs below a directory by the folder of their project, newest client version only.

    A scripted run of a client works in `<client>/<scenario>/repo`.
    """
    found: dict[str, dict[str, list[SessionRef]]] = {}
    for ref in logs_below([home], provider):
        info = load_provider(provider).info(ref)
        if info.project is not None:
            scenario = Path(info.project).parent.name
            version = info.client_version or ""
            found.setdefault(scenario, {}).setdefault(version, []).append(ref)
    return {
        scenario: versions[max(versions, key=version_key)] for scenario, versions in found.items()
    }


def _write(provider: str, file: Path, refs: Sequence[SessionRef]) -> None:
    paths = [Path(ref.path) for ref in refs]
    baseline = baseline_of(collect(read_entries(paths, provider), Allowlist(provider=provider)))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(to_text(baseline), "utf-8")
    except OSError as error:
        raise AgentViewError(f"Cannot write {file}: {error.strerror}.") from error
    print(f"{file}: {len(baseline.shapes)} keys")


def _check(provider: str, file: Path, refs: Sequence[SessionRef]) -> int:
    print(f"{provider} {file.stem}")
    if not file.exists():
        print("This scenario has no baseline.")
        return 0
    options = argparse.Namespace(
        traces=[ref.path for ref in refs],
        provider=provider,
        allowlist=None,
        file=str(file),
        strict=True,
        json=False,
        action="check",
    )
    return fixtures.run(options)
