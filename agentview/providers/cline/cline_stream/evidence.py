"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("3.0.65",),
    versioned=False,
    verified_on="2026-11-25",
    sources=(
        "What Cline 3.0.65 printed in three runs with a scripted model of the project's own.",
    ),
    guesses=(
        "A cost of 0 is one that the client does not know.",
        "The pieces of a thought are all of it.",
    ),
    gaps=(
        "Prompts and directories are not printed.",
        "What an agent does is among what its run does: no line says whose it is.",
        "Words and output are printed in pieces as they come, which are not shown.",
    ),
)
