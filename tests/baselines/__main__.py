"""Writes baselines anew, or with `--check` says how a home directory differs from them."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from agentview.cli import main as agentview
from agentview.cli.log_file import chosen_providers
from agentview.domain.session import SessionRef
from agentview.drift.fixtures import Allowlist, baseline_of, collect, to_text
from agentview.drift.trace_session import read_entries
from agentview.errors import AgentViewError, NotFound
from tests.baselines import FOLDER, logs_by_scenario


def main(arguments: Sequence[str]) -> int:
    """Go through the scenarios of a provider in a home directory; gives the exit code."""
    options = _parser().parse_args(arguments)
    try:
        (provider,) = chosen_providers(options.provider)
        home = Path(options.home).expanduser()
        scenarios = {
            name: refs
            for name, refs in sorted(logs_by_scenario(home, provider).items())
            if options.scenario in (None, "", name)
        }
        if not scenarios:
            raise NotFound(f"No log of a scripted run of {provider} lies in {home}.")
        go = _check if options.check else _write
        return max([go(provider, scenario, refs) for scenario, refs in scenarios.items()])
    except AgentViewError as error:
        sys.stderr.write(f"{error.message}\n")
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.baselines", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("provider", help="such as codex")
    parser.add_argument("home", help="projects of its runs lie in <client>/<scenario>/repo")
    parser.add_argument("scenario", nargs="?", help="only this one")
    return parser


def _write(provider: str, scenario: str, refs: Sequence[SessionRef]) -> int:
    paths = [Path(ref.path) for ref in refs]
    baseline = baseline_of(collect(read_entries(paths, provider), Allowlist(provider=provider)))
    file = FOLDER / provider / f"{scenario}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(to_text(baseline), "utf-8")
    sys.stdout.write(f"{file.relative_to(FOLDER.parent.parent)}: {len(baseline.shapes)} keys\n")
    return 0


def _check(provider: str, scenario: str, refs: Sequence[SessionRef]) -> int:
    file = FOLDER / provider / f"{scenario}.json"
    sys.stdout.write(f"{provider} {scenario}\n")
    if not file.exists():
        sys.stdout.write("There is no baseline of this scenario.\n")
        return 0
    paths = [ref.path for ref in refs]
    words = ["fixtures", "check", "--strict", "--provider", provider, "--file", str(file)]
    return agentview([*words, *paths])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
