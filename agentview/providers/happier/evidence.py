"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: a call is known by its metadata or, in older traces, by its raw
name.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    public_logs=True,
    versioned=False,
    sources=(
        "Happier's own file of fixtures, 107 kinds of calls of five agents.",
        "Its source, which is public: tool trace, names of tools, version 2 of its envelope.",
    ),
    guesses=("Kinds of calls that the fixtures do not have follow the schemas.",),
    gaps=(
        "The project has no trace of its own: fixtures are curated by Happier, one call at a time.",
    ),
)
