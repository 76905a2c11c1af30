"""Kilo's tables: OpenCode's, and a board for each session on which its agents leave messages."""

from agentview.providers.opencode.shared.tables import database

DATABASE = database(
    marks=frozenset({"kilo_board"}),
    session={
        "objective": "(SELECT b.objective FROM kilo_board b WHERE b.root_session_id = s.id)",
    },
)
