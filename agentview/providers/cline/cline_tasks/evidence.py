"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: calls may be tags in a text, and results are in the next request.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    public_logs=True,
    versioned=False,
    sources=(
        "Two public tasks of Cline's extension.",
        "The public source of Cline and Roo Code: kinds of entries and words of results.",
    ),
    guesses=(
        "A cost of 0 is one that the client does not know.",
        "The first text of a task is the person's.",
        "Where one response has several calls, the next request has their results in their order.",
        "A call that asks at the end of the log waits for approval.",
    ),
    gaps=(
        "No task was recorded with a real editor.",
        "Of a task with both files the messages to the model are not read.",
        "What `task_metadata.json` and the history of tasks say is not read.",
    ),
)
