"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("2.4.6",),
    verified_on="2026-11-23",
    sources=(
        "Runs of mini-swe-agent 2.4.6 on a machine of the project, with a scripted model.",
        "Trajectories and demonstrations of SWE-agent from its public repository (2024, 2025).",
    ),
    guesses=(
        "Commands that are text, as mini-swe-agent 1 has them, are read by their documented form.",
        "What a person says in between in mini-swe-agent is shown by its `interrupt_type`.",
    ),
    gaps=(
        "SWE-agent writes no version.",
        "The history of SWE-agent may lack the last action; what was submitted is shown.",
        "SWE-agent does not write how a command ended: its calls have no outcome but the output.",
        "A document above 16 MB is listed without its title and state.",
    ),
)
