"""Fixtures: by key a few examples of what clients write, and the shape of all that was seen.

A file is `{v, shapes: {key: {part: shape}}, examples: {key: [example]}}`; a baseline has shapes
alone. Parts are `raw`, the record, and `args`, arguments that are in it as text. Which examples
are chosen depends on neither the order of traces nor how often something is in them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from agentview.domain.events import ToolResult, Unparsed
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value
from agentview.drift.call_records import call_fields, decode_value, result_fields
from agentview.drift.schema_diff import Change, differences
from agentview.drift.schema_inference import NOTHING, Shape, collapsed, fits, merge, shape_of
from agentview.drift.schema_json import from_form, to_form
from agentview.drift.trace import EntryKind
from agentview.drift.truncate import cut
from agentview.errors import AgentViewError, NotFound, Unreadable
from agentview.normalize.json_values import text_of
from agentview.providers import load_provider, provider_names
from agentview.providers.base import Provider
from agentview.redaction.redactor import Redactor

# The list of keys that fixtures are kept of.


class Allowlist(Value):
    """Keys that are wanted; None for all of them. `provider` leaves out those of others."""

    pattern: re.Pattern[str] | None = None
    provider: str | None = None

    def allows(self, key: str) -> bool:
        """Return True if a key is wanted."""
        if self.provider is not None and key.split("/")[1:2] != [self.provider]:
            return False
        return self.pattern is None or self.pattern.fullmatch(key) is not None


def read_allowlist(path: Path, provider: str | None = None) -> Allowlist:
    """The keys of a file, one a line; `*` is any part, `#` begins a remark.

    Raises NotFound and Unreadable.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"No such file: {path}.") from error
    except (OSError, ValueError) as error:
        raise Unreadable(f"Cannot read {path}: {error}.") from error
    return allowlist_of(text, provider)


