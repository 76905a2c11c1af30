import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentview.errors import NotFound, Unreadable
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LineReader, Reset, is_json
from agentview.sources.open_file import read_at
from agentview.sources.resume_point import ResetReason
from tests.sources.watch import writer


def drain(reader: LineReader, max_bytes: int = 1024 * 1024) -> list[bytes | ResetReason | None]:
    """Poll to the end; lines as their data, resets as their reason."""
    found: list[bytes | ResetReason | None] = []
    while True:
        chunk = reader.poll(max_bytes)
        found += [item.reason if isinstance(item, Reset) else item.data for item in chunk.items]
        if not chunk.more:
            return found


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


class TestGrowth:
    def test_a_half_written_line_is_given_once_when_whole(self, path: Path) -> None:
        whole = '{"text":"日本語✅"}\n'.encode()
        reader = LineReader(path)
        found: list[object] = []
        for cut in range(len(whole)):
            append(path, whole[cut : cut + 1])
            found += drain(reader)
            assert reader.account.total == cut + 1

        assert found == [whole[:-1]]

    def test_reading_is_cut_into_pieces_and_says_when_more_waits(self, path: Path) -> None:
        path.write_bytes(b"".join(line + b"\n" for line in writer.records(200)))
        reader = LineReader(path)

        first = reader.poll(4096)

        assert first.more
        assert reader.position == 4096
        rest = drain(reader, 4096)
        assert [item.data for item in first.items if isinstance(item, Line)] + rest == list(
            writer.records(200)
        )

    def test_two_appends_within_one_step_of_the_clock_are_both_seen(self, path: Path) -> None:
        reader = LineReader(path)
        stamp = time.time_ns()
        for number in range(5):
            append(path, b"%d\n" % number)
            os.utime(path, ns=(stamp, stamp))
            assert drain(reader) == [b"%d" % number]

    def test_invalid_bytes_and_nul_do_not_end_the_session(self, path: Path) -> None:
        path.write_bytes(b"\xef\xbb\xbfok\r\n\xff\xfe bad\r\n\r\n\0\0\0{}\r\nlast\r\n")
        reader = LineReader(path)

        assert drain(reader) == [b"ok", b"\xff\xfe bad", b"\0\0\0{}", b"last"]
        account = reader.account
        assert (account.bom, account.blanks, account.terminators) == (3, 2, 8)
        assert account.total == path.stat().st_size

    def test_a_process_that_writes_at_the_same_time_loses_nothing(self, path: Path) -> None:
        count = 400
        command = [sys.executable, writer.__file__, str(path), str(count), "0.0003"]
        reader = LineReader(path)
        found: list[object] = []
        rounds = 0
        with subprocess.Popen(command) as process:
            while process.poll() is None:
                found += drain(reader, 10_000)
                rounds += 1
            assert process.returncode == 0
        found += drain(reader)

        assert found == list(writer.records(count))
        assert rounds > 10
        assert reader.account.total == path.stat().st_size

    @pytest.mark.parametrize("size", [1_000_000, 10_000_000, 30_000_000])
    def test_long_lines_arrive_whole_or_as_stubs_and_their_neighbours_intact(
        self, path: Path, size: int
    ) -> None:
        big = b'{"data":"' + b"A" * size + b'"}'
        path.write_bytes(b"before\n" + big + b"\nafter\n")
        reader = LineReader(path)
        lines: list[Line] = []
        while (chunk := reader.poll()).more or chunk.items:
            lines += [item for item in chunk.items if isinstance(item, Line)]

        assert [line.data for line in (lines[0], lines[2])] == [b"before", b"after"]
        assert lines[1].oversize == (size > 16 * 1024 * 1024)
        assert read_at(path, lines[1].offset, lines[1].length) == big


