"""A session as one HTML file, from the rows that the screen shows."""
