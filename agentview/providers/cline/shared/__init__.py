"""What the engine and the tasks of the extensions share: tools, and the words of results."""
