"""Files below a directory, and the ends of a file."""

import os
from pathlib import Path

import pytest

from agentview.errors import Unreadable
from agentview.sources.files import (
    END_BYTES,
    files_below,
    lines_of_tail,
    read_ends,
    read_part,
)


def names(root: Path, **more: int | frozenset[str]) -> list[str]:
    found = files_below(root, (".jsonl", ".log"), **more)  # type: ignore[arg-type]
    return sorted(str(Path(entry.path).relative_to(root)) for entry in found)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.jsonl", "b.log", "c.txt", "one/d.jsonl", "one/two/e.jsonl", "kept/f.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")
    return tmp_path


class TestFilesBelow:
    def test_all_with_these_endings(self, tree: Path):
        wanted = ["a.jsonl", "b.log", "kept/f.jsonl", "one/d.jsonl", "one/two/e.jsonl"]
        assert names(tree) == wanted

    def test_so_deep_and_not_in_these(self, tree: Path):
        assert names(tree, depth=0) == ["a.jsonl", "b.log"]
        assert names(tree, depth=1, skipped=frozenset({"kept"})) == [
            "a.jsonl",
            "b.log",
            "one/d.jsonl",
        ]

    def test_links_are_followed_once_and_loops_not_at_all(self, tree: Path):
        (tree / "one" / "up").symlink_to(tree)
        (tree / "self").symlink_to("self")
        (tree / "linked.jsonl").symlink_to(tree / "a.jsonl")
        (tree / "dangling.jsonl").symlink_to(tree / "none")
        assert "linked.jsonl" in names(tree)
        assert len(names(tree)) == 6

    def test_only_files(self, tree: Path):
        os.mkfifo(tree / "pipe.jsonl")
        (tree / "folder.jsonl").mkdir()
        (tree / "folder.jsonl" / "inside.jsonl").touch()
        assert "folder.jsonl/inside.jsonl" in names(tree)
        assert not {"pipe.jsonl", "folder.jsonl"} & {*names(tree)}

    def test_nothing_where_there_is_nothing(self, tree: Path):
        assert names(tree / "none") == names(tree / "a.jsonl") == []


class TestEnds:
    def file(self, tmp_path: Path, data: bytes) -> Path:
        path = tmp_path / "log.jsonl"
        path.write_bytes(data)
        return path

    @pytest.mark.parametrize("size", [0, 1, END_BYTES - 1, END_BYTES])
    def test_a_small_file_is_all_head(self, tmp_path: Path, size: int):
        head, tail, _ = read_ends(self.file(tmp_path, b"x" * size))
        assert (len(head), tail) == (size, b"")

    @pytest.mark.parametrize("lines", [1400, 2000, 2700, 5000])
    def test_head_and_tail_are_of_the_file_and_do_not_overlap(self, tmp_path: Path, lines: int):
        data = b"".join(b"%099d\n" % number for number in range(lines))
        head, tail, start = read_ends(self.file(tmp_path, data))
        assert data.startswith(head)
        assert head.endswith(b"\n")
        assert start >= len(head)
        assert data[start:] == tail

    @pytest.mark.parametrize("lines", [1311, 1312, 1313, 2000, 2622, 2700, 5000])
    def test_no_line_behind_the_head_is_lost(self, tmp_path: Path, lines: int):
        """1311 lines are all head; of 1312 only the last one is the tail."""
        data = b"".join(b"%099d\n" % number for number in range(lines))
        head, tail, start = read_ends(self.file(tmp_path, data))
        whole, begin = lines_of_tail(head, tail, start)
        assert data[begin:] == whole
        assert data[:begin].endswith(b"\n")
        assert len(head) + len(whole) >= min(len(data), 2 * END_BYTES - 200)

    def test_the_head_goes_on_to_the_end_of_its_line(self, tmp_path: Path):
        picture = b'{"picture":"' + b"x" * 1_500_000 + b'"}\n'
        data = picture + b'{"text":"next"}\n' * 20_000
        head, tail, start = read_ends(self.file(tmp_path, data))
        assert head == picture
        assert data[start:] == tail

    def test_not_to_one_that_is_too_far(self, tmp_path: Path):
        data = b"x" * 10_000_000 + b"\n{}\n"
        head, tail, start = read_ends(self.file(tmp_path, data))
        assert len(head) == len(tail) == END_BYTES
        assert start == len(data) - END_BYTES

    def test_what_is_gone_holds_nothing_and_what_cannot_be_read_says_so(self, tmp_path: Path):
        assert read_ends(tmp_path / "none") == (b"", b"", END_BYTES)
        with pytest.raises(Unreadable, match="not a regular file"):
            read_ends(tmp_path)
        assert read_part(tmp_path / "none", 0, 10) == b""
        assert read_part(self.file(tmp_path, b"0123456789"), 4, 3) == b"456"
