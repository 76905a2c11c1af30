"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    versioned=False,
    sources=(
        "The public schema and source of Crush, 2025 to 2026: tables, parts of messages, tools.",
        "Not verified: no database was recorded with the real client.",
    ),
    guesses=(
        "A refused and a cancelled call have the words that the source has for them.",
        "A session with a parent is an agent's; the end of its id is the call that started it.",
        "A database in a folder named .crush is that of the folder above.",
        "The client resumes a session with --session in the directory of the project.",
        "A message that is marked as a summary is where the history was replaced.",
    ),
    gaps=(
        "Tokens of a session are those of its last request; their sum is not recorded.",
        "A database in another folder is found only where the client lists it or by its path.",
        "Of changed files only what calls say is shown, not the versions in the table of files.",
    ),
)
