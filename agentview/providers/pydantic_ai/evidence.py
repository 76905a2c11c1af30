"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: messages, events of runs and the logs of llm-do are three formats.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=(
        "0.3.7",
        "1.0.18",
        "2.68.0",
    ),
    versioned=False,
    verified_on="2026-11-21",
    sources=(
        (
            "Histories and streams of events that the library wrote in versions 0.3.7, 1.0.18 and "
            "2.68.0, with models of the project's own."
        ),
        "The library's source, which is public: messages.",
        "The source of llm-do, which is public: its message log and its former --json mode.",
    ),
    guesses=("Parts that no run made (speech, tool availability) are shown as they are recorded.",),
    gaps=("Dumps do not say which version wrote them.",),
)
