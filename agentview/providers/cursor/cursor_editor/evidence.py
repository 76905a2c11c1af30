"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    public_logs=True,
    versioned=False,
    sources=(
        "A session of September 2026 that its owner has published, with its messages.",
        (
            "What others have published of thousands of their own sessions, up to version 3.13.21: "
            "keys, the forms of calls and their outcomes, and how often each stands there."
        ),
        "Names of tools and of their parameters in the editor's own definitions.",
    ),
    guesses=(
        "Input tokens of a message have no part that a cache gave.",
        "A message with the capability 22 says that the history was summarized.",
        "A call whose review is requested waits for the person.",
        "Hits of a search count lines as the client does.",
    ),
    gaps=(
        "The project has no recording of its own.",
        "Chats of 2024, which each workspace kept in a database of its own, are not read.",
        "Checkpoints, and messages that a session does not list, are not shown.",
        "Whether a turn is over is not kept: the status of a session is `aborted` while it runs.",
        "Turns that the command line added are in a chat of its own with the same id.",
        "A session that has a transcript too is listed twice.",
        (
            "After the editor has packed its database, changes of messages that were read before "
            "show when the session is opened again."
        ),
    ),
)
