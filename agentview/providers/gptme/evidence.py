"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("0.35.1",),
    versioned=False,
    verified_on="2026-11-24",
    sources=(
        "Recordings of 0.35.1: sessions with tools, an error, a failed request.",
        "The public documentation of the client, for the forms of calls.",
    ),
    guesses=(
        "Times without a zone are taken as local times of this machine.",
        "The input tokens of a response do not include what a cache gave.",
        "A result that begins with words such as Aborted is a refusal of the person.",
        "Calls in fences and in tags follow the documentation.",
    ),
    gaps=(
        "Calls in fences and in tags have no id: their outputs are rows of their own.",
        "Branches of a conversation are not read: the log has the one that is active.",
        "A call is recorded when it has ended: a running one does not show.",
    ),
)
