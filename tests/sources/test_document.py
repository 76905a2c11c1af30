import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentview.sources.document import DocumentReader


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.json"


def poll_value(reader: DocumentReader[object]) -> object:
    document = reader.poll().document
    return None if document is None else document.value


def age(path: Path) -> None:
    """Make a file look old enough that its time stamp is trusted."""
    old = time.time() - 3600
    os.utime(path, (old, old))


def test_each_content_is_given_once(path: Path) -> None:
    reader = DocumentReader(path, json.loads)
    assert reader.poll().missing

    path.write_text("[1]")
    poll = reader.poll()
    assert poll.document is not None
    assert (poll.document.data, poll.document.value) == (b"[1]", [1])
    assert reader.poll().document is None

    path.write_text("[1, 2]")
    assert poll_value(reader) == [1, 2]


def test_a_rewrite_of_the_same_size_and_time_is_noticed(path: Path) -> None:
    reader = DocumentReader(path, json.loads)
    path.write_text("[1]")
    age(path)
    reader.poll()

    path.write_text("[2]")
    age(path)

    assert poll_value(reader) == [2]


def test_a_rewrite_by_rename_is_noticed(path: Path) -> None:
    reader = DocumentReader(path, json.loads)
    path.write_text("[1]")
    reader.poll()

    fresh = path.with_suffix(".tmp")
    fresh.write_text("[2]")
    fresh.rename(path)

    assert poll_value(reader) == [2]


def test_a_change_of_time_alone_gives_nothing(path: Path) -> None:
    reader = DocumentReader(path, json.loads)
    path.write_text("[1]")
    reader.poll()

    age(path)

    assert reader.poll().document is None


def test_a_half_written_document_is_held_until_it_is_whole(path: Path) -> None:
    reader = DocumentReader(path, json.loads, settle=60)
    path.write_text('{"a": [1')

    assert reader.poll().unsettled
    assert reader.poll().unsettled
    path.write_text('{"a": [1]}')
    assert poll_value(reader) == {"a": [1]}


def test_an_unreadable_document_is_given_with_its_reason_once_it_has_settled(path: Path) -> None:
    reader = DocumentReader(path, json.loads, settle=0.05)
    path.write_bytes(b"{broken \xff")
    assert reader.poll().unsettled
    time.sleep(0.06)

    document = reader.poll().document

    assert document is not None
    assert (document.data, document.value) == (b"{broken \xff", None)
    assert document.error
    assert reader.poll().document is None
    assert not reader.poll().unsettled


def test_growing_restarts_the_wait_for_a_half_written_document(path: Path) -> None:
    reader = DocumentReader(path, json.loads, settle=0.05)
    for length in range(1, 5):
        path.write_text("[" * length)
        assert reader.poll().unsettled
        time.sleep(0.03)


def test_a_document_that_came_back_is_given_again(path: Path) -> None:
    reader = DocumentReader(path, json.loads)
    path.write_text("[1]")
    reader.poll()
    path.unlink()

    assert reader.poll().missing
    path.write_text("[1]")
    assert poll_value(reader) == [1]


def test_a_writer_at_work_never_shows_half_a_document(path: Path) -> None:
    script = (
        "import sys, json, time, pathlib\n"
        "for n in range(60):\n"
        "    text = json.dumps({'n': n, 'items': ['日本'] * 3000}, ensure_ascii=False).encode()\n"
        "    with pathlib.Path(sys.argv[1]).open('wb', buffering=0) as file:\n"
        "        for start in range(0, len(text), 4096):\n"
        "            file.write(text[start:start + 4096])\n"
        "    time.sleep(0.001)\n"
    )
    reader = DocumentReader(path, json.loads, settle=60)
    seen: list[int] = []
    with subprocess.Popen([sys.executable, "-c", script, str(path)]) as process:
        running = True
        while running:
            running = process.poll() is None
            document = reader.poll().document
            if document is not None:
                value = json.loads(document.data)
                assert len(value["items"]) == 3000
                seen.append(value["n"])

    assert seen[-1] == 59
    assert seen == sorted(set(seen))
