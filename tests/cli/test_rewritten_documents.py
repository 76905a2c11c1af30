"""What `events --follow` prints of a log that is one document, which its client writes again."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.session import SessionRef
from agentview.normalize.json_document import outer_members
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.reports.export.encoding import to_json_line
from agentview.reports.export.joined import JoinedLines
from agentview.reports.export.log_feed import LogFeed
from agentview.reports.export.records import RecordLines
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.cli.follower import Follower, latest
from tests.samples import Sample, all_samples

pytestmark = pytest.mark.slow

NEWEST_STATES = 12
STEP = 0.02
"""Seconds between two writes, as Cline has them."""
CLINE = sample_sessions_dir() / "cline" / "tools" / "1795399181705_nhcvg.messages.json"
PLACES = ("records", "source")


def growing(provider: Provider, data: bytes) -> list[bytes]:
    """The document with its first item, with its first two and so on."""
    assert provider.documents is not None
    spans = provider.documents.split(data) or ()
    items = [span for span in spans if outer_members(data[slice(*span)]) is None]
    return [data[:end] + data[items[-1][1] :] for _, end in items]


def is_one_list(sample: Sample) -> bool:
    if not sample.is_document or len(growing(sample.provider, sample.data)) < 2:
        return False
    pieces = [(line.data or b"").strip() for line in sample.lines()]
    return not any(piece[:1] + piece[-1:] == b"][" for piece in pieces)


DOCUMENTS = [sample for sample in all_samples() if is_one_list(sample)]


def said(line: dict[str, Any]) -> dict[str, Any]:
    """What a line says, wherever its records are."""
    return {key: value for key, value in line.items() if key not in PLACES}


class Followed:
    """A document that is followed, with all that was printed of it."""

    def __init__(self, provider: Provider, path: Path, data: bytes, *, joined: bool = True) -> None:
        self.path = path
        path.write_bytes(data)
        self.ref: SessionRef = provider.discovery.ref(path)
        self._provider, self._joined = provider, joined
        self._form = self._new_form(follow=True)
        self._feed = LogFeed(provider, self.ref, self._form)
        self.printed = [*_read(self._feed, self._form)]

    def _new_form(self, *, follow: bool) -> JoinedLines | RecordLines:
        provider = self._provider
        return JoinedLines(provider, follow=follow) if self._joined else RecordLines(provider)

    def write(self, data: bytes) -> list[dict[str, Any]]:
        """Lines that are printed when the document is written so."""
        self.path.write_bytes(data)
        lines = [*_read(self._feed, self._form)]
        self.printed += lines
        return lines

    def whole(self) -> list[dict[str, Any]]:
        """Lines of the document as it is."""
        form = self._new_form(follow=False)
        return [*_read(LogFeed(self._provider, self.ref, form), form)]


def _read(feed: LogFeed, form: JoinedLines | RecordLines) -> Iterator[dict[str, Any]]:
    for line in (*feed.poll(), *form.release()):
        yield json.loads(to_json_line(line))


def followed(sample: Sample, tmp_path: Path, data: bytes, *, joined: bool = True) -> Followed:
    return Followed(sample.provider, tmp_path / sample.path.name, data, joined=joined)


@pytest.mark.parametrize("sample", DOCUMENTS, ids=str)
def test_only_what_is_new_is_printed_of_a_document_that_grows(sample: Sample, tmp_path: Path):
    states = growing(sample.provider, sample.data)[-NEWEST_STATES:]
    log = followed(sample, tmp_path, states[0])
    for state in states:
        log.write(state)
    assert "reset" not in {line["type"] for line in log.printed}
    found = {name: said(line) for name, line in latest(log.printed).items()}
    assert found == {line["id"]: said(line) for line in log.whole()}


@pytest.mark.parametrize("sample", DOCUMENTS, ids=str)
def test_each_fact_of_a_document_that_grows_is_printed_once(sample: Sample, tmp_path: Path):
    states = growing(sample.provider, sample.data)[-NEWEST_STATES:]
    log = followed(sample, tmp_path, states[0], joined=False)
    for state in states:
        log.write(state)
    ids = [line["id"] for line in log.printed]
    assert len(ids) == len(set(ids))
    assert set(ids) == {line["id"] for line in log.whole()}


def cline_writes() -> list[bytes]:
    """The document as Cline writes it: another time in its head and, but at first, its prompt."""
    document = json.loads(CLINE.read_bytes())
    messages = document.pop("messages")
    prompt = document.pop("system_prompt")
    writes: list[bytes] = []
    for count in range(len(messages) + 1):
        head = {**document, "updated_at": f"2026-11-23T02:12:{count:02}.650Z"}
        end = {"system_prompt": prompt} if count > 1 else {}
        text = json.dumps({**head, "messages": messages[:count], **end}, indent=2)
        writes.append(f"{text}\n".encode())
    return writes


@pytest.mark.parametrize("options", [(), ("--records",)])
def test_a_session_of_cline_is_followed_without_a_reset(
    agentview: CommandLine, tmp_path: Path, options: tuple[str, ...]
):
    writes = cline_writes()
    path = tmp_path / CLINE.name
    path.write_bytes(writes[-1])
    whole = [json.loads(line) for line in agentview.ok("events", *options, str(path)).splitlines()]
    wanted = {line["id"]: said(line) for line in whole}

    def found(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        last = {line["id"]: line for line in lines} if options else latest(lines)
        return {name: said(line) for name, line in last.items()}

    path.write_bytes(writes[0])
    with Follower(agentview, str(path), *options) as follower:
        follower.take(1)
        for data in writes[1:]:
            path.write_bytes(data)
            time.sleep(STEP)
        while found(follower.seen) != wanted:
            follower.take(1)
    assert "reset" not in {line["type"] for line in follower.seen}


def changed_words(data: bytes, **keys: object) -> bytes:
    """The document of Cline with other words in its first message, or without it."""
    document = json.loads(data)
    document["messages"][0].update(keys)
    return json.dumps(document).encode()


def test_a_record_that_changes_is_printed_as_its_next_revision(tmp_path: Path):
    before = changed_words(CLINE.read_bytes(), content="Go")
    log = Followed(load_provider("cline"), tmp_path / CLINE.name, before)
    (line,) = log.write(changed_words(CLINE.read_bytes(), content="Go on"))
    assert (line["type"], line["text"], line["revision"]) == ("user", "Go on", 2)
    # Nothing in such a record says that a later version of it may count.
    facts = Followed(load_provider("cline"), tmp_path / CLINE.name, before, joined=False)
    reset, *lines = facts.write(changed_words(CLINE.read_bytes(), content="Go on"))
    assert reset["type"] == "reset"
    assert lines == facts.whole()


@pytest.mark.parametrize("joined", [True, False])
def test_a_record_that_is_gone_resets_the_log(tmp_path: Path, *, joined: bool):
    data = CLINE.read_bytes()
    log = Followed(load_provider("cline"), tmp_path / CLINE.name, data, joined=joined)
    document = json.loads(data)
    del document["messages"][2:]
    reset, *lines = log.write(json.dumps(document).encode())
    assert (reset["type"], reset["reason"]) == ("reset", "rewritten")
    assert lines == log.whole()


@pytest.mark.parametrize("joined", [True, False])
def test_records_that_move_are_not_printed_again(tmp_path: Path, *, joined: bool):
    data = CLINE.read_bytes()
    log = Followed(load_provider("cline"), tmp_path / CLINE.name, data, joined=joined)
    assert log.write(b'{"longer": true,' + data.lstrip()[1:]) == []
    # Those without ids are named by their places, so that they are others now.
    name = "demo.json"
    data = (sample_sessions_dir() / "continue_cli" / name).read_bytes()
    other = Followed(load_provider("continue_cli"), tmp_path / name, data, joined=joined)
    lines = other.write(b'{"longer": true,' + data.lstrip()[1:])
    assert [line["type"] for line in lines].count("reset") == 1
    assert lines[0]["type"] == "reset"
    assert lines[1:] == other.whole()
