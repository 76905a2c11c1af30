"""Facts on the clients of sessions from outside their logs: their own lists, processes."""
