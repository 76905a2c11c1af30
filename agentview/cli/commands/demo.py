"""`agentview demo`: a sample session, played as if an agent were at work."""

import argparse
from pathlib import Path

from agentview.cli.launch_ui import show
from agentview.errors import NotFound
from agentview.providers import load_provider
from agentview.sessions.targets.log_file import chosen_providers
from agentview.settings import LaunchOptions, ReplayRequest, Screen
from agentview.system.paths import sample_sessions_dir

SECONDS = 40.0
"""How long the sample takes to play."""

_NAME = "demo"


def run(options: argparse.Namespace) -> int:
    """Play the sample, where it is installed."""
    source = _sample(options.provider)
    ref = load_provider(source.parent.name).discovery.ref(source)
    replay = ReplayRequest(speed=options.speed, seconds=SECONDS, word=_NAME)
    return show(LaunchOptions(Screen.SESSION, ref, live=True, replay=replay), options)


def _sample(provider: str | None) -> Path:
    """The demo of a provider; without one, rather one in which agents have logs of their own."""
    places = [sample_sessions_dir() / name for name in chosen_providers(provider)]
    found = [path for place in places if (path := place / f"{_NAME}.jsonl").is_file()]
    if not found:
        raise NotFound("No sample session is installed.", "Install agentview again.")
    return min(found, key=lambda path: not path.with_suffix("").is_dir())