class TestLastLineWithoutNewline:
    def test_is_given_on_request_and_not_again_when_the_newline_comes(self, path: Path) -> None:
        path.write_bytes(b'{"a":1}\n{"b":2}')
        reader = LineReader(path)
        assert drain(reader) == [b'{"a":1}']

        assert reader.finish() == [Line(8, 7, b'{"b":2}', terminated=False)]
        append(path, b'\n{"c":3}\n')
        assert drain(reader) == [b'{"c":3}']

    def test_is_replaced_when_more_text_comes_on_it(self, path: Path) -> None:
        path.write_bytes(b'{"a":1}')
        reader = LineReader(path)
        drain(reader)
        reader.finish()

        append(path, b'{"glued":2}\n')

        assert reader.poll().items == [Line(0, 18, b'{"a":1}{"glued":2}', replaces=True)]

    def test_is_held_while_torn_unless_asked_for_as_torn(self, path: Path) -> None:
        path.write_bytes('{"a":"日'.encode()[:-1])
        reader = LineReader(path)
        drain(reader)

        assert reader.finish() == []
        assert reader.account.pending == 8
        assert [line.data for line in reader.finish_torn()] == [b'{"a":"\xe6\x97']

    @pytest.mark.parametrize(
        ("data", "whole"),
        [
            (b'{"a":1}', True),
            (b'[1, {"b":2}] ', True),
            (rb'{"lone":"\ud83d"}', True),
            (b'{"bad":"\xff"}', True),
            (b'{"a":{}', False),
            (b"12", False),
            (b"true", False),
            (b'{"a":1}{"b":2}', False),
            (b"", False),
            (b"[" * 100_000 + b"]" * 100_000, False),
        ],
    )
    def test_whole_json_is_an_object_or_an_array(self, data: bytes, whole: bool) -> None:
        assert is_json(data) is whole


