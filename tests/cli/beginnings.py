"""How each client begins a log: where in a home, under which name, with which records."""

from dataclasses import dataclass
from pathlib import Path

from agentview.domain.events import Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.paths import sample_sessions_dir
from agentview.providers import load_provider, provider_names

UUID = "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0009"

_TRANSCRIPT = "7d2e9b10-3c6f-4a58-8e21-f40c95d7ab04"
_PLACES = {
    "claude_code": ("demo.jsonl", f".claude/projects/-home-dev-shop/{UUID}.jsonl"),
    "codex": (
        "demo.jsonl",
        f".codex/sessions/2026/11/23/rollout-2026-11-23T10-00-00-{UUID}.jsonl",
    ),
    "copilot": ("demo.jsonl", f".copilot/session-state/{UUID}/events.jsonl"),
    "cursor": (
        f"transcripts/projects/home-dev-garden/agent-transcripts/{_TRANSCRIPT}/{_TRANSCRIPT}.jsonl",
        f".cursor/projects/home-dev-garden/agent-transcripts/{_TRANSCRIPT}/{_TRANSCRIPT}.jsonl",
    ),
    "gemini_cli": ("demo.jsonl", ".gemini/tmp/shop/chats/session-2026-11-23T10-00-0b5f3a52.jsonl"),
    "happier": ("demo.jsonl", ".happier/tool-traces/2026-11-23T10-00-00-000Z-42.jsonl"),
    "qwen_code": ("demo.jsonl", f".qwen/projects/shop/chats/{UUID}.jsonl"),
}
"""A sample of each provider, and where the client would write it below a home directory."""


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
        """The title of the session; empty for a log without prompts."""
        discovery = load_provider(self.provider).discovery
        return discovery.info(discovery.ref(self.sample)).title or ""

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
        """Whether the client has one directory for all logs, so that none moves."""
        roots = load_provider(self.provider).discovery.roots({"HOME": "/"})
        return Path("/", self.place).parent in roots


def beginnings() -> list[Beginning]:
    """One for every provider that has a place of its own, and a file for each session."""
    homely = [
        name
        for name in provider_names()
        if load_provider(name).discovery.roots({"HOME": "/"})
        and load_provider(name).database is None
    ]
    assert homely == sorted(_PLACES), "a provider with a place of its own is missing here"
    folder = sample_sessions_dir()
    return [Beginning(name, folder / name / _PLACES[name][0], _PLACES[name][1]) for name in homely]
