"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    versioned=False,
    sources=("Public readers of these threads, and their tests.",),
    guesses=(
        "All of it: no genuine thread was read.",
        "A tool that waits for permission is shown as running.",
        "Tools are known by their names in public readers, and their results by the same.",
    ),
    gaps=(
        "The project has no recording of its own: the client needs an account.",
        "Newer clients keep threads on their server; `amp threads export` gives such a file.",
        "Threads that another one was handed over to are not linked.",
    ),
)
