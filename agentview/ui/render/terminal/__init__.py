"""Output of a program to a terminal, as rows."""
