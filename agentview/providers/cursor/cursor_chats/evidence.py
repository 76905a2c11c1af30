"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    public_logs=True,
    versioned=False,
    sources=(
        "A chat of cursor-agent 2026.09.18 that its owner has published, with its state.",
        (
            "What others have published of hundreds of their own chats, from November 2025 to "
            "August 2026: tables, keys of messages and parts, and how often each stands there."
        ),
        (
            "Field numbers of the state and of archives, as published readers of the client's own "
            "messages have them."
        ),
        (
            "Outcomes of calls have the forms that the command line prints with --output-format "
            "stream-json."
        ),
    ),
    guesses=(
        "A command whose recorded outcome has no exit code has the one in the text for the model.",
        "A name of a tool such as `server-tool`, which no other rule knows, is of a server.",
        "Messages that an archive lists were said before those that the state lists.",
        "Messages of a state that lists none are in the order in which they were written.",
        "A call that waits for an approval is listed as one that runs.",
    ),
    gaps=(
        "The project has no recording of its own.",
        "Messages have no times: a prompt says its minute, and a call that runs when it began.",
        (
            "Messages that no state or archive lists, such as those behind an edited prompt, are "
            "not shown."
        ),
        "Tokens of responses are not kept; those of the context are in the raw view alone.",
        "A chat of a sub-agent is a session of its own: nothing in it names the other.",
    ),
)
