"""Changes of files by a session: steps in order, their net result, and that as a patch."""
