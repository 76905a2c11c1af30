"""The index of the search is made by the scan of the library, and kept up to date beside it."""

from pathlib import Path

import pytest

from agentview.facts.search.fts_index import SearchIndex, index_path
from agentview.facts.search.indexer import build_index
from agentview.providers import load_provider
from agentview.ui.screens import index_updater
from agentview.ui.screens.library.screen import LibraryScreen
from tests.claude_log import ClaudeLog, conversation, write
from tests.ui.app_under_test import until
from tests.ui.screens.homes import library_over


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(index_updater, "SOON", 0.05)


def log(root: Path, number: int) -> Path:
    made = ClaudeLog(f"{number:08}-0000-4000-8000-000000000001")
    path = root / "claude_code" / "-home-dev-shop" / f"{made.session}.jsonl"
    return write(path, conversation(made, 3))


def indexed() -> set[str]:
    index = SearchIndex.open(index_path())
    if index is None:
        return set()
    try:
        return set(index.logs())
    finally:
        index.close()


@pytest.mark.slow
async def test_what_came_since_the_last_search_is_indexed(tmp_path: Path) -> None:
    before = log(tmp_path, 1)
    ref = load_provider("claude_code").discovery.ref(before)
    assert list(build_index(index_path(), [ref]))
    since = log(tmp_path, 2)
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: indexed() == {str(before), str(since)})


@pytest.mark.slow
async def test_the_scan_of_the_library_makes_the_index(tmp_path: Path) -> None:
    path = log(tmp_path, 1)
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: indexed() == {str(path)})


@pytest.mark.slow
async def test_nothing_is_begun_when_the_library_is_left(tmp_path: Path) -> None:
    ref = load_provider("claude_code").discovery.ref(log(tmp_path, 1))
    assert list(build_index(index_path(), [ref]))
    app = library_over(tmp_path, "claude_code")
    async with app.run_test(size=(100, 30)) as pilot:
        library = app.screen
        assert isinstance(library, LibraryScreen)
        await until(pilot, lambda: library.feed._task is not None and library.feed._task.done())  # pyright: ignore[reportPrivateUsage]
        library.feed.close()
        keeper = index_updater.IndexUpdater(library.feed, lambda: 0.0)
        keeper._wake()  # pyright: ignore[reportPrivateUsage]
        assert not keeper._busy  # pyright: ignore[reportPrivateUsage]
