"""Values written in another way: times, numbers and contents, as clients change them.

Each sample is written again with the same facts in another form. It is still recognised, what was
said is still shown, its times and its tokens are the same, and no time is in 1970.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from msgspec.structs import replace

from agentview.domain.events import Message, User
from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from tests.providers.joined_log import calls, joined, shown
from tests.providers.test_unseen_versions import (
    SAMPLES,
    Members,
    Sample,
    each_of,
    each_sample,
    is_lines,
    rewritten,
)

_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_TEXTS = frozenset({"text", "input_text", "output_text"})
_SECONDS = (1.5e9, 2e9)


def _seconds(value: Any) -> float | None:
    """The time that a value is, if it is one."""
    if isinstance(value, str) and _ISO.fullmatch(value) is not None:
        return datetime.fromisoformat(value).timestamp()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = (float(value / unit) for unit in (1, 1000))
    return next((each for each in seconds if _SECONDS[0] < each < _SECONDS[1]), None)


def _times(write: Callable[[float], Any]) -> Callable[[Members, Random], Members]:
    def change(members: Members, _chance: Random) -> Members:
        at = {key: _seconds(value) for key, value in members.items()}
        return {
            key: value if (time := at[key]) is None else write(time)
            for key, value in members.items()
        }

    return change


def _iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")


def _numbers_as_text(members: Members, _chance: Random) -> Members:
    return {key: str(v) if type(v) in (int, float) else v for key, v in members.items()}


def _text_alone(members: Members, _chance: Random) -> Members:
    """A content of one text, as that text."""
    content = members.get("content")
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    only = cast("Members", parts[0]) if len(parts) == 1 and isinstance(parts[0], dict) else {}
    return {**members, "content": only["text"]} if only.get("type") in _TEXTS else members


def _text_listed(members: Members, _chance: Random) -> Members:
    """A content that is a text, as a list of one."""
    content = members.get("content")
    if isinstance(content, str) and "role" in members:
        return {**members, "content": [{"type": "text", "text": content}]}
    return members


FORMS: dict[str, Callable[[Members, Random], Members]] = {
    "times in seconds": _times(float),
    "times in milliseconds": _times(lambda time: round(time * 1000)),
    "times in microseconds": _times(lambda time: round(time * 1_000_000)),
    "times as text of a number": _times(lambda time: str(round(time * 1_000_000))),
    "times as ISO text": _times(_iso),
    "numbers as text": _numbers_as_text,
    "a text for a list of one": _text_alone,
    "a list of one for a text": _text_listed,
}
"""The same facts, in another form."""


class Facts(Value):
    """What must stay."""

    said: Counter[tuple[str, str]]
    calls: frozenset[str]
    timeless: int
    """Rows of which no time is known."""
    usage: Usage


def _facts(store: SessionStore) -> Facts:
    activities = shown(store)
    said = [each.body for each in activities if isinstance(each.body, User | Message)]
    times = [each.started for each in activities]
    assert all(time is None or time > _SECONDS[0] / 1.5 for time in times)
    return Facts(
        Counter((type(body).__name__, body.text.strip()) for body in said),
        frozenset(calls(store)),
        times.count(None),
        store.summary.usage,
    )


def _open(sample: Sample, data: bytes, folder: Path) -> Facts:
    path = folder / sample.path.name
    path.write_bytes(data)
    found = recognise(data[:HEAD_BYTES], Path("unnamed"))
    assert found is not None
    assert found.name == sample.provider.name
    return _facts(joined(sample.provider, path))


def _unchanged(members: Members, _chance: Random) -> Members:
    return members


_known: dict[str, tuple[bytes, Facts]] = {}


def _before(sample: Sample, folder: Path) -> tuple[bytes, Facts]:
    """The sample written as its changed forms are, and what it says."""
    if sample.name not in _known:
        data = rewritten(sample, _unchanged, Random(0))  # noqa: S311
        _known[sample.name] = data, _open(sample, data, folder)
    return _known[sample.name]


@each_sample
@pytest.mark.parametrize("form", FORMS)
def test_the_same_facts_in_another_form(sample: Sample, form: str, tmp_path: Path) -> None:
    same, before = _before(sample, tmp_path)
    data = rewritten(sample, FORMS[form], Random(0))  # noqa: S311
    if data == same:
        return
    after = _open(sample, data, tmp_path)
    assert before.said - after.said == Counter()
    assert after.timeless <= before.timeless
    assert after.usage == before.usage
    if form != "numbers as text":
        assert len(after.calls) == len(before.calls)


@pytest.mark.slow
def test_samples_have_what_is_changed() -> None:
    changed = Counter(
        form
        for sample in SAMPLES
        for form in FORMS
        if rewritten(sample, FORMS[form], Random(0))  # noqa: S311
        != rewritten(sample, _unchanged, Random(0))  # noqa: S311
    )
    assert set(changed) == set(FORMS)
    assert min(changed.values()) > 20


def test_a_time_of_no_known_size_is_not_known(tmp_path: Path) -> None:
    log = sample_sessions_dir() / "pi" / "demo.jsonl"
    path = tmp_path / "log.jsonl"
    path.write_text(re.sub(r'"timestamp":("[^"]*"|\d+)', '"timestamp":12', log.read_text()))
    assert all(each.started is None for each in shown(joined(load_provider("pi"), path)))


def _two_on_a_line(data: bytes) -> bytes:
    """The log with one end of a line less, between two whole records."""
    lines = data.split(b"\n")
    for at in range(len(lines) // 2, len(lines) - 1):
        if _is_record(lines[at]) and _is_record(lines[at + 1]):
            lines[at : at + 2] = [lines[at] + lines[at + 1]]
            break
    return b"\n".join(lines)


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


LINES: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "blank lines": lambda data: b"\n" + data.replace(b"\n", b"\n \n"),
    "blanks around records": lambda data: data.replace(b"\n", b" \n  "),
    "commas between records": lambda data: data.replace(b"\n", b",\n"),
    "a JSON sequence": lambda data: b"\x1e" + data.replace(b"\n", b"\n\x1e"),
    "two records on a line": _two_on_a_line,
}
"""How records may stand in a file."""


@each_of([sample for sample in SAMPLES if not sample.provider.has_members and is_lines(sample)])
@pytest.mark.parametrize("form", LINES)
def test_records_stand_otherwise_in_the_file(sample: Sample, form: str, tmp_path: Path) -> None:
    same, before = _before(sample, tmp_path)
    after = _open(sample, LINES[form](same.strip()) + b"\n", tmp_path)
    assert before.said - after.said == Counter()
    assert len(after.calls) == len(before.calls)
    assert after.usage == before.usage


def _indented(data: bytes) -> bytes:
    return json.dumps(json.loads(data), indent=4, ensure_ascii=False).encode()


def _compact(data: bytes) -> bytes:
    return json.dumps(json.loads(data), separators=(",", ":")).encode()


DOCUMENTS: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "a byte order mark and blanks": lambda data: b"\xef\xbb\xbf\r\n" + data + b"\r\n",
    "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "blank lines around": lambda data: b"\n \r\n" + data + b"\n\n",
    "indented": _indented,
    "without blanks": _compact,
}
"""How one document may be written."""


@each_of([sample for sample in SAMPLES if not is_lines(sample)])
@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_document_is_written_otherwise(sample: Sample, form: str, tmp_path: Path) -> None:
    data = sample.path.read_bytes()
    path = tmp_path / sample.path.name
    before = _outlined(sample, path, data)
    assert _outlined(sample, path, DOCUMENTS[form](data)) == before


def _outlined(sample: Sample, path: Path, data: bytes) -> tuple[Facts, int, list[str]]:
    """What a document says, how many rows it has, and how each call ended."""
    facts = _open(sample, data, path.parent)
    store = joined(sample.provider, path)
    ends = sorted(call.state.value for call in calls(store).values())
    # Ids of calls that have none in the log are made of the bytes of their records.
    return replace(facts, calls=frozenset()), len(shown(store)), ends