def allowlist_of(text: str, provider: str | None = None) -> Allowlist:
    """The keys that a text lists."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    keys = [re.escape(line).replace(r"\*", "[^/]*") for line in lines if line]
    return Allowlist(re.compile("|".join(keys) or "(?!)"), provider)


VERSION = 1
"""Version of the form of a file."""

EXAMPLES = 3
"""Most examples of a key by default."""

CHARS = 320
"""Characters of a text in an example."""

Fields = dict[str, object]
Shapes = Mapping[str, Shape]

_KEPT = ("protocol", "provider", "client_version", "kind", "raw", "call")
_FACTS = (
    "tool", "canonical_name", "kind", "state", "payload", "result", "ok", "error", "args_error",
    "denied_by",
)  # fmt: skip
"""Fields of an example that agentview derived."""


class Fixtures(Value):
    """Content of a file of fixtures, or of a baseline."""

    shapes: Mapping[str, Shapes]
    examples: Mapping[str, list[Fields]]


@dataclass(slots=True)
class Collection:
    """Shapes of all entries of traces by key, and the entries that may become examples."""

    shapes: dict[str, dict[str, Shape]] = field(default_factory=dict[str, dict[str, Shape]])
    candidates: dict[str, dict[str, Fields]] = field(default_factory=dict[str, dict[str, Fields]])

    def add(self, key: str, entry: Fields) -> None:
        """Take in one entry of a trace."""
        shapes = self.shapes.setdefault(key, {})
        for part, shape in _parts(entry).items():
            shapes[part] = merge(shapes.get(part, NOTHING), shape)
        example = _example(entry)
        self.candidates.setdefault(key, {})[_text(example)] = example


def collect(entries: Iterable[tuple[str, Fields]], allowlist: Allowlist) -> Collection:
    """Take in all entries whose keys are wanted; secrets are taken out once more."""
    redactor = Redactor.of_this_machine()
    collection = Collection()
    for key, entry in entries:
        if allowlist.allows(key):
            collection.add(redactor.text(key), cast("Fields", cut(redactor.value(entry), CHARS)))
    return collection


def fixtures_of(collection: Collection, count: int = EXAMPLES) -> Fixtures:
    """The smallest examples that show different shapes, `count` of a key at most."""
    return Fixtures(
        {key: _collapsed(shapes) for key, shapes in sorted(collection.shapes.items())},
        {
            key: _chosen(candidates, count)
            for key, candidates in sorted(collection.candidates.items())
        },
    )


def baseline_of(collection: Collection) -> Fixtures:
    """The shapes alone."""
    shapes = {key: _collapsed(each) for key, each in sorted(collection.shapes.items())}
    return Fixtures(shapes, {})


def _collapsed(shapes: Shapes) -> Shapes:
    return {part: collapsed(shape) for part, shape in sorted(shapes.items())}


def _chosen(candidates: Mapping[str, Fields], count: int) -> list[Fields]:
    """The smallest of each outcome, then those that have something new; none that says less alone.

    The outcome of a record may depend on earlier records in its log: such a record is not an
    example.
    """
    texts = sorted(candidates, key=lambda text: (len(text), text))
    examples = [example for text in texts if _stands_alone(example := candidates[text])]
    firsts: dict[str, Fields] = {}
    for example in examples:
        firsts.setdefault(str(_normalized(example).get("state")), example)
    chosen = [firsts[state] for state in sorted(firsts)]
    known = shape_of(chosen)
    for example in examples:
        if not fits(known, [example]):
            chosen.append(example)
            known = merge(known, shape_of([example]))
    return chosen[:count]


def _normalized(example: Fields) -> Fields:
    return cast("Fields", example.get("normalized") or {})


def _stands_alone(example: Fields) -> bool:
    return facts_of(replay(example)[1]) == _normalized(example)


def facts_of(normalized: Mapping[str, object]) -> Fields:
    return {name: normalized[name] for name in _FACTS if normalized.get(name) is not None}


def _example(entry: Fields) -> Fields:
    normalized = cast("Fields", entry.get("normalized") or {})
    return {
        **{name: entry[name] for name in _KEPT if name in entry},
        "normalized": facts_of(normalized),
    }


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _parts(entry: Fields) -> dict[str, Shape]:
    raw = entry.get("raw")
    parts = {"raw": shape_of(raw)}
    normalized = entry.get("normalized")
    args = cast("Fields", normalized).get("args") if isinstance(normalized, dict) else None
    if isinstance(args, dict) and args and not _holds(raw, cast("object", args), 0):
        parts["args"] = shape_of(cast("object", args))
    return parts


def _holds(value: object, part: object, depth: int) -> bool:
    if value == part:
        return True
    if depth > 20:
        return False
    if isinstance(value, dict):
        return any(_holds(item, part, depth + 1) for item in cast("Fields", value).values())
    if isinstance(value, list):
        return any(_holds(item, part, depth + 1) for item in cast("list[object]", value))
    return False


def to_text(fixtures: Fixtures) -> str:
    """The file: JSON with a line for each shape and each example, to be compared by lines."""
    shapes = [
        f"{_text(key)}: {_text({part: to_form(shape) for part, shape in parts.items()})}"
        for key, parts in sorted(fixtures.shapes.items())
    ]
    parts = [f'"v": {VERSION}', f'"shapes": {{\n{_lines(shapes)}\n}}']
    if fixtures.examples:
        examples = [
            f"{_text(key)}: [\n{_lines([_text(each) for each in found])}\n]"
            for key, found in sorted(fixtures.examples.items())
        ]
        parts.append(f'"examples": {{\n{_lines(examples)}\n}}')
    return f"{{\n{_lines(parts)}\n}}\n"


def _lines(parts: list[str]) -> str:
    return ",\n".join(parts)


def from_text(text: str) -> Fixtures:
    """Return the fixtures in a text. Raises AgentViewError for anything else."""
    try:
        form: object = json.loads(text)
        if not isinstance(form, dict) or cast("Fields", form).get("v") != VERSION:
            raise ValueError("it has another version")
        fields = cast("dict[str, dict[str, object]]", form)
        shapes = {
            key: {part: from_form(each) for part, each in cast("Fields", parts).items()}
            for key, parts in fields["shapes"].items()
        }
        examples = {
            key: cast("list[Fields]", each) for key, each in fields.get("examples", {}).items()
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise AgentViewError(
            f"This is not a file of fixtures: {error}.",
            "Make one with 'agentview dev fixtures build'.",
        ) from error
    return Fixtures(shapes, examples)


class Difference(Value):
    """Entries of a trace without fixtures, and fixtures without entries."""

    missing: tuple[str, ...]
    """Keys that were expected and did not come."""
    unexpected: tuple[str, ...]
    """Keys that came and were not expected."""
    changed: Mapping[str, tuple[Change, ...]]
    """By key what is of another shape, paths beginning with the part."""

    def fails(self, *, strict: bool) -> bool:
        """True if it says that something is another than it was; `strict` counts all keys."""
        return bool(self.missing or self.changed or (strict and self.unexpected))


def compare(expected: Fixtures, collection: Collection, allowlist: Allowlist) -> Difference:
    """Compare what came with what is expected of the providers, and ways, that it came from."""
    sources = {_source(key) for key in collection.shapes}
    wanted = {
        key: shapes
        for key, shapes in expected.shapes.items()
        if _source(key) in sources and allowlist.allows(key)
    }
    came = collection.shapes
    changed: dict[str, tuple[Change, ...]] = {}
    for key in sorted(wanted.keys() & came.keys()):
        changes = tuple(_changes(wanted[key], _collapsed(came[key])))
        if changes:
            changed[key] = changes
    return Difference(
        tuple(sorted(wanted.keys() - came.keys())),
        tuple(sorted(came.keys() - wanted.keys())),
        changed,
    )


def _source(key: str) -> str:
    return "/".join(key.split("/", 2)[:2])


def _changes(before: Shapes, after: Shapes) -> Iterator[Change]:
    for part in sorted(before.keys() & after.keys()):
        for change in differences(before[part], after[part], part):
            if change.matters:
                yield change


def replay(example: Mapping[str, object]) -> tuple[ToolCall | None, Fields]:
    """Return the call, joined with its result, and what a trace has of it; else None and why not.

    Raises nothing: an example of an unknown provider returns None with the reason.
    """
    name = text_of(example.get("provider")) or ""
    if name not in provider_names():
        return None, {"reason": f"unknown provider {name}"}
    provider = load_provider(name)
    session = SessionRef(name, "fixture", "fixture")
    kind = example.get("kind")
    bodies = [event.body for event in decode_value(provider, session, example.get("raw"))]
    if kind == EntryKind.UNREAD:
        reason = next((body.reason for body in bodies if isinstance(body, Unparsed)), "it is read")
        return None, {"reason": reason}
    before: list[ToolCall] = []
    if example.get("call") is not None:
        events = decode_value(provider, session, example.get("call"))
        before = [event.body for event in events if isinstance(event.body, ToolCall)]
    calls = [*before, *(body for body in bodies if isinstance(body, ToolCall))]
    result = next((body for body in reversed(bodies) if isinstance(body, ToolResult)), None)
    if kind == EntryKind.RESULT and result is not None:
        own = [call for call in calls if call.call_id == result.call_id]
        call = _amended(provider, own)
        recorded_outcome = result_fields(result, call, provider.reading.attach_result)
        return (
            provider.reading.attach_result(call, result) if call is not None else None
        ), recorded_outcome
    if kind == EntryKind.PERMISSION:
        calls = [call for call in calls if call.kind is not ToolKind.ASK]
    call = _amended(provider, calls)
    return (call, call_fields(call)) if call is not None else (None, {"reason": "no call in it"})


def _amended(provider: Provider, calls: Iterable[ToolCall]) -> ToolCall | None:
    known: ToolCall | None = None
    for call in calls:
        if known is None:
            known = call
        elif call.call_id == known.call_id and call != known:
            known = provider.reading.merge_call(known, call)
    return known
