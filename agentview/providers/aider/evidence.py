"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("0.86.2",),
    seen_versions=("0.83.1",),
    verified_on="2026-11-24",
    sources=(
        "A recording of 0.86.2: changes that fit and one that does not, a thought, tokens.",
        "A history of many chats of 0.83.1 in a public repository.",
    ),
    guesses=(
        "Lines of the person and the client end in two blanks, unlike those of the model.",
        "The times of chats have no zone: they are taken as local times of this machine.",
        "What a cache gave or took is part of what was sent.",
        "A file as a whole is a change where the client says that it applied one to that file.",
        "An answer whose changes fit ends the turn.",
    ),
    gaps=(
        "Only the beginning of a chat has a time.",
        "What an architect has its editor do looks like a prompt of the person.",
        "All chats of a project are one session, as they are in one file.",
        "Tokens are rounded by the client: 2.5k is shown as 2,500.",
        "What commands of the shell print is not in the history.",
        "Histories are found in directories that are named: no place has all of them.",
    ),
)
