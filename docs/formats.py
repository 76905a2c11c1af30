"""Writes docs/formats.md out of what every provider says of its formats."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from agentview.coverage.versions import in_order
from agentview.providers import load_evidence, load_provider, provider_names
from agentview.providers.base import Evidence

TARGET = Path(__file__).parent / "formats.md"

_WIDTH = 100
_BEGINNING = """\
# Formats

No client promises a format for its logs, and all change theirs as they like. This page says of each
provider which versions were read, where its facts come from, when they were last compared with what
a real client wrote, what is a guess, and what is known to be missing. It is written by
`python -m docs.formats` out of the `evidence.py` in each provider's folder, where a change belongs.

`agentview doctor` names a version that is newer than all of these: its sessions will open, since
what is unknown is shown as it stands, and it is worth a look whether all of it is understood. Then
`agentview doctor TARGET` shows what became of every record, and `agentview dev census --diff`
what is new in it.
"""
_NEVER = "never"
_NAMED = 4
"""Versions from which on only the ends are named."""


def page() -> str:
    """All of docs/formats.md."""
    return "\n".join([_BEGINNING, *_table(), *_sections()])


def main() -> None:
    """Write the page."""
    TARGET.write_text(page())


def _table() -> Iterator[str]:
    yield "| provider | recorded by the project | versions read | in its logs | compared |"
    yield "|---|---|---|---|---|"
    for name, evidence in _all():
        cells = (
            load_provider(name).label,
            ", ".join(in_order(evidence.verified_versions)) or "–",
            versions_read(evidence),
            "yes" if evidence.versioned else "no",
            evidence.verified_on or _NEVER,
        )
        yield f"| {' | '.join(cells)} |"
    yield ""


def versions_read(evidence: Evidence) -> str:
    """All versions that were read; of many the oldest, the newest, and how many there are."""
    versions = in_order((*evidence.verified_versions, *evidence.seen_versions))
    if len(versions) < _NAMED or not all(version[0].isdigit() for version in versions):
        return ", ".join(versions) or "–"
    return (
        versions[0] if len(versions) == 1 else f"{versions[0]} … {versions[-1]} ({len(versions)})"
    )


def _sections() -> Iterator[str]:
    for name, evidence in _all():
        yield f"## {load_provider(name).label}"
        yield ""
        if evidence.seen_versions:
            yield from _wrapped(
                f"Read as well: {', '.join(in_order(evidence.seen_versions))}.", "", ""
            )
            yield ""
        yield from _list("Where the facts come from", evidence.sources)
        yield from _list("Guesses", evidence.guesses)
        yield from _list("Known to be missing", evidence.gaps)


def _list(title: str, sentences: Sequence[str]) -> Iterator[str]:
    if sentences:
        yield f"{title}:"
        yield ""
        for sentence in sentences:
            yield from _wrapped(sentence, "- ", "  ")
        yield ""


def _wrapped(text: str, first: str, others: str) -> Iterator[str]:
    line = first
    for word in text.split():
        if line.strip() and len(line) + len(word) + 1 > _WIDTH:
            yield line
            line = others
        line += word if line in (first, others) else f" {word}"
    yield line


def _all() -> Iterator[tuple[str, Evidence]]:
    for name in provider_names():
        evidence = load_evidence(name)
        if evidence is not None:
            yield name, evidence


if __name__ == "__main__":
    main()
