"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("1.48.0",),
    versioned=False,
    verified_on="2026-11-24",
    sources=(
        "Recordings of 1.48.0: tools, agents, an error, compactions.",
        "The client's public source: the messages of its wire, protocol 1.10.",
    ),
    guesses=(
        "Only of an agent in the background, which has a task, the work is in its own log alone.",
        "A command that did not fail and has no line about its exit ended with 0.",
        "A call was refused where its result begins with the words of the client for that.",
    ),
    gaps=(
        "What `--output-format stream-json` prints lacks prompts, times and tokens.",
        "Neither the model nor the reason why a step was interrupted is in the log.",
        "The directory of a session is known only where the client's list of them is there.",
        "The summary of a compaction is in another file, context.jsonl, which is read by its path.",
        "A context.jsonl without a wire, as older clients wrote, has neither times nor tokens.",
    ),
)
