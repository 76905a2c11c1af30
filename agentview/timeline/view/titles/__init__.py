"""One-line titles of activities."""
