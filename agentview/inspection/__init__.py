"""What became of the records of logs, and how the shapes of records change."""
