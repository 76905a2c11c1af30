"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: a call is recorded for the model, for the screen and by `exec`, in
three forms.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=(
        "0.128.0",
        "0.169.0",
    ),
    seen_versions=(
        "0.40.0",
        "0.58.0",
        "0.104.0-alpha.1",
        "0.118.0-alpha.2",
        "0.118.0",
        "0.119.0-alpha.11",
        "0.119.0-alpha.28",
        "0.121.0",
        "0.123.0",
        "0.124.0-alpha.2",
        "0.125.0",
        "0.137.0-alpha.4",
        "0.140.0-alpha.2",
        "0.140.0-alpha.19",
        "0.142.0-alpha.6",
        "0.144.0-alpha.4",
        "0.144.1",
        "0.146.0",
        "0.154.0",
    ),
    verified_on="2026-11-21",
    sources=(
        (
            "Recordings of 0.128.0 and 0.169.0 in a scripted project: rollouts, and what codex "
            "exec --json prints."
        ),
        (
            "Rollouts of 0.40 to 0.154 that people have published, of the command line, the "
            "desktop and the editor clients."
        ),
        (
            "The client's own source, which is public, for what it writes and for how that has "
            "changed."
        ),
    ),
    guesses=(
        "A message of role `user` that begins with 'Warning: ' is a note of the client.",
        (
            "The first generation of rollouts, before there were envelopes, follows the source "
            "and excerpts."
        ),
        (
            "What codex exec --json printed up to 0.43, the documents of the first client in "
            "TypeScript, and items that no recording has follow the source."
        ),
        "Prompts and calls in the terminal client's own session log follow the source.",
        "The usage that codex exec --json prints with a turn is the thread's sum, by the source.",
        (
            "Where the own records of a fork begin, up to 0.14x: at the first turn that is not "
            "older than the thread, else behind what was written in one go with it."
        ),
        (
            "Calls inside scripts of code mode that have no record of their own are read from the "
            "text of the script."
        ),
    ),
    gaps=(
        "Logs of the client's app server are not read.",
        "Few genuine rollouts from before 0.118 were read.",
        (
            "Which script of code mode made a call is inferred from times: such a call says that a "
            "script made it, and no more."
        ),
        (
            "Equal texts that stand within 50 kB of each other in what a fork repeats may be "
            "taken for one; all its records have the time of the fork."
        ),
        (
            "A paginated rollout that holds only the tail of a fork is shown without what its "
            "parent holds."
        ),
        "Of 0.147 to 0.153 and 0.155 to 0.168 no rollout was read.",
    ),
)
