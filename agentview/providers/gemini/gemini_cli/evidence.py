"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: sessions were documents and are lines now, and what it prints has
two forms.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=(
        "0.20.0",
        "0.61.0",
    ),
    versioned=False,
    verified_on="2026-11-21",
    sources=(
        (
            "Recordings of 0.20.0 (one document, rewritten) and 0.61.0 (lines), and what both "
            "print as JSON."
        ),
        "The client's own source, which is public: recording service, output types, tools.",
        "Logs that people have published, from August 2025 on.",
        "Logs of clients that grew out of it, which name responses after themselves.",
    ),
    guesses=(
        "Results of tools that no recording has follow the types in the source.",
        "In a saved chat (/chat save) the first answer to a tool is that to its first call.",
        (
            "A history that is written again under new ids, at once and after at least as much, is "
            "a copy of what is above it. Answered prompts above it that come after its last one "
            "are an abandoned branch. Where none of its prompts and calls is above it, it is new."
        ),
    ),
    gaps=(
        "Logs do not say which version wrote them.",
        "The library has no logs.json, which has prompts alone; it is read when it is opened.",
        (
            "The library has nothing of checkpoints/, where each call that changes a file leaves "
            "the history up to it; such a file is read when it is opened."
        ),
    ),
)
