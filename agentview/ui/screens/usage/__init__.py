"""The view of what sessions used."""
