"""Content decides whose a file is: under any name, from a head that is cut, against all others."""

import json
import re
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.providers import load_provider, provider_names, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sources.member import member_of
from agentview.system.paths import sample_sessions_dir

NAMES = (Path("x"), Path("rollout-2026.jsonl"), Path("session-1.json"), Path("agent-a1.jsonl"))
CUTS = (16_384, 4_096, 1_024, 300, 40)
SIDE_FILES = frozenset({"journal.jsonl"})

_OF_TEXT = re.compile(
    rb"[\xef\xbb\xbf \r\n]*# aider chat started at |(?:\xef\xbb\xbf)?user:[ \t]*\r?\n"
)
"""How the logs begin that are text: their first line alone says whose they are."""

GENERAL = "chat_log"
"""The last resort, which reads messages of any program: of a log that is cut before the marks of
its client too."""

ALIKE = {"command_code": {"pi"}}
"""Whose session begins as one of another client: until more of it is there, the folder decides."""

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


def logs(name: str) -> list[Path]:
    """The samples of a provider that are sessions."""
    probe = load_provider(name).discovery.probe
    files = sorted(path for path in (sample_sessions_dir() / name).rglob("*.*") if path.is_file())
    return [path for path in files if probe(path.read_bytes()[:HEAD_BYTES], path) > 0]


LOGS = [(name, path) for name in provider_names() for path in logs(name)]
each_log = pytest.mark.parametrize(
    ("name", "path"), LOGS, ids=[str(path.relative_to(sample_sessions_dir())) for _, path in LOGS]
)


def recognised(head: bytes, path: Path = NAMES[0]) -> str | None:
    found = recognise(head, path)
    return found.name if found is not None else None


def test_every_provider_has_samples_that_are_sessions():
    assert {name for name, _ in LOGS} == set(provider_names())


@pytest.mark.parametrize("name", provider_names())
def test_every_sample_of_lines_is_a_session_or_has_some(name: str):
    lines = {
        path
        for path in (sample_sessions_dir() / name).rglob("*.jsonl")
        if path.name not in SIDE_FILES
    }
    files = load_provider(name).discovery.files
    others = lines - set(logs(name))
    assert [path for path in others if not any(member_of(each.path) for each in files(path))] == []


@each_log
def test_a_sample_is_whose_it_is_under_any_name(name: str, path: Path):
    head = path.read_bytes()[:HEAD_BYTES]
    assert {recognised(head, other) for other in NAMES} == {name}


@each_log
def test_a_cut_head_is_of_nobody_else(name: str, path: Path):
    data = path.read_bytes()
    found = [recognised(data[:cut]) for cut in CUTS]
    assert set(found) <= {name, GENERAL, None, *ALIKE.get(name, ())}


@each_log
def test_the_first_whole_records_are_enough(name: str, path: Path):
    data = path.read_bytes()
    if data.lstrip().startswith(b"[") or data.count(b"\n") < 2 or not _is_object(data):
        # One document, one line, or damage at the start: the head has to be whole.
        assert recognised(data[:HEAD_BYTES]) == name
        return
    found = [recognised(b"\n".join(data.split(b"\n")[:count])) for count in (1, 2, 4, 8)]
    assert set(found) <= {name, GENERAL, None, *ALIKE.get(name, ())}
    assert recognised(data[: HEAD_BYTES // 2]) == name


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(orjson.loads(data.partition(b"\n")[0]), dict)
    except ValueError:
        return False


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"{}",
        b"[]",
        b"null\n",
        b"\x00" * 4_096,
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
        b"SQLite format 3\x00" + b"\x00" * 4_000,
        b"# A page\n\nWith a text.\n",
        b"name,count\nfirst,1\nsecond,2\n",
        b'{"level":"info","msg":"started","ts":1700000000.5}\n' * 20,
        b'{"name":"package","version":"1.0.0","dependencies":{"left":"^1.0"}}\n',
        b'{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null}]}\n',
        b'{"id":1,"type":"user","name":"Ada","email":"ada@example.org"}\n' * 5,
        b'[{"id":1,"title":"first"},{"id":2,"title":"second"}]\n',
        b'{"time":"2026-11-21T10:00:00Z","message":"GET /","status":200}\n' * 8,
        b'{"type":"system","subtype":"init"}\n{"type":"result"}\n',
        b'{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}\n' * 3,
        b"2026-11-21 10:00:00 INFO session started {}\n" * 10,
    ],
)
def test_what_is_no_session_is_refused(head: bytes):
    assert recognised(head) is None


@pytest.mark.parametrize(
    ("head", "name"),
    [(b"\n# aider chat started at 2026-11-21 10:00:00\n", "aider"), (b"user:\nHi.\n", "cursor")],
)
def test_the_first_line_of_a_log_that_is_text_is_enough(head: bytes, name: str):
    assert _OF_TEXT.match(head) is not None
    assert recognised(head) == name


@pytest.mark.slow
@given(records=st.lists(json_values, max_size=6))
def test_other_json_is_refused(records: list[object]):
    lines = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    assert recognised(lines) is None
    assert recognised(json.dumps(records, indent=1).encode()) is None


@given(data=st.binary(max_size=400).filter(lambda data: _OF_TEXT.match(data) is None))
def test_other_bytes_are_refused(data: bytes):
    assert recognised(data) is None
