"""`agentview dev census`: what clients write, as text or as a baseline, and what changed."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from agentview.cli.commands.dev.census_text import census_lines, diff_lines, diffs_form
from agentview.domain.session import SessionRef
from agentview.drift.inventory_diff import ProviderDiff, compare, compare_work, matters
from agentview.drift.inventory_json import census_form, census_of
from agentview.drift.log_files import logs_below
from agentview.drift.schema_inventory import SchemaInventory, only_version, take_census
from agentview.errors import NotFound, Unreadable, UsageError
from agentview.sessions.targets.log_file import chosen_providers
from agentview.sessions.targets.session_query import all_refs
from agentview.timeline.view.sanitize import escaped_json

DIFFERENT = 1
"""Exit code when a format is another than before."""


def run(options: argparse.Namespace) -> int:
    """Print the census, or what differs from a baseline or between two versions."""
    _check(options)
    baseline = read_baseline(Path(options.diff).expanduser()) if options.diff else None
    census = take_census(_logs(options.paths, options.provider))
    if not census.providers:
        raise NotFound("No session log was found.", "Give the path of one, or of a directory.")
    if options.versions is not None:
        return _print_diffs(_between(census, options.versions), options)
    if options.client_version is not None:
        census = _only(census, options.client_version)
    if baseline is not None:
        return _print_diffs(compare(baseline, census), options, _apart(baseline, census))
    _report_unreadable(census)
    if options.json:
        _print_json(census_form(census))
    else:
        print("\n".join(census_lines(census)))
    return 0


def _check(options: argparse.Namespace) -> None:
    if options.provider is not None:
        chosen_providers(options.provider)
    if options.versions is not None and (options.diff or options.client_version):
        raise UsageError(
            "--versions compares two versions among the logs themselves.",
            "Leave out --diff and --client-version.",
        )


def _logs(paths: Sequence[str], provider: str | None) -> list[SessionRef]:
    """The logs below the paths; without any, those of all sessions of this machine."""
    if not paths:
        return all_refs(provider)
    return [*logs_below([Path(path).expanduser() for path in paths], provider)]


def _only(census: SchemaInventory, version: str) -> SchemaInventory:
    found = only_version(census, version)
    if not found.providers:
        raise _no_version(census, version)
    return found


def _between(census: SchemaInventory, versions: Sequence[str]) -> list[ProviderDiff]:
    before, after = versions
    for version in versions:
        _only(census, version)
    return [
        ProviderDiff(name, (before,), (after,), compare_work(seen[before], seen[after]))
        for name, seen in sorted(census.providers.items())
        if before in seen and after in seen
    ]


def _no_version(census: SchemaInventory, version: str) -> NotFound:
    seen = sorted({each for versions in census.providers.values() for each in versions})
    return NotFound(f"No record of version {version} was found.", f"There are: {', '.join(seen)}.")


def _apart(baseline: SchemaInventory, census: SchemaInventory) -> list[str]:
    """Providers that only one of the two has: nothing can be said of them."""
    ours, theirs = census.providers.keys(), baseline.providers.keys()
    return [
        *(f"{name}: not in the baseline" for name in sorted(ours - theirs)),
        *(
            f"{name}: only in the baseline, no log of it was given"
            for name in sorted(theirs - ours)
        ),
    ]


def _print_diffs(
    diffs: Sequence[ProviderDiff], options: argparse.Namespace, apart: Sequence[str] = ()
) -> int:
    if options.json:
        _print_json(diffs_form(diffs))
    else:
        print("\n".join(diff_lines(diffs, apart)))
    return DIFFERENT if matters(diffs) else 0


def _print_json(form: object) -> None:
    print(escaped_json(json.dumps(form, indent=1, ensure_ascii=False)))


def _report_unreadable(census: SchemaInventory) -> None:
    for message in census.unreadable:
        print(f"agentview: {message}", file=sys.stderr)


def read_baseline(path: Path) -> SchemaInventory:
    """The census that a file holds. Raises NotFound, Unreadable or AgentViewError."""
    try:
        form: object = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise NotFound(f"No such file: {path}.") from error
    except (OSError, ValueError) as error:
        raise Unreadable(f"Cannot read {path}: {error}.") from error
    return census_of(form)
