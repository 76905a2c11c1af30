"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    versioned=False,
    sources=(
        "Transcripts of the command line of June 2026 that others made for tests of their readers.",
        "Programs in public repositories that read transcripts: places, steps, names of tools.",
    ),
    guesses=(
        "The outcome of a call is the step whose number follows that of the response.",
        "A command whose text names an exit code other than 0 failed.",
        "Steps of the model with other types are what tools did.",
        "A checkpoint has the summary of what was before.",
    ),
    gaps=(
        "The project has no recording of its own.",
        "A transcript has no tokens, costs or directory.",
        "Conversations of the editor in other stores than transcripts are not read.",
        "A response that was cut in a short transcript is shown as it stands there.",
    ),
)
