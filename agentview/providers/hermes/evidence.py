"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: older versions keep documents, and results are JSON in texts, read
by kind.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("0.19.0",),
    versioned=False,
    verified_on="2026-11-23",
    sources=(
        "Databases that Hermes Agent 0.19.0 wrote, with a scripted model of the project's own.",
        "Documents of older versions in a public repository, which people wrote for tests.",
        "Public texts that quote the client's words for a refused command.",
    ),
    guesses=(
        "A cost of 0 is one that the client does not know.",
        "An agent was started by the call that was dispatched last before the agent began.",
        "Rows that are neither active nor compacted were undone by the person.",
        "A content of several parts has the mark that the client's source has for it.",
        "A session with a parent that is not an agent's continues that parent.",
        "A document whose session is in the database as well is shown once, from there.",
        "Times of a document that have no zone are local times of this machine.",
    ),
    gaps=(
        "Messages of older versions, which are in JSON documents, have no times.",
        "Files of lines that gateways of older versions wrote are not read.",
        "Databases of other profiles than the first are read when they are named only.",
        "Requests that failed or were tried again leave no trace in the tables.",
        "That rows were undone while the session is followed shows when it is opened again.",
    ),
)
