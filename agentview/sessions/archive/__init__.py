"""Copies of sessions that stay when a client deletes its logs."""
