"""A zstd frame in memory, such as a packed value of a database."""

MAGIC = b"\x28\xb5\x2f\xfd"
"""How a frame begins."""


def unpacked_frame(data: bytes, most: int) -> bytes:
    """What a zstd frame in memory holds, of one that is cut what is left of it.

    Raises ValueError where it is none, cannot be read, or holds more than so many bytes.
    """
    if not data.startswith(MAGIC):
        raise ValueError("not a zstd frame")
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as plain:
            whole = plain.read(most + 1)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error
    if len(whole) > most:
        raise ValueError(f"a frame of more than {most:,} bytes")
    return whole
