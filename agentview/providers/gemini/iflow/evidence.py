"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    public_logs=True,
    versioned=False,
    sources=(
        "A session of January 2026 in a public repository, with reads, an edit and their results.",
        "Gemini CLI's source, of which the client is a fork, for tools and their outputs.",
    ),
    guesses=(
        "Sessions are in `~/.iflow/projects`, and `iflow --resume` continues one.",
        "Tools that the session does not have are named as in the clients that it is a fork of.",
        "A call that is on two records was made once.",
        "A response whose tokens are all 0 was not counted.",
        "An answer with an `error`, or whose status is `error` or `cancelled`, is a failure.",
    ),
    gaps=(
        "The project has no recording of its own.",
        "How sub-agents, a compaction and a denial are recorded is not known.",
        "The version on a record is 1.0.0 whatever the client is.",
    ),
)
