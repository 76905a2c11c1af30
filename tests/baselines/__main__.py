"""Writes baselines anew: `python -m tests.baselines PROVIDER HOME [SCENARIO]`."""

import sys
from pathlib import Path

from agentview.inspection.allowlist import Allowlist
from agentview.inspection.fixtures import baseline_of, collect, to_text
from agentview.inspection.trace_files import read_entries
from tests.baselines import FOLDER, logs_by_scenario


def main(provider: str, home: str, wanted: str | None = None) -> int:
    """Write a file for each scenario of the provider in the home directory."""
    scenarios = logs_by_scenario(Path(home).expanduser(), provider)
    for scenario, refs in sorted(scenarios.items()):
        if wanted not in (None, "", scenario):
            continue
        paths = [Path(ref.path) for ref in refs]
        baseline = baseline_of(collect(read_entries(paths, provider), Allowlist(provider=provider)))
        file = FOLDER / provider / f"{scenario}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(to_text(baseline), "utf-8")
        name = file.relative_to(FOLDER.parent.parent)
        sys.stdout.write(f"{name}: {len(baseline.shapes)} keys\n")
    return 0 if scenarios else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
