"""Kiro CLI, and Amazon Q CLI, which it continues."""
