"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("0.73.1", "0.87.1"),
    versioned=False,
    verified_on="2026-11-24",
    sources=(
        "Recordings of 0.73.1 and 0.87.1: tools, errors, resumed and live sessions.",
        "The client's public source: entries, messages, what its tools print, printed events.",
        "Sessions of 2025, without ids of entries, in public repositories.",
    ),
    guesses=(
        "Zeros in all counts of a request mean that nothing is known of it.",
        "A cost of 0 is one that the client does not know.",
        "A command that did not fail and has no line about its exit ended with 0.",
        "A call was refused where its result begins with the words of the client for that.",
        "In diffs before 0.60 only the numbers of changed lines are right.",
    ),
    gaps=(
        "The entries that a forked session took over from its parent count in both.",
        "Of what is printed, a response is shown when it is whole, not piece by piece.",
        "Messages of agents that an extension ran are in the details of its result only.",
        "What a large output was saved to is in a folder for temporary files, and is not read.",
    ),
)
