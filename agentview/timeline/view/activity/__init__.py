"""Parts of one activity for others: its texts, its file, its clipboard text, its raw record."""
