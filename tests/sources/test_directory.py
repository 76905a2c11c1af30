"""A session in a directory is read as lines: one for each record in its files."""

import os
import time
from pathlib import Path

import pytest

from agentview.errors import AgentViewError
from agentview.sources import member
from agentview.sources.directory import files_in_order, one_line
from agentview.sources.lines import LineReader, Reset
from agentview.sources.member import Folder, folder_of, is_member, log_stat
from agentview.sources.member_lines import NEWEST
from agentview.sources.open_file import read_at
from agentview.sources.open_member import newest_lines

FORM = Folder(
    marks=("ship.json", "log"),
    open=files_in_order(("log", r"note-\d+\.json"), ("", r"ship\.json")),
    changing=lambda path: (f"{path}/log", f"{path}/ship.json"),
)


@pytest.fixture
def ship(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(member, "_folder_sources", [lambda: [FORM]])
    place = tmp_path / "ship"
    (place / "log").mkdir(parents=True)
    (place / "ship.json").write_text('{"name": "Ada"}')
    return place


def note(ship: Path, number: int, text: str) -> Path:
    path = ship / "log" / f"note-{number}.json"
    path.write_text(text)
    return path


def lines(reader: LineReader) -> list[bytes]:
    return [getattr(item, "data", b"reset") for item in reader.poll().items]


def test_files_are_records_in_the_order_of_their_numbers(ship: Path):
    for number in (10, 9, 100):
        note(ship, number, f'{{"n": {number}}}')
    assert is_member(ship)
    found = lines(LineReader(ship))
    assert found == [b'{"n": 9}', b'{"n": 10}', b'{"n": 100}', b'{"name": "Ada"}']


def test_a_new_file_and_a_rewritten_one_come_at_the_end(ship: Path):
    note(ship, 1, '{"n": 1}')
    reader = LineReader(ship)
    assert lines(reader) == [b'{"n": 1}', b'{"name": "Ada"}']
    note(ship, 2, '{"n": 2}')
    (ship / "ship.json").write_text('{"name": "Bob, the second"}')
    assert lines(reader) == [b'{"n": 2}', b'{"name": "Bob, the second"}']
    assert lines(reader) == []


def test_a_file_that_is_being_written_is_waited_for(ship: Path):
    reader = LineReader(ship)
    note(ship, 1, '{"n": ')
    note(ship, 2, '{"n": 2}')
    assert lines(reader) == []
    note(ship, 1, '{"n": 1}')
    assert lines(reader) == [b'{"n": 1}', b'{"n": 2}', b'{"name": "Ada"}']


def test_a_torn_file_is_a_record_once_it_is_old(ship: Path):
    path = note(ship, 1, '{"n": ')
    os.utime(path, (time.time() - 60, time.time() - 60))
    assert lines(LineReader(ship)) == [b'{"n":', b'{"name": "Ada"}']


def test_a_file_that_is_gone_resets_what_was_read(ship: Path):
    path = note(ship, 1, '{"n": 1}')
    note(ship, 2, '{"n": 2}')
    reader = LineReader(ship)
    reader.poll()
    path.unlink()
    items = reader.poll().items
    assert isinstance(items[0], Reset)
    assert [getattr(item, "data", None) for item in items[1:]] == [b'{"n": 2}', b'{"name": "Ada"}']


def test_a_link_is_not_followed(ship: Path, tmp_path: Path):
    secret = tmp_path / "secret.json"
    secret.write_text('{"secret": 1}')
    (ship / "log" / "note-1.json").symlink_to(secret)
    assert lines(LineReader(ship)) == [b'{"name": "Ada"}']


def test_the_last_records_are_given_before_all_are_read(ship: Path):
    for number in range(50):
        note(ship, number, f'{{"n": {number}}}')
    found = newest_lines(ship, 3, 1000)
    assert found is not None
    assert [line.data for line in found] == [b'{"n": 48}', b'{"n": 49}', b'{"name": "Ada"}']
    assert found[0].offset == NEWEST
    assert read_at(ship, found[1].offset, found[1].length) == b'{"n": 49}'


def test_its_status_changes_with_each_record(ship: Path):
    before = log_stat(ship)
    time.sleep(0.02)
    note(ship, 1, '{"n": 1}')
    assert log_stat(ship) != before


def test_a_directory_without_its_marks_is_no_session(ship: Path):
    (ship / "ship.json").unlink()
    assert not is_member(ship)
    with pytest.raises(AgentViewError):
        read_at(ship, 0, 1)


def test_a_file_of_a_session_leads_to_it(ship: Path):
    assert folder_of(note(ship, 1, "{}")) == ship
    assert folder_of(ship / "log" / "gone.json") == ship
    assert folder_of(ship.parent / "other.json") is None


def test_a_value_of_many_lines_is_one_line_of_as_many_bytes():
    data = b'{\r\n "a": 1\n}'
    assert one_line(data) == b'{   "a": 1 }'
    assert len(one_line(data)) == len(data)


def test_half_a_file_that_ends_like_a_whole_one_is_waited_for(ship: Path):
    reader = LineReader(ship)
    note(ship, 1, '{"a": {"n": 1}')
    assert lines(reader) == []
    note(ship, 1, '{"a": {"n": 1}}')
    assert lines(reader) == [b'{"a": {"n": 1}}', b'{"name": "Ada"}']
