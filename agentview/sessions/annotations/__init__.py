"""Notes and tags of a person, kept in the state directory by session id and event id."""
