"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    public_logs=True,
    versioned=False,
    sources=(
        "Two sessions of 2026-03, of format version 2, in a public repository; they hold no call.",
        "Public fixtures of sessions and streams, which no client need have written.",
        "Public readers of these files.",
    ),
    guesses=(
        "Arguments and results of tools are read by public descriptions of the tools alone.",
        "A refusal is known by the words of an error.",
        "Time limits of commands are in seconds.",
        "Compaction, thoughts and images are read without a genuine log that has them.",
    ),
    gaps=(
        "The version in a log is that of the format.",
        "The project has no recording of its own: the client needs an account.",
        "Tokens are in the settings next to the file, of the whole session: they are not counted.",
        "Sessions of agents that Task started are not linked.",
    ),
)
