"""Which keys of a record are read, as trees of names."""

from collections.abc import Iterator, Mapping

from agentview.normalize.json_values import fields_of, items_of

Shape = Mapping[str, "Shape | None"]
"""Keys that are read, each with those below it; None for a value that is read whole."""


def keys(*names: str, **inner: Shape) -> dict[str, Shape | None]:
    """A shape of keys whose values are read whole, and of `inner` ones; a text may name several."""
    return {**dict.fromkeys(" ".join(names).split()), **inner}


def unread(value: object, shape: Shape, pointer: str = "") -> Iterator[str]:
    """JSON pointers of the keys of a value that its shape does not have; not of what is below."""
    for index, item in enumerate(items_of(value)):
        yield from unread(item, shape, f"{pointer}/{index}")
    for key, item in fields_of(value).items():
        place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in shape:
            yield place
            continue
        inner = shape[key]
        if inner is not None:
            yield from unread(item, inner, place)
