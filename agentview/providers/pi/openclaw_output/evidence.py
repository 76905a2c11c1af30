"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("2026.9.6",),
    versioned=False,
    verified_on="2026-11-26",
    sources=(
        "What `openclaw agent --json` of 2026.9.6 printed: tools, refused calls, a failed request.",
    ),
    guesses=(
        "A run that was made through the gateway has its answers in the member `result`.",
        "A media URL whose name ends as that of a picture is one.",
    ),
    gaps=(
        "The document has no calls; how many there were is shown where the run ends.",
        "A prompt that the client changed before it was sent is shown as it was sent.",
    ),
)
