"""Distinguishes keys that are data, such as ids, paths and models, from keys of a format."""

import re
from functools import lru_cache

_LONGEST = 60
"""Characters up to which a key may be a name."""

_DYNAMIC = re.compile(
    r"[\d.,:+-]+|v\d+(?:\.\d+)+"  # a number, a date, a version
    r"|\d{4}-\d\d-\d\d.*"  # a time
    r"|.*[^\x00-\x7f].*"  # no format has such names
    r"|\..+"  # a hidden file
    r"|.+:\d+"  # a host, a place in a file
    r"|.+__.+__.+"  # a tool of a server
    r"|[0-9A-HJKMNP-TV-Z]{26}"  # a ULID
    r"|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-.*"  # a UUID
    r"|(?=[A-Za-z_]*\d)[0-9a-fA-F]{7,}"  # a hash
    r"|[A-Za-z]{1,16}[_-](?:\d+|(?=[A-Za-z]*\d)[A-Za-z0-9]{6,})"  # a prefixed id: call_4f…, item_1
    r"|(?=[A-Za-z]*\d[A-Za-z]*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9]{16,}"  # another id
    r"|[A-Za-z][\w.]*-(?=.*\d)[\w.:-]+"  # a model: family-4.1-mini
    r"|.+@.+"  # an address
    r"|.*[/\\\s{}()<>\"'`;=&%!?,|~*].*"  # a path, a sentence
    r"|.*\.[A-Za-z]{1,4}\d?",  # a file with its ending
    re.DOTALL,
)
_OPTION = re.compile(r"--?[A-Za-z][\w-]*")
"""Options of programs are names: some tools take them as arguments."""


@lru_cache(maxsize=4096)
def is_dynamic(key: str) -> bool:
    """Return True if a key is data: it varies while the structure stays."""
    if not key or len(key) > _LONGEST:
        return True
    return _OPTION.fullmatch(key) is None and _DYNAMIC.fullmatch(key) is not None
