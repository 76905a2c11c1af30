"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: many small records have types of their own, and long logs have a
fast path.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=(
        "2.0.76",
        "2.1.329",
    ),
    seen_versions=(
        "1.0.24",
        "1.0.29",
        "1.0.35",
        "1.0.51",
        "1.0.53",
        "1.0.55",
        "1.0.56",
        "1.0.61",
        "1.0.71",
        "1.0.98",
        "1.0.108",
        "1.0.119",
        "1.0.128",
        "2.0.0",
        "2.0.5",
        "2.0.9",
        "2.0.28",
        "2.0.37",
        "2.0.42",
        "2.0.55",
        "2.0.64",
        "2.0.74",
        "2.1.1",
        "2.1.7",
        "2.1.12",
        "2.1.17",
        "2.1.19",
        "2.1.29",
        "2.1.39",
        "2.1.41",
        "2.1.42",
        "2.1.45",
        "2.1.49",
        "2.1.50",
        "2.1.56",
        "2.1.71",
        "2.1.76",
        "2.1.98",
        "2.1.112",
        "2.1.114",
        "2.1.128",
        "2.1.153",
        "2.1.167",
        "2.1.179",
        "2.1.205",
        "2.1.207",
        "2.1.217",
        "2.1.219",
        "2.1.220",
    ),
    verified_on="2026-11-21",
    sources=(
        (
            "Recordings of 2.0.76 and 2.1.329 in a scripted project: tools, errors, refusals, "
            "compaction, images, agents."
        ),
        (
            "Logs of versions 1.0 to 2.1.220 that people have published, 1,277 of them counted by "
            "record type and key."
        ),
        "Types of tools and messages in the packages of the Agent SDK, up to 0.3.329.",
        (
            "Readers that others have published, with records of up to 2.1.289 in their tests, and "
            "their lists of the types that these versions write."
        ),
    ),
    guesses=(
        "A TaskOutput is shown as a shell's, also when the task was another agent.",
        "LSP calls other than diagnostics are shown as they are recorded.",
        "Names and arguments of the tools of 0.2 come from no log.",
    ),
    gaps=(
        "Between 2.1.220 and 2.1.329 no version was read.",
        "The copies of files that file-history-snapshot names are not looked for.",
        "No genuine log from before 1.0.24 was read.",
        (
            "The cost that 0.2 to 1.0.8 wrote with each response is added up; where one of "
            "them has none, the whole cost is estimated."
        ),
        (
            "Which branch of a conversation counts is inferred from the parents of its records: "
            "the one that the newest record of the conversation is on. Only some clients mark "
            "where it went back. A request that was tried again, and a second client that writes "
            "to the same log, look the same."
        ),
        (
            "What an agent of 2.1.12 to 2.1.81 used counts by its own log alone: the session's "
            "has its responses as they began, and not the last."
        ),
    ),
)
