"""Parts of a session as a whole: turns, subagents, problems, to-do lists, the minimap."""
