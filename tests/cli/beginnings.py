"""How each client begins a log: where in a home, under which name, with which records."""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from agentview.domain.events import Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.providers import load_provider, provider_names
from agentview.system.paths import sample_sessions_dir
from tests.providers.folders import folder_of_tests


@dataclass(frozen=True)
class Beginning:
    """A log that a client writes in its own place."""

    provider: str
    sample: Path
    place: str
    """Path below the home directory."""

    def __str__(self) -> str:
        return self.provider

    @property
    def label(self) -> str:
        return load_provider(self.provider).label

    @property
    def data(self) -> bytes:
        return self.sample.read_bytes()

    @property
    def title(self) -> str:
        """The title of the session by its log alone; empty for a log without prompts."""
        provider = load_provider(self.provider)
        with TemporaryDirectory() as home:
            path = self.path(Path(home))
            path.write_bytes(self.data)
            return provider.info(provider.discovery.ref(path)).title or ""

    @property
    def has_unknown(self) -> bool:
        """Whether its own client's provider does not know one of its records either."""
        provider = load_provider(self.provider)
        ref = provider.discovery.ref(self.sample)
        return any(
            isinstance(event.body, Unparsed)
            for line in self.data.splitlines()
            for event in provider.decode(line, SourceRef(ref.path, 0, len(line)), ref)
        )

    def path(self, home: Path) -> Path:
        """The file, in a directory that exists."""
        path = home / self.place
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def another_place(self, home: Path) -> Path:
        """A directory where the client may move the log to; it exists."""
        here = self.path(home).parent
        place = here.with_name(f"{here.name}-moved")
        place.mkdir()
        return place

    @property
    def is_alone(self) -> bool:
        """Whether no log moves: one directory has all of them, or a folder is named by its id."""
        discovery = load_provider(self.provider).discovery
        if Path("/", self.place).parent in discovery.roots({"HOME": "/"}):
            return True
        with TemporaryDirectory() as home:
            path = self.path(Path(home))
            path.write_bytes(self.data)
            return discovery.ref(path).session_id in path.parent.relative_to(home).parts


def beginnings() -> list[Beginning]:
    """One for every provider that has a place of its own, and a growing file for each session.

    The module `log_place` among the tests of a provider, or of its family, has `LOG_PLACES`: a
    sample of each, and where the client would write it below a home directory.
    """
    found: list[Beginning] = []
    for name in provider_names():
        provider = load_provider(name)
        if provider.database is not None or not provider.discovery.roots({"HOME": "/"}):
            continue
        module = f"{folder_of_tests(name)}.log_place"
        places: dict[str, tuple[str, str]] = {}
        if find_spec(module) is not None:
            places = import_module(module).LOG_PLACES
        if name not in places:
            assert provider.documents is not None, f"{module} does not say where logs are"
            continue
        sample, place = places[name]
        found.append(Beginning(name, sample_sessions_dir() / name / sample, place))
    return found
