"""What a session did to files: steps in order, what it came to, and that as a patch."""
