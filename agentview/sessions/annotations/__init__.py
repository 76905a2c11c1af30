"""What a person adds to sessions, kept in the state directory by session id and event id."""
