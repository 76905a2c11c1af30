"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("3.0.65",),
    verified_on="2026-11-23",
    sources=(
        "Sessions that Cline 3.0.65 wrote, with a scripted model of the project's own.",
        "The client's source, which is public: names of tools and words of refusals.",
    ),
    guesses=(
        "A cost of 0 is one that the client does not know.",
        "The call that started an agent is the only one that asks for what the agent was asked.",
    ),
    gaps=(
        "That a run was cancelled is known to the session's own file and its index only.",
        "The index `db/sessions.db` is not read: it says of a session what its file says.",
        "An agent has no such file; only the index has the status of its run.",
        "Requests that were tried again leave no trace in the messages.",
    ),
)
