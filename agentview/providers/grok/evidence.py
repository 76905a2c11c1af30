"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    versioned=False,
    sources=(
        "Histories that others made with types of the client's public source, of July 2026.",
        "What readers have published of the keys of a history, of updates and of a summary.",
    ),
    guesses=(
        "Names of tools that no published history has.",
        "Histories of the first form, with roles, are known from one that was converted to it.",
        "A message whose reason begins with `compaction` has the summary of what was before.",
        "A search of the service whose status is `completed` succeeded.",
    ),
    gaps=(
        "The project has no recording of its own.",
        "A history, which is read where there are no updates, has no times, tokens or outcomes.",
        "A file of updates that is opened by its path is shown as ACP.",
        "A session of an agent is one of its own: nothing next to it names its parent.",
    ),
)
