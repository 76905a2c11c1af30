"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: streams, transcripts and transcripts as text are three formats.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    public_logs=True,
    versioned=False,
    sources=(
        (
            "What the command line prints with --output-format stream-json, in traces that people "
            "have published."
        ),
        "Types of tool calls in the package @cursor/sdk 1.0.18.",
        "Agent transcripts of the editor, two genuine ones and readers that others have published.",
    ),
    guesses=(
        (
            "The keys of web fetch and web search calls, and results such as timeout and "
            "permissionDenied."
        ),
        (
            "Reconnects, retries, tasks in the background and questions of the agent follow "
            "excerpts that others have published."
        ),
        "The four counts of tokens of a turn have no part in common.",
    ),
    gaps=(
        "The project has no recording of its own.",
        "A session of the editor that has a transcript too is listed twice.",
        "Transcripts have no times, ids or results, so calls stand without them.",
    ),
)
