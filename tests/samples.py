"""The sample sessions, cut into lines and decoded, as tests of providers need them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers import load_provider, provider_names
from agentview.providers.base import Provider
from agentview.sources.document import document_lines
from agentview.sources.line_splitter import Line, cut_lines
from agentview.system.paths import sample_sessions_dir

NOT_LOGS = frozenset({".json", ".md", ".txt"})
"""Endings of files that lie beside logs of lines."""


@dataclass(frozen=True)
class Sample:
    """One sample session: a log of lines, or one document."""

    provider: Provider
    path: Path
    name: str
    """Path below the provider's folder, without the ending."""

    def __str__(self) -> str:
        return f"{self.provider.name}/{self.name}"

    @property
    def data(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def ref(self) -> SessionRef:
        return self.provider.discovery.ref(self.path)

    @cached_property
    def is_document(self) -> bool:
        documents = self.provider.documents
        return documents is not None and documents.begin(self.data[:65_536])

    def lines(self) -> list[Line]:
        data = self.data
        if self.is_document:
            assert self.provider.documents is not None
            return document_lines(data, self.provider.documents.split(data))
        whole = data if data.endswith(b"\n") else data + b"\n"
        return cut_lines(whole, 0, 0)

    def decode(self, line: Line, ref: SessionRef | None = None) -> list[Event]:
        assert line.data is not None
        # The path in the golden files must be the same in every checkout.
        source = SourceRef(self.path.name, line.offset, line.length)
        return self.provider.decode(line.data, source, ref or self.ref)

    def events(self) -> Iterator[Event]:
        ref = self.ref
        for line in self.lines():
            yield from self.decode(line, ref)


@cache
def line_samples() -> tuple[Sample, ...]:
    """All samples of all providers whose files grow by lines."""
    found: list[Sample] = []
    for name in provider_names():
        provider = load_provider(name)
        folder = sample_sessions_dir() / name
        for path in sorted(folder.rglob("*.jsonl")):
            head = path.read_bytes()[:65_536]
            if provider.documents is not None and provider.documents.begin(head):
                continue
            if provider.discovery.probe(head, path) > 0:
                relative = path.relative_to(folder).with_suffix("")
                found.append(Sample(provider, path, relative.as_posix()))
    return tuple(found)


@cache
def all_samples() -> tuple[Sample, ...]:
    """The samples of lines, and the documents of the providers that have no other logs."""
    found = [*line_samples()]
    for name in sorted({*provider_names()} - {sample.provider.name for sample in found}):
        provider = load_provider(name)
        folder = sample_sessions_dir() / name
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            sample = Sample(provider, path, path.relative_to(folder).with_suffix("").as_posix())
            if sample.is_document:
                found.append(sample)
    return tuple(found)
