"""Where many paths lead is as the system says, whatever is there, and asked of few folders."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.sources.files import FolderLook

NAMES = ("a", "b", "B", "c d", "é", "..", ".config")
WAYS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)


@settings(deadline=None)
@given(
    made=st.lists(st.tuples(WAYS, st.sampled_from(("folder", "file", "link")), WAYS), max_size=12),
    asked=st.lists(WAYS, min_size=1, max_size=30),
)
def test_real_paths_are_those_of_the_system(
    made: list[tuple[str, str, str]],
    asked: list[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("home") / "1" / "2" / "3" / "4"
    home.mkdir(parents=True)
    for way, kind, target in made:
        place = home / way
        try:
            if kind == "folder":
                place.mkdir(parents=True)
            elif kind == "file":
                place.touch()
            else:
                place.symlink_to(home / target)
        except OSError:
            continue
    look = FolderLook()
    for way in asked:
        path = home / way
        assert look.real(path) == os.path.realpath(path)
        if look.is_absent(path):
            assert not path.exists()


def test_a_folder_that_cannot_be_listed_is_asked_for_each_name(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    names = [f"client-{number}" for number in range(8)]
    for name in names[::2]:
        (closed / name).mkdir(parents=True)
    closed.chmod(0o300)
    try:
        look = FolderLook()
        there = [name for name in names if not look.is_absent(closed / name)]
    finally:
        closed.chmod(0o700)
    assert there == names[::2]


def test_names_are_read_once_where_many_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    real = os.lstat

    def counted(path: str) -> os.stat_result:
        calls.append(path)
        return real(path)

    monkeypatch.setattr(os, "lstat", counted)
    look = FolderLook()
    for number in range(200):
        assert look.is_absent(tmp_path / f"client-{number}" / "sessions" / "now")
    # Those of the folders above, and the first few in it.
    assert len(calls) < len(tmp_path.parts) + 5
