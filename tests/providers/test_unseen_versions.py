"""Logs of versions that nobody has seen: known records with new keys, and new records and tools.

Each sample is written again as a newer client might write it. It is still recognised, no call and
no outcome is lost, nothing becomes unreadable, and a count that is not stated is not known.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentview.domain.events import Unparsed
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.providers import load_provider, provider_names, recognise
from agentview.providers.base import HEAD_BYTES, Provider
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from tests.providers.joined_log import joined, shown

Members = dict[str, Any]
Change = Callable[[Members, Random], Members]

_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[-+.]\w*)*")
_COUNTS = re.compile(r"usage|token|metrics|cost", re.IGNORECASE)
_MODEL = re.compile(r"model(?:_?(?:id|name|info|slug))?", re.IGNORECASE)
_HALF = "<half a pair>"
"""What stands for an escape that no strict writer makes."""
_NAMES = frozenset({"name", "toolName", "tool_name", "tool", "function_name", "provider_name"})


def _new_last(members: Members, _chance: Random) -> Members:
    return _with(members, {"key_of_a_newer_version": {"list": [1, None, "text"], "text": "x"}}, {})


def _new_first(members: Members, _chance: Random) -> Members:
    return _with(members, {}, {"a_key_of_a_newer_version": ["x", {"y": None}]})


def _halved(members: Members, _chance: Random) -> Members:
    return _with(members, {}, {"cut": f"a text that was cut in a character {_HALF}"})


def _with(members: Members, last: Members, first: Members) -> Members:
    """The members and new ones; an object without any says that there is nothing, as before."""
    return {**first, **members, **last} if members else members


def _reversed(members: Members, _chance: Random) -> Members:
    return dict(reversed(members.items()))


def _shuffled(members: Members, chance: Random) -> Members:
    keys = list(members)
    chance.shuffle(keys)
    return {key: members[key] for key in keys}


def _newer(members: Members, _chance: Random) -> Members:
    return {key: _raised(key, value) for key, value in members.items()}


def _raised(key: str, value: Any) -> Any:
    if "version" not in key.lower():
        return value
    if isinstance(value, str) and _VERSION.fullmatch(value):
        major, _, rest = value.partition(".")
        return f"{major}.{int(rest.partition('.')[0] or 0) + 70}.3"
    return value + 1 if type(value) is int else value


def _floats(members: Members, _chance: Random) -> Members:
    return {key: float(v) if type(v) is int and key != "id" else v for key, v in members.items()}


def _without(keys: re.Pattern[str]) -> Change:
    def change(members: Members, _chance: Random) -> Members:
        return {key: value for key, value in members.items() if not keys.fullmatch(key)}

    return change


CHANGES: dict[str, Change] = {
    "new last keys": _new_last,
    "new first keys": _new_first,
    "half a surrogate pair": _halved,
    "keys in reverse order": _reversed,
    "newer versions": _newer,
    "floats for whole numbers": _floats,
}
"""What changes nothing of what happened."""

NO_MODEL = _without(_MODEL)
NO_FOLDER = _without(re.compile("cwd|gitBranch|git_branch|workspace"))
NO_COUNTS = _without(re.compile(rf".*(?:{_COUNTS.pattern}).*", re.IGNORECASE))

_KNOWN_BY_MODEL = frozenset({"grok/first_form.jsonl"})
"""Logs of which only the name of the model says whose they are: messages as many programs have."""
_COUNTS_BY_VALUE = frozenset({"otel", "cline_tasks"})
"""Providers whose logs name a count by a value, or in a text, and not by a key."""

EXCEPTIONS = {
    ("happier", "fixtures.json"): "a document of examples, which a test suite of the client wrote",
    ("atif", "agents.json"): "the trajectories of agents are where the steps were",
    ("swe_agent", "text_actions.traj"): "how the run ended answers the last action from behind it",
    (
        "pydantic_ai",
        "histories.jsonl",
    ): "a damaged line; where half a pair is in it too, it is lost",
    ("cursor", "refusals.jsonl"): "an empty answer says yes, so that one with a key says more",
}
"""Samples in which the place or the number of keys says something, and what."""


class Sample(NamedTuple):
    """A sample of JSON: one document, or lines."""

    provider: Provider
    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(sample_sessions_dir()).as_posix()


def _samples(name: str) -> Iterator[Sample]:
    provider = load_provider(name)
    folder = sample_sessions_dir() / name
    for path in sorted(folder.rglob("*"), key=lambda path: (path.stem != "demo", path)):
        if not path.is_file() or (name, path.relative_to(folder).as_posix()) in EXCEPTIONS:
            continue
        data = path.read_bytes()
        if provider.discovery.probe(data[:HEAD_BYTES], path) > 0 and _values(data):
            yield Sample(provider, path)


def _values(data: bytes) -> list[Any]:
    """The JSON values of a file; a line that is none is given as its bytes."""
    try:
        return [json.loads(data)]
    except ValueError:
        pass
    found: list[Any] = []
    for line in data.split(b"\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            found.append(line)
    return found if any(isinstance(value, dict) for value in found) else []


def _written(values: list[Any]) -> bytes:
    written = b"\n".join(
        value
        if isinstance(value, bytes)
        else json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
        for value in values
    )
    return written.replace(_HALF.encode(), b"\\ud83d")


def _changed(value: Any, change: Change, chance: Random, share: float) -> Any:
    """The value with the change made in a share of its objects."""
    if isinstance(value, list):
        return [_changed(item, change, chance, share) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("Members", value)
    inner = {key: _changed(item, change, chance, share) for key, item in members.items()}
    return change(inner, chance) if chance.random() < share else inner


def rewritten(
    sample: Sample, change: Change, chance: Random, share: float = 1.0, *, columns: bool = False
) -> bytes:
    """The sample as a newer client would write it; with `columns` its tables change as well."""
    rows = sample.provider.has_members and not columns
    return _written([_one(value, change, chance, share, rows=rows) for value in _read(sample)])


def _one(value: Any, change: Change, chance: Random, share: float, *, rows: bool) -> Any:
    if rows and isinstance(value, dict):
        # The row itself is not the client's: a query of ours names the columns.
        members = cast("Members", value)
        return {key: _changed(item, change, chance, share) for key, item in members.items()}
    return _changed(value, change, chance, share)


def _read(sample: Sample) -> list[Any]:
    return _values(sample.path.read_bytes())


SAMPLES = [sample for name in provider_names() for sample in _samples(name)]


def each_of(samples: list[Sample]) -> pytest.MarkDecorator:
    """The samples, of which one of each provider is enough most of the time."""
    first: dict[str, Sample] = {}
    for sample in samples:
        first.setdefault(sample.provider.name, sample)
    return pytest.mark.parametrize(
        "sample",
        [
            pytest.param(
                sample,
                id=sample.name,
                marks=[] if first[sample.provider.name] is sample else [pytest.mark.slow],
            )
            for sample in samples
        ],
    )


each_sample = each_of(SAMPLES)


def _names_counts(sample: Sample) -> bool:
    """Whether each count is the value of a key that can be left out, on no damaged line."""
    whole = not any(value for value in _read(sample) if isinstance(value, bytes))
    return whole and sample.provider.name not in _COUNTS_BY_VALUE


def is_lines(sample: Sample) -> bool:
    return not sample.provider.is_document(sample.path.read_bytes()[:HEAD_BYTES])


class Outline(NamedTuple):
    """What must stay as it is."""

    calls: Counter[tuple[str, str, str]]
    """Ids and names of calls, and what became of each."""
    unreadable: int
    unknown: int
    makers: frozenset[str] = frozenset()
    """Names of calls that made others, which are known by their names."""


def _outline(store: SessionStore) -> Outline:
    bodies = [activity.body for activity in shown(store)]
    calls = [body for body in bodies if isinstance(body, ToolCall)]
    unparsed = [body for body in bodies if isinstance(body, Unparsed)]
    return Outline(
        Counter((_own(each.call_id), each.provider_name, each.state.value) for each in calls),
        sum(each.malformed for each in unparsed),
        sum(not each.malformed for each in unparsed),
        frozenset(each.maker.provider_name for each in calls if each.maker is not None),
    )


def _own(call_id: str) -> str:
    """The id without what is made of the place or of the bytes of a record."""
    return re.sub(r"@\d+|\b[0-9a-f]{24}:", "@", call_id)


def _open(sample: Sample, data: bytes, folder: Path) -> SessionStore:
    path = folder / sample.path.name
    path.write_bytes(data)
    found = recognise(data[:HEAD_BYTES], Path("unnamed"))
    assert found is not None
    assert found.name == sample.provider.name
    return joined(sample.provider, path)


_outlines: dict[str, Outline] = {}


def _same(sample: Sample, folder: Path) -> Outline:
    """The outline of the sample itself, written as its changed forms are."""
    if sample.name not in _outlines:
        _outlines[sample.name] = _outline(_open(sample, _written(_read(sample)), folder))
    return _outlines[sample.name]


def test_every_provider_of_json_has_a_sample_here() -> None:
    markdown = {"aider", "specstory"}
    assert {sample.provider.name for sample in SAMPLES} >= set(provider_names()) - markdown


@pytest.mark.slow
@each_sample
@pytest.mark.parametrize("name", CHANGES)
def test_what_says_nothing_new_changes_nothing(sample: Sample, name: str, tmp_path: Path) -> None:
    data = rewritten(sample, CHANGES[name], Random(0))  # noqa: S311
    assert _outline(_open(sample, data, tmp_path)) == _same(sample, tmp_path)


@each_sample
@pytest.mark.parametrize("change", [NO_MODEL, NO_FOLDER], ids=["no model", "no folder"])
def test_what_is_left_out_is_not_missed(sample: Sample, change: Change, tmp_path: Path) -> None:
    before = _same(sample, tmp_path)
    data = rewritten(sample, change, Random(0))  # noqa: S311
    if change is NO_MODEL and sample.name in _KNOWN_BY_MODEL:
        known = recognise(data[:HEAD_BYTES], Path("unnamed"))
        assert known is not None
        assert known.name == "chat_log"
        return
    after = _outline(_open(sample, data, tmp_path))
    assert after.calls.total() == before.calls.total()
    assert (after.unreadable, after.unknown) <= (before.unreadable, before.unknown)


@each_of([sample for sample in SAMPLES if _names_counts(sample)])
def test_a_count_that_is_not_stated_is_not_known(sample: Sample, tmp_path: Path) -> None:
    data = rewritten(sample, NO_COUNTS, Random(0), columns=True)  # noqa: S311
    path = tmp_path / sample.path.name
    path.write_bytes(data)
    store = joined(sample.provider, path)
    assert store.summary.usage == Usage()
    assert store.summary.cost is None


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and value != {}


@each_of([sample for sample in SAMPLES if not sample.provider.has_members and is_lines(sample)])
def test_records_of_a_new_type_disturb_no_other(sample: Sample, tmp_path: Path) -> None:
    values: list[Any] = []
    for number, value in enumerate(_read(sample)):
        values.append(value)
        if _is_object(value):
            values.append({"type": "brand_new", "id": f"new-{number}", "data": {"a": [number]}})
    before = _same(sample, tmp_path)
    after = _outline(_open(sample, _written(values), tmp_path))
    assert after.calls == before.calls
    assert after.unreadable == before.unreadable


ENVELOPES: dict[str, Callable[[Any], Members]] = {
    "payload": lambda record: {"type": "record", "payload": record},
    "data": lambda record: {"data": record},
    "event": lambda record: {"ts": "2026-11-26T00:00:00Z", "seq": 1, "event": record},
}


OPENED = ("acp", "codex", "chat_log")
"""Whose records are in such envelopes themselves: those of recorders, `payload`, and any around
messages."""


@each_of(
    [
        sample
        for sample in SAMPLES
        if not sample.provider.has_members
        and is_lines(sample)
        and sample.provider.name not in OPENED
    ]
)
@pytest.mark.parametrize("name", ENVELOPES)
def test_records_in_an_unknown_envelope_are_unknown(
    sample: Sample, name: str, tmp_path: Path
) -> None:
    records = [value for value in _read(sample) if _is_object(value)]
    path = tmp_path / sample.path.name
    path.write_bytes(_written([ENVELOPES[name](record) for record in records]))
    store = joined(sample.provider, path)
    outline = _outline(store)
    # Equal ones are one row.
    assert outline == Outline(Counter(), 0, len(set(map(repr, records))))
    assert store.summary.usage == Usage()


def _renamed(names: frozenset[str]) -> Change:
    def change(members: Members, _chance: Random) -> Members:
        return {
            key: "brand_new_tool" if key in _NAMES and _is_name(value, names) else value
            for key, value in members.items()
        }

    return change


def _is_name(value: Any, names: frozenset[str]) -> bool:
    return isinstance(value, str) and value in names


@each_sample
def test_tools_of_new_names_are_calls_with_their_outcomes(sample: Sample, tmp_path: Path) -> None:
    before = _same(sample, tmp_path)
    names = frozenset(name for _, name, _ in before.calls) - before.makers
    data = rewritten(sample, _renamed(names), Random(0))  # noqa: S311
    after = _outline(_open(sample, data, tmp_path))
    assert after.calls.total() == before.calls.total()
    assert _answered(after) >= _answered(before)
    assert after.unreadable == before.unreadable


def _answered(outline: Outline) -> int:
    return sum(n for (_, _, state), n in outline.calls.items() if state.startswith("output"))


_HARMLESS = (_new_last, _new_first, _shuffled, _newer, _floats)


_WEB = next(sample for sample in SAMPLES if sample.name == "codex/events.jsonl")


@pytest.mark.slow
@settings(max_examples=40)
@example(sample=_WEB, changes=[_new_last], seed=1, share=0.5)
@given(
    sample=st.sampled_from([sample for sample in SAMPLES if sample.path.stat().st_size < 60_000]),
    changes=st.lists(st.sampled_from(_HARMLESS), min_size=1, max_size=3, unique=True),
    seed=st.integers(0, 2**16),
    share=st.sampled_from([0.1, 0.5, 0.9]),
)
def test_some_objects_may_be_newer_than_others(
    sample: Sample,
    changes: list[Change],
    seed: int,
    share: float,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("log")
    chance = Random(seed)  # noqa: S311

    def change(members: Members, chance: Random) -> Members:
        for each in changes:
            members = each(members, chance)
        return members

    data = rewritten(sample, change, chance, share)
    assert _outline(_open(sample, data, folder)) == _same(sample, folder)
