"""Several programs see the same: one of them notifies."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from agentview.notify.once import is_first


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path))
    return tmp_path / "notified"


def test_one_of_many_that_ask_at_once_is_the_first(folder: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(is_first, ["s-1 asks"] * 40)) == 1
    assert is_first("s-2 asks")
    assert not is_first("s-2 asks")
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


def test_an_occasion_that_is_dated_again_is_the_same(folder: Path) -> None:
    del folder
    with ThreadPoolExecutor(8) as threads:
        begins = [1000.9 + number * 0.02 for number in range(40)]
        assert sum(threads.map(partial(is_first, "s-1 done"), begins)) == 1
    assert not is_first("s-1 done", 1000.2)
    assert is_first("s-1 done", 1060.0)
    assert not is_first("s-1 done", 1061.0)
    assert is_first("s-2 done", 1000.9)


def test_what_is_a_day_old_is_not_kept(folder: Path) -> None:
    assert is_first("s-1 asks")
    (old,) = folder.iterdir()
    then = time.time() - 90_000
    os.utime(old, (then, then))
    assert is_first("s-2 asks")
    assert not old.exists()


def test_it_is_given_where_nothing_can_be_kept(folder: Path) -> None:
    folder.write_text("in the way")
    assert is_first("s-1 asks")
    assert is_first("s-1 asks")
