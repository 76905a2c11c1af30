"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    versioned=False,
    sources=(
        "The public source of Goose: tables of schemas 15 to 17, and the parts of messages.",
        "Not verified: no database or file was recorded with the real client.",
    ),
    guesses=(
        "Tokens of a prompt are recorded with those that a cache gave or took.",
        "A row of the ledger that is marked as a compaction is where the history was replaced.",
        "A message that is not visible to the person is for the model alone.",
        "A refused call has the words that the source has for that.",
    ),
    gaps=(
        "Todos that an extension keeps in the session's own data are known by calls only.",
        "Which call started an agent is not known.",
    ),
)
