"""Record sources: reads logs as lines, documents and pipes, also compressed ones."""
