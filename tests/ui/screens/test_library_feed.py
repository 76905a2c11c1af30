"""What the library hears of while it is open."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from agentview.sessions.library.scan.watcher import SessionWatch
from agentview.sessions.library.scan.workers import index_in_worker, scan_in_worker
from agentview.sessions.library.search_roots import ScanBatch, SearchRoots, Take
from agentview.sessions.library.session_list import Listing
from agentview.system.paths import sample_sessions_dir
from agentview.ui.screens.home import feed as home_feed
from agentview.ui.screens.home.feed import LibraryFeed, LibrarySources
from tests.patience import until
from tests.sessions.library.listed import facts
from tests.ui.screens.homes import moved_to

NAME = "claude_code"


def recorded(records: int) -> str:
    lines = (sample_sessions_dir() / NAME / "progress.jsonl").read_text().splitlines(keepends=True)
    return "".join(moved_to(lines[:records], time.time()))


@pytest.mark.slow
async def test_hears_of_logs_that_begin_grow_and_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_feed, "AGAIN", 0.2)
    folder = tmp_path / NAME / "-home-dev-ws-shop"
    folder.mkdir(parents=True)
    first, second = folder / "one.jsonl", folder / "two.jsonl"
    first.write_text(recorded(2))
    places = SearchRoots(fixed=[(NAME, tmp_path / NAME)])
    sources = LibrarySources(
        lambda stopped: scan_in_worker(places, stopped),
        lambda stopped: index_in_worker(places, stopped),
        watch=lambda take: SessionWatch(places, take),
    )
    listing = Listing()
    feed = LibraryFeed(sources, listing)
    feed.look()

    def calls(path: Path) -> int | None:
        known = listing.get(str(path))
        return known.totals and sum(known.totals.calls.values()) if known else None

    try:
        await until(lambda: calls(first) == 1)
        assert len(listing) == 1
        # A way round to the same logs, which are not told again by it.
        (folder.parent / "round").symlink_to(folder)
        second.write_text(recorded(1))
        await until(lambda: listing.get(str(second)) is not None)
        assert listing.paths() == {str(first), str(second)}
        second.write_text(recorded(2))
        # It is indexed anew, which nobody has asked for.
        await until(lambda: calls(second) == 1)
        assert not feed.progress.scanning
        second.unlink()
        await until(lambda: listing.get(str(second)) is None)
        assert listing.get(str(first)) is not None
    finally:
        feed.close()


async def test_tells_how_far_it_has_come() -> None:
    def scan(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield ScanBatch((), 2)
        yield ScanBatch((facts("one"),), 2, 1)
        yield ScanBatch((facts("two"),), 2, 2, done=True)

    def index(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield ScanBatch((facts("one"),), 2, 1)
        yield ScanBatch((facts("two"),), 2, 2, done=True)

    feed = LibraryFeed(LibrarySources(scan, index), Listing())
    told: list[tuple[bool, int, bool, int]] = []

    def changed() -> None:
        progress = feed.progress
        told.append((progress.scanning, progress.checked, progress.indexing, progress.indexed))

    feed.subscribe(changed)
    feed.look()
    await until(lambda: len(told) > 5)
    assert told == [
        (True, 0, False, 0),
        (True, 1, False, 0),
        (False, 2, False, 0),
        (False, 2, True, 1),
        (False, 2, False, 2),
        (False, 2, False, 0),
    ]
    told.clear()
    feed.look(quietly=True)
    await until(lambda: len(told) > 4)
    assert not any(scanning or indexing for scanning, _, indexing, _ in told)


async def test_what_a_scan_does_not_find_is_gone() -> None:
    def scan(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield ScanBatch((facts("there"),), 1)
        yield ScanBatch((), 1, 1, done=True)

    feed = LibraryFeed(LibrarySources(scan, first=lambda: [facts("moved")]), Listing())
    feed.begin()
    feed.look()
    await until(lambda: not feed.progress.scanning)
    assert feed.listing.paths() == {facts("there").info.ref.path}


async def test_a_log_that_goes_while_it_is_indexed_is_not_listed_again() -> None:
    watches: list[_Told] = []

    def watch(take: Take) -> _Told:
        watches.append(_Told(take))
        return watches[-1]

    def scan(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield ScanBatch((facts("there"), facts("gone")), 2, 2, done=True)

    def index(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        watches[0].take((), [facts("gone").info.ref.path])
        yield ScanBatch((facts("there"), facts("gone")), 2, 2, done=True)

    feed = LibraryFeed(LibrarySources(scan, index, watch=watch), Listing())
    feed.look()
    await until(lambda: feed.progress.checked == 2 and not feed.progress.indexing)
    await asyncio.sleep(0.1)
    assert feed.listing.paths() == {facts("there").info.ref.path}
    assert watches[0].known == {facts("there").info.ref.path, facts("gone").info.ref.path}
    feed.close()


async def test_stops_when_it_is_told_to() -> None:
    going = asyncio.Event()
    loop = asyncio.get_running_loop()

    def scan(stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        while not stopped():
            loop.call_soon_threadsafe(going.set)
            time.sleep(0.01)
            yield ScanBatch((facts("one"),), 1, 1)

    feed = LibraryFeed(LibrarySources(scan), Listing())
    feed.look()
    await going.wait()
    feed.close()
    heard = len(feed.listing)
    await asyncio.sleep(0.1)
    assert len(feed.listing) == heard


class _Told:
    """A watch that reports what a test says."""

    def __init__(self, take: Take) -> None:
        self.take = take
        self.known: set[str] = set()

    def start(self, since: float, known: Iterable[str]) -> None:
        assert since <= time.time()
        self.known = set(known)

    def close(self) -> None:
        pass


async def test_a_log_that_is_written_while_others_are_indexed_is_indexed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(home_feed, "AGAIN", 0.05)
    loop, going, on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    rounds: list[int] = []

    def index(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        rounds.append(len(rounds))
        loop.call_soon_threadsafe(going.set)
        on.wait()
        yield ScanBatch((facts("one"),), 1, 1, done=True)

    watches: list[_Told] = []

    def watch(take: Take) -> _Told:
        watches.append(_Told(take))
        return watches[-1]

    def scan(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield ScanBatch((facts("one"),), 1, 1, done=True)

    feed = LibraryFeed(LibrarySources(scan, index, watch=watch), Listing())
    feed.look()
    await going.wait()
    watches[0].take([facts("one").info], ())
    await asyncio.sleep(0.1)
    assert rounds == [0]
    on.set()
    await until(lambda: rounds == [0, 1])
    await asyncio.sleep(0.2)
    assert rounds == [0, 1]
    feed.close()
