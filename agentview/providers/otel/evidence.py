"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("2.68.0",),
    versioned=False,
    verified_on="2026-11-23",
    sources=(
        "Spans that pydantic-ai 2.68.0 exported in a run that the project made.",
        "The conventions for generative AI of OpenTelemetry, 1.27 to 1.38, which are public.",
    ),
    guesses=(
        (
            "Events for each message, whole prompts and numbered attributes are read by the "
            "documentation of the conventions and of OpenLLMetry alone."
        ),
        "So are log records, and spans as the SDK for Python prints them.",
        (
            "A message that several requests repeat is known by its words, and by how often they "
            "came before in the same conversation."
        ),
    ),
    gaps=(
        "Tokens that only the span of an agent counts are not shown: it counts those of requests.",
        "All conversations and agents of a file are in one timeline.",
        "A call whose span has no id of the call shows next to the one that the model asked for.",
        "The version of a log is that of the library that wrote it.",
    ),
)
