"""Branches of a conversation: which rows were abandoned, how they fold, what is written again."""
