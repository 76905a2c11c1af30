"""What a program wrote to a terminal, as rows."""
