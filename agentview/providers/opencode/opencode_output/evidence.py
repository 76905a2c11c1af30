"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("1.18.33",),
    seen_versions=("1.14.50",),
    verified_on="2026-11-21",
    versioned=False,
    sources=(
        (
            "What OpenCode 1.18.33 and Kilo 7.7.9 printed for `run --format json`, with a scripted "
            "model of the project's own."
        ),
        "Exported sessions that people have published.",
    ),
    guesses=("A cost of 0 is one that the client does not know.",),
    gaps=(
        "A run prints no prompts, and a call when it is done.",
        "An exported session of an agent does not lead to the one that started it.",
    ),
)
