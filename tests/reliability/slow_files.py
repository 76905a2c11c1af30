"""A file system that shows a folder, as slow as a file says: seconds for each call, or `hang`.

`python -m tests.reliability.slow_files FOLDER MOUNT CONTROL`. It needs libfuse and /dev/fuse.
"""

import errno
import os
import sys
import time
from pathlib import Path
from typing import Any

import mfusepy  # pyright: ignore[reportMissingTypeStubs]

_STEP = 0.02
_SHOWN = ("st_mode", "st_nlink", "st_size", "st_uid", "st_gid", "st_ino")
_TIMES = ("st_atime", "st_mtime", "st_ctime")


class SlowFiles(mfusepy.Operations):
    """Reads what is in a folder; nothing can be written."""

    use_ns = True

    def __init__(self, folder: str, control: Path) -> None:
        self._folder = folder
        self._control = control

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:  # noqa: ARG002
        """What `stat` says of a file."""
        try:
            status = os.lstat(self._place(path))
        except OSError as error:
            raise mfusepy.FuseOSError(error.errno or errno.EIO) from None
        shown = {name: getattr(status, name) for name in _SHOWN}
        return shown | {name: getattr(status, f"{name}_ns") for name in _TIMES}

    def readdir(self, path: str, fh: int) -> list[str]:  # noqa: ARG002
        """Names in a directory."""
        return [".", "..", *(each.name for each in Path(self._place(path)).iterdir())]

    def readlink(self, path: str) -> str:
        """Where a link leads."""
        return str(Path(self._place(path)).readlink())

    def open(self, path: str, flags: int) -> int:
        """A descriptor of the file."""
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise mfusepy.FuseOSError(errno.EROFS)
        return os.open(self._place(path), flags)

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        """A part of a file."""
        self._place(path)
        return os.pread(fh, size, offset)

    def release(self, path: str, fh: int) -> int:  # noqa: ARG002
        """Close a descriptor."""
        os.close(fh)
        return 0

    def _place(self, path: str) -> str:
        """The file itself, after the time that each call takes."""
        while (said := self._control.read_text().strip()) == "hang":
            time.sleep(_STEP)
        time.sleep(float(said or 0))
        return self._folder + path


if __name__ == "__main__":
    folder, mount, control = sys.argv[1:]
    # A network file system keeps for some seconds what it knows of a file.
    mfusepy.FUSE(
        SlowFiles(folder, Path(control)), mount, foreground=True, entry_timeout=3, attr_timeout=3
    )
