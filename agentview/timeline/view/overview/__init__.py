"""What a session is made of as a whole: turns, subagents, problems, to-do lists, the minimap."""
