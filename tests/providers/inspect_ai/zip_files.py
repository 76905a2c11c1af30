"""Writes zip files whose members are stored, deflated or packed with zstd, which zipfile cannot."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from agentview.system.zstd import zstd

ZSTD = 93


def packed(data: bytes, method: int) -> bytes:
    if method == zipfile.ZIP_DEFLATED:
        maker = zlib.compressobj(wbits=-15)
        return maker.compress(data) + maker.flush()
    return zstd.compress(data) if method == ZSTD else data


def write(path: Path, members: Mapping[str, bytes], method: int = ZSTD) -> Path:
    """A zip file with these members: local headers, the content, and the central directory."""
    out, directory = io.BytesIO(), b""
    for name, data in members.items():
        content, raw = packed(data, method), name.encode()
        sizes = (zlib.crc32(data), len(content), len(data))
        at = out.tell()
        local = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 33, *sizes, len(raw), 0)
        out.write(b"PK\x03\x04" + local + raw + content)
        central = struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, method, 0, 33, *sizes, len(raw),
                              0, 0, 0, 0, 0, at)  # fmt: skip
        directory += b"PK\x01\x02" + central + raw
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), out.tell(), 0)
    path.write_bytes(out.getvalue() + directory + b"PK\x05\x06" + end)
    return path
