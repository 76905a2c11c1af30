"""The workers that search and build, as real processes."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentview.facts.search.fts_index import SearchIndex, index_path
from agentview.facts.search.index_worker import (
    BUILDER,
    SEARCHER,
    Answer,
    Ask,
    Build,
    Message,
    in_chunks,
    numbered,
    numbers,
)
from agentview.facts.search.indexer import Progress
from agentview.facts.search.results import Account, Group, Options
from agentview.system.workers.process import Worker
from tests.claude_log import ClaudeLog, conversation, write
from tests.facts.search.searched import ref_of
from tests.facts.search.test_indexer import log_of
from tests.patience import PATIENCE, until


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))


async def closed(child: Worker) -> None:
    """End a child, and wait until its process is gone."""
    pid = child.pid
    assert pid is not None
    child.close()

    def gone() -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    await until(gone)


class Heard(list[Message]):
    """What a child said."""

    def groups(self, number: int) -> list[Group]:
        told = [each.result for each in self if isinstance(each, Answer) and each.number == number]
        return [each for each in told if isinstance(each, Group) and each.whole]

    def done(self, number: int) -> bool:
        answers = [each for each in self if isinstance(each, Answer) and each.number == number]
        return any(not isinstance(each.result, Group) and each.result.done for each in answers)


def ask(number: int, line: str, logs: list[int]) -> Ask:
    return Ask(number, line, numbers(logs), Options(per_log=3))


def test_numbers_are_packed() -> None:
    assert list(numbered(numbers([3, 0, 70_000]))) == [3, 0, 70_000]


@pytest.mark.slow
async def test_it_answers_the_newest_question(tmp_path: Path) -> None:
    refs = [log_of(tmp_path / f"{number}.jsonl", 300, number) for number in range(4)]
    heard = Heard()
    child = Worker(SEARCHER, heard.append)
    for message in in_chunks(refs):
        child.send(message)
    for number in range(1, 6):
        child.send(ask(number, "step", [0, 1, 2, 3]))
    child.send(ask(6, "echo 7", [2, 0]))
    await until(lambda: heard.done(6))
    assert [group.ref.path for group in heard.groups(6)] == [refs[2].path, refs[0].path]
    newest = max(each.number for each in heard if isinstance(each, Answer))
    assert newest == 6
    await closed(child)


async def test_logs_that_come_later_are_searched_too(tmp_path: Path) -> None:
    refs = [log_of(tmp_path / f"{number}.jsonl", 2, number) for number in range(2)]
    heard = Heard()
    child = Worker(SEARCHER, heard.append)
    child.send(next(in_chunks(refs[:1])))
    child.send(ask(1, "step", [0]))
    await until(lambda: heard.done(1))
    child.send(next(in_chunks(refs[1:])))
    child.send(ask(2, "step", [1, 0]))
    await until(lambda: heard.done(2))
    assert len(heard.groups(2)) == 2
    await closed(child)


_WAITING = """
import os, sys, time
from threading import Thread
from agentview.domain.session import SessionRef
from agentview.facts.search.index_worker import Logs
from agentview.facts.search.search_worker import serve
from agentview.system.workers.connection import Connection

(own, to), (back, answers) = os.pipe(), os.pipe()
Thread(target=serve, args=(Connection(own, answers),), daemon=True).start()
decoder = "agentview.providers.claude.claude_code.decode"
assert decoder not in sys.modules
Connection(back, to).send(Logs([SessionRef("claude_code", "one", sys.argv[1])]))
while decoder not in sys.modules:
    time.sleep(0.01)
"""


def test_it_imports_what_reads_hits_before_it_is_asked(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WAITING, str(tmp_path / "one.jsonl")]
    subprocess.run(command, check=True, timeout=PATIENCE)


@pytest.mark.slow
async def test_an_index_that_was_built_meanwhile_is_asked(tmp_path: Path) -> None:
    refs = [log_of(tmp_path / f"{number}.jsonl", 3, number) for number in range(3)]
    heard, built, ended = Heard(), Heard(), asyncio.Event()
    searcher = Worker(SEARCHER, heard.append)
    searcher.send(next(in_chunks(refs)))
    searcher.send(ask(1, "step", [0, 1, 2]))
    await until(lambda: heard.done(1))
    builder = Worker(BUILDER, built.append, ended.set)
    builder.send(next(in_chunks(refs)))
    builder.send(Build(numbers([0, 1, 2])))
    await asyncio.wait_for(ended.wait(), PATIENCE)
    last = built[-1]
    assert isinstance(last, Progress)
    assert (last.logs, last.bytes) == (3, last.all_bytes)
    index = SearchIndex.open(index_path())
    assert index is not None
    assert index.counts() == (27, 27)
    searcher.send(ask(2, "step", [0, 1, 2]))
    await until(lambda: heard.done(2))
    assert heard.groups(2) == heard.groups(1)
    accounts = [each.result for each in heard if isinstance(each, Answer) and each.number == 2]
    assert isinstance(accounts[-1], Account)
    assert accounts[-1].directly == 0
    await closed(searcher)


async def test_a_builder_ends_with_its_parent(tmp_path: Path) -> None:
    path = write(tmp_path / "long.jsonl", conversation(ClaudeLog(), 6000))
    built = Heard()
    builder = Worker(BUILDER, built.append)
    builder.send(next(in_chunks([ref_of(path)])))
    builder.send(Build(numbers([0])))
    await until(lambda: builder.pid is not None)
    await closed(builder)
