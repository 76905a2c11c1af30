"""Discovery of logs that are files of lines, one for each session: what differs is a subclass."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.providers._kit import defaults
from agentview.providers._kit.session_info import overview, whole_lines
from agentview.providers.base import Decode
from agentview.sources.files import files_below, read_ends, read_part
from agentview.sources.member import Member

HEAD_BYTES = 65_536
"""How much of a file decides whose it is."""


class LogFiles(ABC):
    """A `Discovery`; a subclass says how its files begin, and where they are."""

    endings: tuple[str, ...] = (".jsonl",)
    """How the names of files end that may be logs."""

    children = staticmethod(defaults.children)
    child_places = staticmethod(defaults.child_places)
    externalized_output = staticmethod(defaults.externalized_output)

    def __init__(self, name: str, decode: Decode) -> None:
        self.name = name
        self.decode = decode

    @abstractmethod
    def probe(self, head: bytes, path: Path) -> float:
        """Confidence 0..1 that a file that begins with `head` is mine; 0.95 and more is certain."""

    @abstractmethod
    def session_id(self, head: bytes) -> str | None:
        """The id of the session that a file begins; None leaves it to the name of the file."""

    def roots(self, env: Mapping[str, str]) -> Sequence[Path]:
        """None: files are opened by their paths."""
        _ = env
        return ()

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """Files below `root` whose names end so."""
        return files_below(root, self.endings)

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a file; None when the file is not mine."""
        return self.ref(path) if self.probe(read_part(path, 0, HEAD_BYTES), path) > 0 else None

    def ref(self, path: Path) -> SessionRef:
        """The session in a file, whatever it holds."""
        own = self.session_id(read_part(path, 0, HEAD_BYTES)) or path.stem
        try:
            status = path.stat()
        except OSError:
            return SessionRef(self.name, own, str(path))
        return SessionRef(self.name, own, str(path), modified=status.st_mtime, size=status.st_size)

    def info(self, ref: SessionRef) -> SessionInfo:
        """Facts from the events of the first and the last 128 kB of the file."""
        head, tail, start = read_ends(Path(ref.path))
        events = [*whole_lines(head, 0, ref, self.decode)]
        events += whole_lines(tail.partition(b"\n")[2], start, ref, self.decode)
        return overview(ref, events)
