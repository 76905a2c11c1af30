"""Columns, sort orders and groupings of a list of sessions."""

from enum import StrEnum


class Column(StrEnum):
    """A column of a list of sessions; the list can be sorted by it."""

    STATE = "state"
    """The state of the session; those that need a person come first."""
    PROVIDER = "provider"
    TITLE = "title"
    PROJECT = "project"
    """Working directory."""
    BRANCH = "branch"
    STARTED = "started"
    """Time of the first record."""
    ACTIVE = "active"
    """Time of the last record."""
    LENGTH = "length"
    """Time from the first record to the last."""
    TURNS = "turns"
    TOOLS = "tools"
    """Tool calls."""
    PROBLEMS = "problems"
    TOKENS = "tokens"
    """All input and output."""
    COST = "cost"
    """Estimate in US dollars."""


class Grouping(StrEnum):
    """The property by which sessions are grouped."""

    NONE = "none"
    """One list of all."""
    PROJECT = "project"
    """Working directory."""
    DAY = "day"
    """Date of the last record where this machine is."""
