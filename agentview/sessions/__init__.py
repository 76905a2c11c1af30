"""Which sessions there are, what they do, and how one is followed."""
