"""Which versions of the format were read, where its facts come from, and what is a guess.

The provider has over 700 lines: texts are printed in parts and then whole, next to reports of the
client.
"""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=(
        "2.0.76",
        "2.1.329",
    ),
    verified_on="2026-11-21",
    sources=(
        (
            "Recordings of what 2.0.76 and 2.1.329 print with --output-format stream-json, with "
            "and without partial messages."
        ),
        "Types of messages in the packages of the Agent SDK, up to 0.3.329.",
        "Readers that others have published, for published changes and what became of prompts.",
    ),
    guesses=(
        "Reports that only the types have, and no recording, are shown as the types describe them.",
    ),
    gaps=(
        (
            "Records of sessions that go wrong half-way (limits of turns and budget) were not "
            "recorded."
        ),
    ),
)
