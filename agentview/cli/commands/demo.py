"""`agentview demo`: a sample session, played as if an agent were at work."""

import argparse

from agentview.cli.launch_ui import show
from agentview.sessions.targets.demo import DEMO, SECONDS, demo_session
from agentview.settings import LaunchOptions, ReplayRequest, Screen


def run(options: argparse.Namespace) -> int:
    """Play the sample, where it is installed."""
    ref = demo_session(options.provider)
    replay = ReplayRequest(speed=options.speed, seconds=SECONDS, word=DEMO)
    return show(LaunchOptions(Screen.SESSION, ref, live=True, replay=replay), options)
