import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.sources.line_splitter import KEPT_OF_STUB, Line, LineSplitter
from tests.sources.bytes_strategy import file_bytes


def split(*pieces: bytes, limit: int = 1000) -> list[Line]:
    splitter = LineSplitter(limit=limit)
    return [line for piece in pieces for line in splitter.feed(piece)]


def data_of(lines: list[Line]) -> list[bytes | None]:
    return [line.data for line in lines]


def test_offsets_and_lengths_are_those_of_the_record_alone() -> None:
    content = b"\xef\xbb\xbfone\r\n\n  \t\r\ntwo\0\n three \nfour"

    lines = split(content)

    assert data_of(lines) == [b"one", b"two\0", b" three "]
    for line in lines:
        assert content[line.offset : line.offset + line.length] == line.data


def test_a_carriage_return_inside_a_line_belongs_to_the_record() -> None:
    assert data_of(split(b"a\rb\r\r\n")) == [b"a\rb\r"]


def test_a_byte_order_mark_counts_only_at_the_start_of_the_file() -> None:
    bom = b"\xef\xbb\xbf"

    assert data_of(split(bom + b"a\n" + bom + b"b\n")) == [b"a", bom + b"b"]
    assert LineSplitter(start=10).feed(bom + b"a\n")[0].data == bom + b"a"


def test_a_byte_order_mark_alone_is_no_record() -> None:
    splitter = LineSplitter()

    assert splitter.feed(b"\xef\xbb\xbf\n") == []
    assert (splitter.account.bom, splitter.account.blanks) == (3, 1)


@pytest.mark.slow
@given(file_bytes, st.lists(st.integers(0, 3000), max_size=30))
def test_no_cut_changes_the_lines_or_the_account(content: bytes, places: list[int]) -> None:
    cuts = sorted({0, len(content), *(place % (len(content) + 1) for place in places)})
    whole, cut = LineSplitter(), LineSplitter()
    expected = whole.feed(content)

    found = [
        line for start, stop in itertools.pairwise(cuts) for line in cut.feed(content[start:stop])
    ]

    assert found == expected
    assert cut.account == whole.account
    assert cut.account.total == len(content)


@given(file_bytes)
def test_lines_are_what_stands_between_newlines(content: bytes) -> None:
    splitter = LineSplitter()
    lines = splitter.feed(content)
    body = content[3:] if content.startswith(b"\xef\xbb\xbf") else content
    physical = [part.removesuffix(b"\r") for part in body.split(b"\n")[:-1]]

    assert data_of(lines) == [part for part in physical if part.strip(b" \t\r")]
    assert splitter.account.records == sum(line.length for line in lines)
    assert splitter.account.pending == len(content) - (content.rfind(b"\n") + 1)


class TestUnterminatedLastLine:
    def test_is_given_once_when_only_its_newline_comes(self) -> None:
        splitter = LineSplitter()
        splitter.feed(b'{"a":1}')

        early = splitter.finish()
        again = splitter.finish()
        late = splitter.feed(b"\nnext\n")

        assert early == Line(0, 7, b'{"a":1}', terminated=False)
        assert again is None
        assert data_of(late) == [b"next"]
        assert splitter.account.records == 7 + 4

    def test_is_given_once_when_its_newline_comes_with_a_carriage_return(self) -> None:
        splitter = LineSplitter()
        splitter.feed(b"a\r")

        assert splitter.finish() == Line(0, 1, b"a", terminated=False)
        assert splitter.feed(b"\n") == []

    def test_is_given_anew_in_its_place_when_text_is_added(self) -> None:
        splitter = LineSplitter()
        splitter.feed(b"x\nab")
        splitter.finish()

        assert splitter.feed(b"cd\nef\n") == [
            Line(2, 4, b"abcd", replaces=True),
            Line(7, 2, b"ef"),
        ]

    def test_is_given_anew_by_a_second_finish_after_growing(self) -> None:
        splitter = LineSplitter()
        splitter.feed(b"ab")
        splitter.finish()
        splitter.feed(b"c")

        assert splitter.finish() == Line(0, 3, b"abc", terminated=False, replaces=True)
        assert splitter.feed(b"\n") == []

    def test_waits_while_it_is_not_accepted(self) -> None:
        splitter = LineSplitter()
        splitter.feed(b'{"a"')

        assert splitter.finish(lambda data: data.endswith(b"}")) is None
        splitter.feed(b":1}")
        assert splitter.finish(lambda data: data.endswith(b"}")) is not None

    def test_of_blanks_is_nothing(self) -> None:
        splitter = LineSplitter()
        splitter.feed(b"a\n  \r")

        assert splitter.finish() is None
        assert splitter.account.pending == 3


class TestOversize:
    LIMIT = 100_000

    @pytest.mark.parametrize("piece", [1000, 70_000, 10_000_000])
    @pytest.mark.parametrize("end", [b"\n", b"\r\n"])
    @pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
    def test_becomes_a_stub_between_intact_neighbours(
        self, piece: int, end: bytes, start: bytes
    ) -> None:
        big = b"<" + bytes(range(14, 254)) * 2000 + b">"
        content = start + big + end + b"before" + end + big + end + b"after" + end
        splitter = LineSplitter(limit=self.LIMIT)

        lines = [
            line
            for at in range(0, len(content), piece)
            for line in splitter.feed(content[at : at + piece])
        ]

        assert [line.oversize for line in lines] == [True, False, True, False]
        assert [line.data for line in lines if not line.oversize] == [b"before", b"after"]
        for line in lines[::2]:
            assert content[line.offset : line.offset + line.length] == big
            assert line.head == big[:KEPT_OF_STUB]
            assert line.tail == big[-KEPT_OF_STUB:]
        assert splitter.account.total == len(content)
        assert splitter.account.bom == len(start)

    @pytest.mark.parametrize("end", [b"\n", b"\r\n"])
    def test_begins_one_byte_above_the_limit(self, end: bytes) -> None:
        exact, above = b"a" * self.LIMIT, b"b" * (self.LIMIT + 1)

        lines = split(exact, end, above, end, limit=self.LIMIT)

        assert [line.oversize for line in lines] == [False, True]
        assert lines[1].length == self.LIMIT + 1

    def test_can_be_given_before_its_newline(self) -> None:
        splitter = LineSplitter(limit=self.LIMIT)
        splitter.feed(b"a" * 300_000)

        stub = splitter.finish(lambda _: False)

        assert stub is not None
        assert (stub.length, stub.terminated, stub.oversize) == (300_000, False, True)
        assert splitter.feed(b"\nb\n") == [Line(300_001, 1, b"b")]
