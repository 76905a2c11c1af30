"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: records next to the conversation are many, and older records are
flat.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("1.0.102",),
    verified_on="2026-11-24",
    sources=(
        "Recordings of 1.0.102: sessions with tools, agents, refusals, an error, an image.",
        "The vendor's public SDK (2026-08-21), whose generated types list the session events.",
        "Counts over logs of 1.0.12 to 1.0.74 in public repositories.",
    ),
    guesses=(
        "The input tokens of a request include what a cache gave or took.",
        "Before records of usage (1.0.77 and earlier) a shutdown counts all runs of the session.",
        "A prompt whose source is not the person or an agent is a note of the client.",
        "Words of a refusal other than that nobody could be asked follow the SDK's types.",
        "A failure that only the last line of a command's output shows is one of the command.",
        "The directory that COPILOT_HOME names replaces ~/.copilot.",
        "Records without `data` and documents with a list `history` are of the first versions.",
    ),
    gaps=(
        "Of the first versions no genuine log was read: calls in their documents are not known.",
        "The image that a tool gave is in another record: its result only names it.",
        "What a compaction cost is not counted: its figure exceeds that of the whole session.",
        "Of a command before 1.0.77 only the last line of its output says how it ended.",
    ),
)
