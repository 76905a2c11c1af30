"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    versioned=False,
    sources=(
        "Files of sessions and parts in a public repository, which people wrote for tests.",
        "Exported sessions that people have published, whose objects are those of the files.",
        "The client's source, which is public: the folders, and what copies them to the database.",
    ),
    guesses=(
        "A part without a time of its own was written after the one in front of it.",
        "A session that is in the database as well was copied there: it is shown once, from there.",
        "A cost of 0 is one that the client does not know.",
        "A tool whose name is `a_b` and is not the client's own is the tool `b` of the server `a`.",
    ),
    gaps=(
        "What a client writes is shown once it writes the file of the session again.",
        "A file of one message or one part is read as part of its session only.",
        "The folders of each project that versions of mid-2025 kept are not read.",
        "Todos of `storage/todo` are known by the calls that set them only.",
    ),
)
