"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: sessions and what the client prints are two formats.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("0.24.4",),
    verified_on="2026-11-21",
    sources=(
        "Recordings of 0.24.4: logs of sessions and of agents, and what it prints as JSON.",
        "The client's own source, which is public: recording service and names of tools.",
    ),
    guesses=(
        "What -o json prints as one list follows the source and is read item by item.",
        (
            "Which branch of a conversation counts follows from the parents of its records: the "
            "one of the newest record. No recorded session has one without a rewind."
        ),
        "The directory that QWEN_HOME names replaces ~/.qwen.",
        (
            "Versions before 0.24 wrote the records that samples of 0.18 and 0.21 in others' "
            "projects have."
        ),
    ),
    gaps=("No genuine log of a version before 0.24.4 was read.",),
)
