"""How many values a JSON text has: an object takes far more memory than its two bytes."""

MOST_VALUES = 8_000_000
"""Values and keys that are parsed at once, for which Python needs less than 1 GB."""

_OTHERS = bytes(set(range(256)) - set(b'",:{['))


def check_values(data: bytes) -> None:
    """Raise ValueError for a text with more values than are parsed at once.

    Takes some passes over the bytes, and builds none of the values.
    """
    # Texts have such characters too: only where these are too many is it looked where they are.
    if sum(map(data.count, (b",", b":", b"{", b"["))) <= MOST_VALUES:
        return
    marks = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _OTHERS)
    texts = marks.count(b'"') // 2
    # Each mark outside of texts begins a value, or a key.
    if texts <= MOST_VALUES and sum(map(len, marks.split(b'"')[::2])) <= MOST_VALUES:
        return
    raise ValueError(f"it has more than {MOST_VALUES:,} values")
