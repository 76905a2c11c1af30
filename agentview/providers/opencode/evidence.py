"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("1.18.33",),
    verified_on="2026-11-23",
    sources=(
        "Databases that OpenCode 1.18.33 wrote, with a scripted model of the project's own.",
        "The client's source, which is public: tables and kinds of parts.",
    ),
    guesses=("A cost of 0 is one that the client does not know.",),
    gaps=(
        "Sessions that versions before 1.2 kept as one JSON file for each message are not read.",
        "Todos of the table `todo` are known by the calls that set them only.",
    ),
)
