"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: sessions, traces and streams of the Responses API are three
formats.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("0.24.0",),
    versioned=False,
    verified_on="2026-11-23",
    sources=(
        "A session database and exported traces of the SDK 0.24.0, of runs that the project made.",
        "The documentation of the Responses API and of the SDK, which is public.",
    ),
    guesses=(
        (
            "Items of the service's own tools, of servers and of approvals are read by the "
            "documentation alone."
        ),
        (
            "So are spans of generations, guardrails and servers, streams of the Responses API, "
            "and the tokens of turns in `turn_usage`."
        ),
        "A tool failed, or was refused, where its output begins with the SDK's own words for it.",
    ),
    gaps=(
        (
            "A database names neither model nor agent, and has no tokens unless the session class "
            "stores them."
        ),
        "Spans of responses hold no text: a trace and the database of its run are two sessions.",
        "Tables with other names than the SDK's own are not found.",
        "Abandoned branches of AdvancedSQLiteSession are shown with the others.",
    ),
)
