"""`agentview providers`: the formats that are read, and what the reading of each is based on."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence

from agentview.cli.doctor_report.report import version_span
from agentview.cli.output.sheet import Line, Row, Tone, aligned, heading, put
from agentview.domain.value import Value
from agentview.facts.accounting.versions import in_order
from agentview.providers import load_evidence, load_provider, provider_names, provider_roots
from agentview.providers.base import Capability, OtherWriter
from agentview.reports.export.encoding import to_json_document
from agentview.sessions.targets.log_file import chosen_providers
from agentview.sessions.targets.session_line import home_relative
from agentview.timeline.view.format_numbers import UNKNOWN

_TONES = {"measured": Tone.GOOD, "public logs": Tone.PLAIN, "guess": Tone.WARN}


class FormatFacts(Value):
    """A provider with its evidence; `basis` is None for a plug-in that has none."""

    name: str
    label: str
    basis: str | None
    verified_versions: tuple[str, ...] = ()
    seen_versions: tuple[str, ...] = ()
    verified_on: str | None = None
    sources: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    capabilities: tuple[Capability, ...] = ()
    """Features of its client and of its logs."""
    places: tuple[str, ...] = ()
    """Where its sessions are looked for, whether the directories exist or not."""
    writers: tuple[OtherWriter, ...] = ()
    """Other clients that write the format."""


def run(options: argparse.Namespace) -> int:
    """Print the formats; of one that is named its guesses and gaps too."""
    chosen = [name for given in options.names for name in chosen_providers(given)]
    found = [_facts(name) for name in chosen or provider_names()]
    if options.json:
        sys.stdout.buffer.write(to_json_document(found))
    else:
        put(_lines(found, in_full=bool(chosen)))
    return 0


def _facts(name: str) -> FormatFacts:
    provider, evidence = load_provider(name), load_evidence(name)
    label, capabilities = provider.label, tuple(provider.capabilities)
    places = tuple(map(str, provider_roots(name, os.environ)))
    if evidence is None:
        return FormatFacts(name, label, None, capabilities=capabilities, places=places)
    return FormatFacts(
        name,
        label,
        evidence.basis,
        tuple(in_order(evidence.verified_versions)),
        tuple(evidence.seen_versions),
        evidence.verified_on,
        tuple(evidence.sources),
        tuple(evidence.guesses),
        tuple(evidence.gaps),
        capabilities,
        places,
        tuple(evidence.writers),
    )


def _lines(found: Sequence[FormatFacts], *, in_full: bool) -> Iterator[Line]:
    heads = ("PROVIDER", "NAME", "BASIS", "MEASURED WITH", "ON", "GUESSES", "GAPS")
    rows: list[Row] = [[(head, Tone.FAINT) for head in heads]]
    rows += [_row(each) for each in found]
    yield from aligned(rows, right=(5, 6), indent=0)
    others = [(each.name, facts.label, each.source) for facts in found for each in facts.writers]
    if others:
        yield from heading("other clients that write these formats")
        listed = sorted(others, key=lambda cells: cells[0].casefold())
        yield from aligned([list(cells) for cells in listed])
    for each in found if in_full else ():
        sections = (
            ("what the client can do, and its logs have", _listed(each.capabilities)),
            ("where the facts come from", each.sources),
            ("guesses", each.guesses),
            ("known to be missing", each.gaps),
            ("where sessions are looked for", tuple(map(home_relative, each.places))),
        )
        for title, sentences in sections:
            if sentences:
                yield from heading(f"{each.label}: {title}")
                yield from aligned([[sentence] for sentence in sentences])


def _listed(words: Sequence[str]) -> Sequence[str]:
    return [", ".join(words)] if words else ()


def _row(facts: FormatFacts) -> Row:
    return [
        facts.label,
        facts.name,
        (facts.basis or UNKNOWN, _TONES.get(facts.basis or "", Tone.FAINT)),
        version_span(facts.verified_versions),
        facts.verified_on or UNKNOWN,
        UNKNOWN if facts.basis is None else str(len(facts.guesses)),
        UNKNOWN if facts.basis is None else str(len(facts.gaps)),
    ]
