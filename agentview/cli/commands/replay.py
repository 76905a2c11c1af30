"""`agentview replay`: a past session, played as if it were live."""

import argparse
import time

from agentview.cli.launch_ui import show
from agentview.errors import UsageError
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.target import resolve
from agentview.settings import LaunchOptions, ReplayRequest, Screen
from agentview.timeline.view.goto import Target, parse_jump


def run(options: argparse.Namespace) -> int:
    """Play the session that TARGET means. Raises UsageError for a pipe and a wrong time."""
    if options.target == PIPE:
        raise UsageError(
            "A pipe cannot be played again.", "Give a log: 'agentview replay session.jsonl'."
        )
    if options.start is not None:
        jump = parse_jump(options.start, time.time())
        if jump is None or jump.target is not Target.TIME:
            raise UsageError(
                f"{options.start!r} is not a time.", "Give 14:02, 14:02:30 or '2026-11-21 14:02'."
            )
    ref = resolve(options.target, Choice(options.provider, options.project))
    replay = ReplayRequest(speed=options.speed, start=options.start)
    start = LaunchOptions(Screen.SESSION, ref, live=True, linear=options.linear, replay=replay)
    return show(start, options)
