"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: the protocol has two versions, and each agent adds something to it.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=(
        "claude-code-acp 0.16.2",
        "codex-acp 2.6.0",
        "gemini 0.61.0",
        "opencode 1.18.33",
    ),
    versioned=False,
    verified_on="2026-11-21",
    sources=(
        "Recordings of the traffic with four agents, both ways.",
        "The schema of the protocol, versions 1 and 2.",
        "Logs that a client kept in the autumn of 2025.",
        "What readers have published of `updates.jsonl`, in which Grok Build keeps its updates.",
    ),
    guesses=(
        "Updates that stand without the messages around them are of the one session of the log.",
        "A search is one of text, of files or of the web by its title and arguments.",
        "The `costUsdTicks` that Grok Build states of a turn are 1e-10 dollars each.",
        "Version 2 of the protocol follows its schema: no agent that speaks it was recorded.",
    ),
    gaps=("Clients that keep threads in databases of their own are not read.",),
)
