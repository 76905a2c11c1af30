"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("1.6", "1.7"),
    versioned=False,
    verified_on="2026-11-23",
    sources=(
        "Conversions by Harbor 0.25.0 of runs of Claude Code and Cline that the project made.",
        "The documentation of the format, which is public.",
    ),
    guesses=(
        "Versions 1.0 to 1.5 and 1.8 are read by the documentation alone.",
        "So are embedded trajectories, pictures and copied steps.",
        "Totals of a trajectory do not include those of the trajectories in it.",
        "An output that names no call is what the last call of its step brought back.",
    ),
    gaps=(
        "Who refused a call is not in the format: a refusal shows as an error.",
        "Trajectories in other files are not linked.",
        "The version of a log is that of the agent, not of the format.",
    ),
)
