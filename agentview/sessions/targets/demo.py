"""The sample session that is played as if an agent were at work."""

from agentview.domain.session import SessionRef
from agentview.errors import NotFound
from agentview.providers import load_provider
from agentview.sessions.targets.log_file import chosen_providers
from agentview.system.paths import sample_sessions_dir

SECONDS = 40.0
"""How long the sample takes to play."""
DEMO = "demo"
"""Its name, and what the header calls it."""


def demo_session(provider: str | None = None) -> SessionRef:
    """The sample of a provider; without one, rather one in which agents have logs of their own.

    Raises NotFound where none is installed.
    """
    places = [sample_sessions_dir() / name for name in chosen_providers(provider)]
    found = [path for place in places if (path := place / f"{DEMO}.jsonl").is_file()]
    if not found:
        raise NotFound("No sample session is installed.", "Install agentview again.")
    source = min(found, key=lambda path: not path.with_suffix("").is_dir())
    return load_provider(source.parent.name).discovery.ref(source)
