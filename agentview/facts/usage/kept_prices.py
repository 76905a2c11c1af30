"""Prices of the models that were looked up before, kept on disk by the names that logs have.

The table of prices takes longer to import than a command to start, and more memory than a session.
"""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import msgspec

from agentview.facts.usage.rates import ModelRates
from agentview.system.file_writing import make_folder, replace_file
from agentview.system.paths import cache_dir

_FORM = 2
"""Raised when what is kept changes."""
_TABLE = "genai_prices"
_MOST, _LONGEST = 1000, 200
"""Names up to which each new one is kept, and their characters: logs make names up."""
_MOST_BYTES = 4 * 1024 * 1024
_CHECKSUM = 4

_Stamp = tuple[int, int, int]
"""The form, and bytes and time of the table, which is another one after an update."""
_Kept = tuple[_Stamp, dict[str, ModelRates | None]]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Kept).decode


class KeptPrices:
    """Rates of models by name; what is not kept is looked up, and kept from then on."""

    def __init__(self) -> None:
        self._stamp = prices_stamp()
        self._place = cache_dir() / "prices"
        self._known = {} if self._stamp is None else self._read(self._stamp)

    def of(self, name: str) -> ModelRates | None:
        """The rates of a model; None when the list does not have it."""
        if name not in self._known:
            # Imported here: that is what takes long.
            from agentview.facts.usage.price_table import model_rates

            self._known[name] = model_rates(name)
            if self._stamp is not None and len(self._known) <= _MOST and _is_kept(name):
                self._write(self._stamp)
        return self._known[name]

    def _read(self, stamp: _Stamp) -> dict[str, ModelRates | None]:
        try:
            data = self._place.read_bytes() if self._place.stat().st_size < _MOST_BYTES else b""
            if int.from_bytes(data[:_CHECKSUM], "big") != crc32(data[_CHECKSUM:]):
                return {}
            of, known = _decode(data[_CHECKSUM:])
        except (OSError, msgspec.MsgspecError):
            return {}
        return known if of == stamp else {}

    def _write(self, stamp: _Stamp) -> None:
        """Keep what is known. Nothing is kept where that cannot be written."""
        kept = {name: rates for name, rates in self._known.items() if _is_kept(name)}
        with suppress(OSError):
            data = _encode((stamp, kept))
            make_folder(self._place.parent)
            replace_file(self._place, crc32(data).to_bytes(_CHECKSUM, "big") + data, 0o600)


def _is_kept(name: str) -> bool:
    return name.isprintable() and len(name) <= _LONGEST


def prices_stamp() -> _Stamp | None:
    """Return a value that changes with each update of the table; None where it cannot be found."""
    found = find_spec(_TABLE)
    if found is None or found.origin is None:
        return None
    try:
        status = Path(found.origin).with_name("data.py").stat()
    except OSError:
        return None
    return _FORM, status.st_size, status.st_mtime_ns
