"""Tokens, money and time that sessions used, counted once and split by their use."""
