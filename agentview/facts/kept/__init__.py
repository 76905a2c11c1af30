"""What is kept of logs on disk, so that each is read once: facts of its records."""
