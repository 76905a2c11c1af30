"""Random files: the bytes that trouble line readers, in any order."""

from hypothesis import strategies as st

from agentview.sources.unpacking import MAGIC

_PIECES = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\xef\xbb\xbf",
    b"\0",
    b" ",
    b"\t",
    b'{"a":1}',
    "é日✅".encode(),
    b"\xff\xfe",
    b"x",
    b"y" * 37,
    b"z" * 300,
]

file_bytes = (
    st.lists(st.one_of(st.sampled_from(_PIECES), st.binary(max_size=12)), max_size=60)
    .map(b"".join)
    # Such a file is read as what it holds: tests of packed files have those.
    .filter(lambda content: not content.startswith(MAGIC))
)
