"""`agentview dev fixtures`: examples of what clients write, and how a trace differs from them."""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentview.drift.fixtures import (
    Allowlist,
    Collection,
    Difference,
    Fixtures,
    baseline_of,
    collect,
    compare,
    fixtures_of,
    from_text,
    read_allowlist,
    to_text,
)
from agentview.drift.trace_session import read_entries
from agentview.errors import AgentViewError, NotFound, Unreadable, UsageError
from agentview.sessions.targets.log_file import chosen_providers
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import escaped_json, one_line

FAILED = 1
"""Exit code when a trace differs from what is expected."""

_ALLOWLIST_ENDING = ".allowlist.txt"
_NAMED = 3


def run(options: argparse.Namespace) -> int:
    """Build a file of fixtures, or check traces against one."""
    if options.provider is not None:
        chosen_providers(options.provider)
    return _build(options) if options.action == "build" else _check(options)


def _build(options: argparse.Namespace) -> int:
    collection = _collected(options)
    if not collection.shapes:
        raise NotFound("The traces have no entry of a wanted key.", "See 'agentview trace'.")
    shapes_alone = bool(options.shapes_only)
    fixtures = (
        baseline_of(collection) if shapes_alone else fixtures_of(collection, options.examples)
    )
    text = to_text(fixtures)
    if not options.write:
        print(text, end="")
        return 0
    path = _file(options)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise AgentViewError(f"Cannot write {path}: {error.strerror}.") from error
    count = sum(len(each) for each in fixtures.examples.values())
    print(f"{path}: {counted(len(fixtures.shapes), 'key')}, {counted(count, 'example')}")
    return 0


def _check(options: argparse.Namespace) -> int:
    path = _file(options)
    expected = read_fixtures(path)
    found = compare(expected, _collected(options), _allowlist(options))
    if options.json:
        print(escaped_json(json.dumps(_form(found), indent=1, ensure_ascii=False)))
    else:
        print("\n".join(_lines(found, path, strict=options.strict)))
    return FAILED if found.fails(strict=options.strict) else 0


def _collected(options: argparse.Namespace) -> Collection:
    paths = [Path(each).expanduser() for each in options.traces]
    return collect(read_entries(paths, options.provider), _allowlist(options))


def _allowlist(options: argparse.Namespace) -> Allowlist:
    if options.allowlist is None:
        return Allowlist(provider=options.provider)
    return read_allowlist(Path(options.allowlist).expanduser(), options.provider)


def _file(options: argparse.Namespace) -> Path:
    """The file that is named, else the one that the allowlist belongs to."""
    if options.file is not None:
        return Path(options.file).expanduser()
    allowlist: str = options.allowlist or ""
    if allowlist.endswith(_ALLOWLIST_ENDING):
        return Path(allowlist.removesuffix(_ALLOWLIST_ENDING) + ".json").expanduser()
    raise UsageError(
        "Which file of fixtures? --file is missing.",
        f"The default is the file next to an allowlist whose name ends with {_ALLOWLIST_ENDING}.",
    )


def read_fixtures(path: Path) -> Fixtures:
    """Fixtures, or shapes, of a file. Raises NotFound, Unreadable, AgentViewError."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"No such file: {path}.", "See 'agentview dev fixtures build'.") from error
    except (OSError, ValueError) as error:
        raise Unreadable(f"Cannot read {path}: {error}.") from error
    return from_text(text)


def _lines(found: Difference, path: Path, *, strict: bool) -> Iterator[str]:
    """Return the differences; changes that several keys have in common are reported once."""
    yield from (f"missing: {one_line(key)}" for key in found.missing)
    alike: dict[tuple[str, ...], list[str]] = {}
    for key, changes in found.changed.items():
        alike.setdefault(tuple(str(change) for change in changes), []).append(key)
    for changes, keys in alike.items():
        yield f"changed: {_named(keys)}"
        yield from (f"  {one_line(change)}" for change in changes)
    sign = "unexpected" if strict else "unexpected; an error only with --strict"
    yield from (f"{sign}: {one_line(key)}" for key in found.unexpected)
    if not found.fails(strict=True):
        yield f"As in {path}."


def _named(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return one_line(", ".join(keys[:_NAMED]) + more)


def _form(found: Difference) -> dict[str, object]:
    return {
        "missing": list(found.missing),
        "unexpected": list(found.unexpected),
        "changed": {
            key: [
                {
                    "path": change.path,
                    "difference": change.difference.value,
                    "before": change.before,
                    "after": change.after,
                }
                for change in changes
            ]
            for key, changes in found.changed.items()
        },
    }
