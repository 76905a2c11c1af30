"""What one activity gives to others: its texts, its file, its clipboard text, its raw record."""
