"""OpenCode's tables, which forks that add none have too."""

from agentview.providers.opencode.shared.tables import database

DATABASE = database()
