"""The nouns of agentview: events, tools, sessions; standard library and msgspec only."""
