"""Zstandard: of the standard library from Python 3.14 on, before that the same from a package."""

import sys
from collections.abc import Callable, Iterator

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZstdError = zstd.ZstdError


def packed(data: bytes, level: int) -> bytes:
    return zstd.compress(data, level)


def unpacked(data: bytes, most: int, window: int | None = None) -> bytes:
    """The content of a frame, `most` bytes of it; of one that is cut the part that is there.

    `window` is the base-2 logarithm of the bytes that unpacking may look back for. Raises
    ZstdError.
    """
    limit = int(zstd.DecompressionParameter.window_log_max)
    options = None if window is None else {limit: window}
    return zstd.ZstdDecompressor(options=options).decompress(data, most)


class Frames:
    """The frames of a file, unpacked one after another; when it has grown, the others."""

    def __init__(self) -> None:
        self._frame = zstd.ZstdDecompressor()

    def pieces(self, read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
        """The content of what `read` gives, in pieces of `size`. Raises ZstdError at damage."""
        given = b""
        while True:
            if self._frame.eof:
                given, self._frame = self._frame.unused_data, zstd.ZstdDecompressor()
            if not given and self._frame.needs_input and not (given := read(size)):
                return
            piece, given = self._frame.decompress(given, size), b""
            if piece:
                yield piece


def unpacked_pieces(read: Callable[[int], bytes], size: int) -> Iterator[bytes]:
    """The content of all frames of a file in pieces of `size`. Raises ZstdError at damage."""
    return Frames().pieces(read, size)


def ends_in_frame(pieces: Iterator[bytes]) -> bool:
    """Return True if the bytes end before their last frame does. Raises ZstdError at damage."""
    frame = zstd.ZstdDecompressor()
    for given in pieces:
        piece = given
        while piece:
            if frame.eof:
                frame = zstd.ZstdDecompressor()
            frame.decompress(piece)
            piece = frame.unused_data if frame.eof else b""
    return not frame.eof


def size_in(head: bytes) -> int | None:
    """Bytes that a frame holds as its header says; None where it does not. Raises ZstdError."""
    return zstd.get_frame_info(head).decompressed_size


def packer(level: int, size: int) -> "zstd.ZstdCompressor":
    """A compressor of `size` bytes into a frame with their size and checksum."""
    parameters = zstd.CompressionParameter
    made = zstd.ZstdCompressor(
        options={parameters.compression_level: level, parameters.checksum_flag: 1}
    )
    made.set_pledged_input_size(size)
    return made
