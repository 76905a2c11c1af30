"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: turns, tokens, tasks, agents and modes have records of their own.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("2.1.0",),
    versioned=False,
    verified_on="2026-11-24",
    sources=(
        "Recordings of 2.1.0: tools, agents, tasks in the background, a refusal, errors, an image.",
        "The client's public source and documentation: records, words of refusals, places.",
        "Journals of protocol 1.4 in public repositories.",
    ),
    guesses=(
        "A result without `isError` is one of a call that succeeded.",
        "A command that did not fail and has no line about its exit ended with 0.",
        "A call was refused where its result begins with the words of the client for that.",
        "A record `context.undo` takes back as many prompts as it counts.",
        "A question of the client names its kind in `kind` and the call in `payload`.",
    ),
    gaps=(
        "A call that a hook refused looks as one that failed: its result has the hook's words.",
        "What `--output-format stream-json` prints does not say whether a call failed.",
        "Images are in files next to the journal: results only name them.",
        "The messages that a forked session took over count in both.",
    ),
)
