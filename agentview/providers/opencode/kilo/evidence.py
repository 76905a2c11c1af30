"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("7.7.9",),
    verified_on="2026-11-25",
    sources=(
        "Databases that Kilo 7.7.9 wrote, with a scripted model of the project's own.",
        "Its runs, followed from before their first row.",
        "OpenCode's source, which is public: Kilo is a fork of it.",
    ),
    guesses=(
        "A cost of 0 is one that the client does not know.",
        "A tool whose name is `a_b` and is not the client's own is the tool `b` of the server `a`.",
        "A call that a rule refused has the words that OpenCode's source has for that.",
    ),
    gaps=(
        "Messages on the board, goals and todos are known by the calls that set them only.",
        "Requests that were tried again leave no trace in the tables.",
        "The extension of an editor keeps its tasks in other files, which are not read.",
    ),
)
