"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("2.19.1",),
    versioned=False,
    verified_on="2026-11-25",
    sources=(
        "Recordings of 2.19.1 in three scenarios, with an agent and a chain of compactions.",
        "Sessions of an older version in the tests of a public repository.",
    ),
    guesses=(
        "Who refused a call is not recorded.",
        "An agent was started by the one call whose task is its prompt; its log names none.",
        "A session that a compaction began counts on from the one before it.",
        "An image in a message has the form of the chat API.",
    ),
    gaps=(
        "Messages have no times: only the begin and the end of a session are known.",
        "Tokens are counted for the whole session, those of a cache are not counted apart.",
        "A call is written together with its result.",
        "What a compaction began is a session of its own; the chain is not joined.",
    ),
)
