"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: each type of event has a form of its own, and so has the state.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("1.58.0",),
    versioned=False,
    verified_on="2026-11-24",
    sources=(
        "Recordings of the SDK 1.58.0, whose store the command line client uses.",
        "Events of a conversation of mid-2026 in a public repository.",
        "The public source of the SDK, for the kinds of events and tools.",
    ),
    guesses=(
        "Times have no zone: they are taken as local times of this machine.",
        "The input tokens of a request include what a cache gave or took.",
        "Tokens under a name such as task:1 are those of an agent, whose own state has them.",
        "A cost of 0 is that of a model without a known price.",
        "An agent was started by the one call that has its prompt; its log names none.",
        "Condensations, interrupts, hooks and calls by protocol follow the SDK's types.",
        "The directory that OPENHANDS_CONVERSATIONS_DIR names replaces ~/.openhands/conversations.",
    ),
    gaps=(
        "Conversations of OpenHands before the SDK (V0) are not read.",
        "Tokens are counted for the whole conversation: no event has those of its own request.",
        "Of a search only the files in which something was found are recorded.",
    ),
)
