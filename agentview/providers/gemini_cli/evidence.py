"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    recorded=(
        "0.20.0",
        "0.61.0",
    ),
    versioned=False,
    checked="2026-11-21",
    sources=(
        (
            "Recordings of 0.20.0 (one document, rewritten) and 0.61.0 (lines), and what both "
            "print as JSON."
        ),
        "The client's own source, which is public: recording service, output types, tools.",
        "Logs that people have published, from August 2025 on.",
    ),
    guesses=("Results of tools that no recording has follow the types in the source.",),
    gaps=(
        "Logs do not say which version wrote them.",
        "Checkpoints (/chat save) and logs.json, which has prompts alone, are not read.",
    ),
)
