"""Pieces of a page: the first in its text, the others deflated until the reader comes near."""

import zlib
from base64 import b64encode
from collections.abc import Iterator

_INLINE = 3 * 1024 * 1024
"""Characters of pieces that are in the text of a page, where each browser and search finds them."""
_LONG = 512 * 1024
"""Characters from which one piece is packed in any case."""
_PART = 256 * 1024
"""Characters of pieces that are packed together."""


class Packing:
    """Writes pieces of HTML in order; each must be whole in itself."""

    def __init__(self) -> None:
        self._left = _INLINE
        self._held: list[str] = []
        self._size = 0
        self._count = 0

    def fixed(self, html: str) -> Iterator[str]:
        """Return the rows that are never packed: begins and ends of divided rows, headings."""
        yield from self._pack()
        yield html

    def piece(self, html: str) -> Iterator[str]:
        """A piece of the page, which may be packed."""
        if self._left > 0 and len(html) < _LONG:
            self._left -= len(html)
            yield from self._pack()
            yield html
            return
        self._held.append(html)
        self._size += len(html)
        if self._size >= _PART:
            yield from self._pack()

    def _pack(self) -> Iterator[str]:
        if not self._held:
            return
        self._count += 1
        packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        html = "".join(self._held).encode("utf-8", "replace")
        data = b64encode(packer.compress(html) + packer.flush()).decode()
        self._held, self._size = [], 0
        name = f"part-{self._count}"
        yield f'<div class="later" data-part="{name}">This part is built when it comes near.</div>'
        yield f'<script type="application/octet-stream" id="{name}">{data}</script>\n'