class TestReset:
    def test_truncation_starts_over(self, path: Path) -> None:
        path.write_bytes(b"one\ntwo\nthree\n")
        reader = LineReader(path)
        drain(reader)

        os.truncate(path, 4)

        assert drain(reader) == [ResetReason.TRUNCATED, b"one"]
        append(path, b"deux\n")
        assert drain(reader) == [b"deux"]

    def test_truncation_to_nothing_starts_over(self, path: Path) -> None:
        path.write_bytes(b"one\ntw")
        reader = LineReader(path)
        drain(reader)

        path.write_bytes(b"")
        assert drain(reader) == [ResetReason.TRUNCATED]
        append(path, b"new\n")
        assert drain(reader) == [b"new"]

    @pytest.mark.parametrize("content", [b"uno\ndos\n", b"uno\n", b"one\ntwo\nthree\n"])
    def test_replacement_by_rename_starts_over(self, path: Path, content: bytes) -> None:
        path.write_bytes(b"one\ntwo\n")
        reader = LineReader(path)
        drain(reader)

        fresh = path.with_suffix(".new")
        fresh.write_bytes(content)
        fresh.rename(path)

        assert drain(reader) == [ResetReason.REPLACED, *content.split(b"\n")[:-1]]

    def test_deletion_keeps_what_was_read_until_the_file_is_made_again(self, path: Path) -> None:
        path.write_bytes(b"one\n")
        reader = LineReader(path)
        drain(reader)

        path.unlink()
        assert reader.poll().missing
        assert reader.poll().items == []
        path.write_bytes(b"one\ntwo\n")

        assert drain(reader) == [ResetReason.RECREATED, b"one", b"two"]

    def test_deletion_and_re_creation_between_two_polls(self, path: Path) -> None:
        path.write_bytes(b"one\n")
        reader = LineReader(path)
        drain(reader)

        path.unlink()
        path.write_bytes(b"uno\ndos\n")

        reset, *lines = drain(reader)
        # The file system may give the same inode out again.
        assert reset in {ResetReason.REPLACED, ResetReason.REWRITTEN}
        assert lines == [b"uno", b"dos"]

    def test_a_rewrite_of_the_same_size_and_time_starts_over(self, path: Path) -> None:
        path.write_bytes(b"one\ntwo\n")
        before = path.stat()
        reader = LineReader(path)
        drain(reader)

        with path.open("r+b") as file:
            file.write(b"one\nsix\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

        assert drain(reader) == [ResetReason.REWRITTEN, b"one", b"six"]

    @pytest.mark.parametrize("at", [0, 9_000, 9_990])
    def test_a_rewrite_that_grows_starts_over(self, path: Path, at: int) -> None:
        lines = [b"%09d" % number for number in range(1000)]
        path.write_bytes(b"\n".join(lines) + b"\n")
        reader = LineReader(path)
        drain(reader)

        lines[at // 10] = b"another line"
        path.write_bytes(b"\n".join(lines) + b"\n" + b"more\n" * 10)

        assert drain(reader) == [ResetReason.REWRITTEN, *lines, *[b"more"] * 10]

    def test_a_time_that_goes_backwards_is_no_reset(self, path: Path) -> None:
        path.write_bytes(b"one\n")
        reader = LineReader(path)
        drain(reader)

        append(path, b"two\n")
        os.utime(path, (1, 1))

        assert drain(reader) == [b"two"]

    def test_a_line_given_without_newline_is_forgotten_with_the_rest(self, path: Path) -> None:
        path.write_bytes(b'{"a":1}')
        reader = LineReader(path)
        drain(reader)
        reader.finish()

        path.write_bytes(b'{"b":1}\n')

        assert drain(reader) == [ResetReason.REWRITTEN, b'{"b":1}']

    def test_a_file_that_was_empty_until_it_was_replaced_has_nothing_to_reset(
        self, path: Path
    ) -> None:
        reader = LineReader(path)
        assert reader.poll().missing
        path.write_bytes(b"")
        assert drain(reader) == []
        path.unlink()
        path.write_bytes(b"one\n")

        assert drain(reader) == [b"one"]

    def test_rewriting_while_it_is_read_ends_with_the_last_version_alone(self, path: Path) -> None:
        script = (
            "import sys, pathlib\n"
            "path = pathlib.Path(sys.argv[1])\n"
            "for version in range(150):\n"
            "    with path.open('wb', buffering=0) as file:\n"
            "        for number in range(30):\n"
            '            file.write(b\'{"v":%d,"n":%d}\\n\' % (version, number))\n'
        )
        reader = LineReader(path)
        shown: list[bytes] = []
        with subprocess.Popen([sys.executable, "-c", script, str(path)]) as process:
            running = True
            while running:
                running = process.poll() is None
                for item in drain(reader):
                    if isinstance(item, ResetReason):
                        shown.clear()
                    else:
                        assert item is not None
                        shown.append(item)

        last = [json.loads(line) for line in shown]
        assert last == [{"v": 149, "n": number} for number in range(30)]


class TestRefusal:
    def test_a_named_pipe_is_refused_and_not_waited_for(self, path: Path) -> None:
        os.mkfifo(path)
        with pytest.raises(Unreadable, match="not a regular file"):
            LineReader(path).poll()

    def test_a_directory_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(Unreadable, match="not a regular file"):
            LineReader(tmp_path).poll()

    def test_a_path_through_a_file_is_missing(self, path: Path) -> None:
        path.write_bytes(b"")
        assert LineReader(path / "below").poll().missing

    def test_a_path_that_cannot_be_opened_is_refused(self, tmp_path: Path) -> None:
        link = tmp_path / "loop"
        link.symlink_to(link)
        with pytest.raises(Unreadable, match="Cannot read"):
            LineReader(link).poll()


class TestReadAt:
    def test_gives_the_bytes_of_a_record(self, path: Path) -> None:
        path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\0\r\n")
        for item in LineReader(path).poll().items:
            assert isinstance(item, Line)
            assert read_at(path, item.offset, item.length) == item.data

    def test_says_so_when_the_bytes_are_gone(self, path: Path) -> None:
        with pytest.raises(NotFound):
            read_at(path, 0, 1)
        path.write_bytes(b"short")
        with pytest.raises(Unreadable, match="ends before byte 9"):
            read_at(path, 3, 6)


def test_a_file_is_never_opened_for_writing_or_left_open(path: Path) -> None:
    path.write_bytes(b"one\n")
    path.chmod(0o400)
    before = path.stat()
    reader = LineReader(path)
    open_before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(100):
        reader.poll()
    after = path.stat()

    assert len(list(Path("/dev/fd").iterdir())) == open_before
    assert (after.st_mtime_ns, after.st_ctime_ns, after.st_size) == (
        before.st_mtime_ns,
        before.st_ctime_ns,
        before.st_size,
    )
