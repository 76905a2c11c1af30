"""Secrets: one set of rules that finds them, and values, texts and records without them."""
