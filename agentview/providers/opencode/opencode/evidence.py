"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("1.18.33",),
    seen_versions=("1.2.16",),
    verified_on="2026-11-25",
    sources=(
        "Databases that OpenCode 1.18.33 wrote, with a scripted model of the project's own.",
        "Its terminal interface, followed from before its first row: what each moment writes.",
        "The client's source, which is public: tables and kinds of parts.",
    ),
    guesses=(
        "A cost of 0 is one that the client does not know.",
        "A tool whose name is `a_b` and is not the client's own is the tool `b` of the server `a`.",
        "A call that a rule refused has the words that the source has for that.",
        "A fork without tables of its own, such as MiMoCode, names its folder as its database.",
    ),
    gaps=(
        "Requests that are tried again, and prompts for permission, leave no trace in the tables.",
        "What was undone and not yet written over is shown as if it counted.",
        "Todos of the table `todo` are known by the calls that set them only.",
    ),
)
