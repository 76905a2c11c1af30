"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: a third of them joins the snapshot with the journal.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("3.0.3",),
    versioned=False,
    verified_on="2026-11-25",
    sources=(
        "Recordings of 3.0.3 in seven scenarios, one of them copied while a command ran.",
        "A list of how each file of the store changed while the client ran.",
    ),
    guesses=(
        "A session with a parent is an agent's unless the store calls it a root.",
        "A tool with another namespace than file_system and vibe is that of a server.",
        "An approval of the source config is one by a rule.",
        "The input tokens of a request include what a cache gave or took.",
        "A turn or a call with the status cancelled, interrupted or aborted was stopped.",
        "An image in a message has the form of the Model Context Protocol.",
    ),
    gaps=(
        "Calls that got no entry are known only as long as the journal has them.",
        "Tokens of discarded summaries are known only as long as the journal has them.",
        "How a turn ended is known of the last one, and of those whose end was seen.",
        "Entries have ids of their own: those that the model gave to its calls are not shown.",
    ),
)
