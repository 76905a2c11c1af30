"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("0.3.285",),
    verified_on="2026-11-23",
    sources=(
        (
            "Logs that Inspect AI 0.3.285 wrote in runs of the project: a zip file, a document, "
            "and one of an evaluation that an exception ended."
        ),
        "The documentation of the format, which is public.",
    ),
    guesses=(
        "Tokens that a cache gave are part of the input where the total says so.",
        (
            "Deflated members of older logs, limits, approvals and redacted thoughts are read by "
            "the documentation alone."
        ),
    ),
    gaps=(
        "A sample that is still running is in a buffer of the client's and is not read.",
        "Members of more than 256 MB are not read.",
        "Events inside a tool, and those that are of the evaluation alone, are not shown.",
    ),
)
