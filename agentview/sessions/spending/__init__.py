"""What all sessions of this machine used: the table of a screen, and budgets."""
