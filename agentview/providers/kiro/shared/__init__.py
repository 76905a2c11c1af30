"""Shared by Kiro CLI and Amazon Q CLI."""
