"""Sessions that begin, change and go away in a database while the library watches."""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

import pytest

from agentview.domain.session import SessionInfo
from agentview.sessions.library.scan.watcher import PAUSE, SessionWatch
from agentview.sessions.library.search_roots import SearchRoots
from agentview.system.paths import sample_sessions_dir
from tests.patience import PATIENCE
from tests.providers.opencode.store import SESSION, Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "data" / "opencode.db")
    made.conversation()
    yield made
    made.close()


class Library:
    """What a watch has told, and watches until it is left."""

    def __init__(
        self,
        root: Path,
        provider: str = "opencode",
        since: float | None = None,
        known: Iterable[Path] = (),
    ) -> None:
        self.told: dict[str, list[SessionInfo]] = {}
        self.gone: list[str] = []
        self._since = time.time() if since is None else since
        self._known = [str(path) for path in known]
        self._watch = SessionWatch(SearchRoots(fixed=[(provider, root)]), self._take)

    def _take(self, infos: Sequence[SessionInfo], gone: Sequence[str]) -> None:
        for info in infos:
            self.told.setdefault(info.ref.session_id, []).append(info)
        self.gone += gone

    def __enter__(self) -> Self:
        self._watch.start(self._since, self._known)
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.close()

    def until(self, condition: Callable[[], bool], write: Callable[[], None]) -> None:
        """Write, again and again since nothing says when the watch began, until it is told."""
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until
            write()
            time.sleep(0.2)


def touch(store: Store, session: str, title: str) -> None:
    store.now += 5
    store.run(
        "UPDATE session SET title = ?, time_updated = ? WHERE id = ?", title, store.now, session
    )


def test_a_session_that_begins_or_changes_is_told_and_no_other(store: Store) -> None:
    store.session("ses_quiet", title="Nobody writes to it")
    with Library(store.path.parent) as library:
        library.until(
            lambda: any(info.title == "New" for info in library.told.get(SESSION, ())),
            lambda: touch(store, SESSION, "New"),
        )
        store.session("ses_late", title="Begun later")
        library.until(
            lambda: "ses_late" in library.told, lambda: touch(store, "ses_late", "Begun later")
        )
        assert library.told["ses_late"][-1].title == "Begun later"
        assert set(library.told) == {SESSION, "ses_late"}
        store.run("DELETE FROM session WHERE id = 'ses_late'")
        library.until(
            lambda: str(store.log("ses_late")) in library.gone,
            lambda: touch(store, SESSION, "More"),
        )
        assert library.gone == [str(store.log("ses_late"))]


def test_a_database_that_comes_or_goes_is_told_with_its_sessions(
    store: Store, tmp_path: Path
) -> None:
    with Library(store.path.parent) as library:
        library.until(lambda: SESSION in library.told, lambda: touch(store, SESSION, "New"))
        other = Store(store.path.with_name("opencode-next.db"))
        other.session("ses_next")
        library.until(lambda: "ses_next" in library.told, lambda: touch(other, "ses_next", "Next"))
        other.close()
        other.path.unlink()
        library.until(lambda: str(other.log("ses_next")) in library.gone, lambda: None)


def test_logs_that_went_before_the_watch_began_are_told(store: Store, tmp_path: Path) -> None:
    root = store.path.parent
    known = [store.log(SESSION), store.log("ses_gone"), root / "opencode-gone.db" / "ses_old"]
    with Library(root, since=time.time() + 100, known=known) as library:
        library.until(lambda: len(library.gone) == 2, lambda: None)
    assert set(library.gone) == set(map(str, known[1:]))
    assert not library.told
    log, gone = tmp_path / "repo" / "one.jsonl", tmp_path / "repo" / "two.jsonl"
    log.parent.mkdir()
    sample = sample_sessions_dir() / "claude_code" / "progress.jsonl"
    log.write_bytes(sample.read_bytes())
    with Library(tmp_path, "claude_code", time.time() + 100, known=[log, gone]) as library:
        library.until(lambda: bool(library.gone), lambda: None)
    assert library.gone == [str(gone)]
    assert not library.told


def test_a_file_that_no_scan_lists_is_no_session_when_it_is_written(tmp_path: Path) -> None:
    project = tmp_path / "tmp" / "shop"
    log, prompts = (
        project / "chats" / "session-2026-11-26T07-42-17a7fb7f.jsonl",
        project / "logs.json",
    )
    log.parent.mkdir(parents=True)
    records = next((sample_sessions_dir() / "gemini_cli").rglob("*.jsonl")).read_text()
    prompt = {
        "sessionId": "17a7fb7f-0000-4000-8000-000000000000", "messageId": 0, "type": "user",
        "message": "Please.", "timestamp": "2026-11-26T07:42:48.882Z",
    }  # fmt: skip
    with Library(tmp_path / "tmp", "gemini_cli") as library:

        def write() -> None:
            prompts.write_text(json.dumps([prompt]))
            log.write_text(records)

        library.until(lambda: len(library.told) > 0, write)
        for _ in range(3):
            write()
            time.sleep(2 * PAUSE)
    paths = {info.ref.path for infos in library.told.values() for info in infos}
    assert paths == {str(log)}


def test_a_log_that_was_written_before_the_watch_was_in_place_is_told(tmp_path: Path) -> None:
    sample = (sample_sessions_dir() / "claude_code" / "progress.jsonl").read_bytes()
    logs = [tmp_path / "-home-dev-ws-shop" / f"{name}.jsonl" for name in ("old", "new")]
    logs[0].parent.mkdir()
    for log, written in zip(logs, (100.0, 200.0), strict=True):
        log.write_bytes(sample)
        os.utime(log, (written, written))
    with Library(tmp_path, "claude_code", since=200.0) as library:
        library.until(lambda: len(library.told) > 0, lambda: None)
        time.sleep(2 * PAUSE)
    told = [info.ref.path for infos in library.told.values() for info in infos]
    assert told == [str(logs[1])]


def test_a_session_of_a_database_that_was_written_before_the_watch_is_told(store: Store) -> None:
    store.session("ses_late", title="Begun later")
    touch(store, "ses_late", "Begun later")
    with Library(store.path.parent, since=store.now / 1000 + 2) as library:
        library.until(lambda: len(library.told) > 0, lambda: None)
        time.sleep(2 * PAUSE)
    assert {name: len(infos) for name, infos in library.told.items()} == {"ses_late": 1}
