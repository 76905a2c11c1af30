"""Several programs see the same: one of them notifies."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
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
