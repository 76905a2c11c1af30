"""How a conversation is kept: a file for each event, and one with the state that is rewritten."""

from agentview.sources.directory import files_in_order
from agentview.sources.member import Folder

AGENTS = "subagents"
"""The folder in a conversation's own that has those of its agents."""
STATE = "base_state.json"
EVENTS = "events"

FOLDER = Folder(
    marks=(STATE, EVENTS),
    # The state comes last: what it counts is all that came before.
    open=files_in_order((EVENTS, r"event-\d+-[\w-]+\.json"), ("", r"base_state\.json")),
    changing=lambda path: (f"{path}/{EVENTS}", f"{path}/{STATE}"),
)
