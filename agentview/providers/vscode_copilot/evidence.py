"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: a session is a document, or a log of changes to one.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    public_logs=True,
    versioned=False,
    sources=(
        "A session of the end of 2025 in a public repository, with tools and replaced names.",
        "The public source of VS Code and of the extension, for parts of responses and tools.",
        "What readers have published of logs of changes, which versions of 2026 write.",
    ),
    guesses=(
        "Rounds of calls have all that was said where a request has them.",
        "The name of a server's tool is `mcp_<server>_<tool>`, its server without an underscore.",
        "A request that is canceled was canceled by the person.",
        "A title was made by the model: nothing says that a person gave it.",
        "Requests that a change cuts off were taken back, or their prompt was written again.",
    ),
    gaps=(
        "A log of changes that the client has replaced by its state has no branches any more.",
        "Calls in a request without rounds have no arguments: only what an editor shows of them.",
        "Nothing says whether a call failed.",
        "Tokens are stated, if at all, of the last response of a request: they are not counted.",
        "All calls of a request have its time.",
    ),
)
