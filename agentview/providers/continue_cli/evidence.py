"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("1.5.47",),
    versioned=False,
    verified_on="2026-11-24",
    sources=(
        "Recordings of the command line client 1.5.47: sessions with tools, a refusal, errors.",
        "The public types of the extensions, for what their sessions hold.",
    ),
    guesses=(
        "The input tokens of a response include what a cache gave.",
        "A tool that nobody knows is one of a server: those go by their own names.",
        "A cancelled call whose words name a policy was refused by a rule, else by the person.",
        "Names of the tools of the extensions, thoughts and summaries follow the public types.",
    ),
    gaps=(
        "No record has a time: the time of a session is that of its file.",
        "Without a terminal the client writes a session once, at its end.",
        "Of a command that failed with words on its error stream the other stream is lost.",
        "The cost of the whole session is not shown: the client makes one up for unknown models.",
    ),
)
