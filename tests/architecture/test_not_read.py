"""A client is read by a provider, or it is in the table of those that are not: never both."""

import re
from pathlib import Path

import pytest

from agentview.providers import load_provider, provider_roots
from agentview.providers.folders import own_packages
from agentview.providers.other_clients import places_of, table
from tests.architecture.sources import PACKAGE

HOME = {"HOME": "/home/dev"}
ROWS = [pytest.param(row, id=row[0]) for row in table()]
OWN = tuple(own_packages())
TABLE = PACKAGE / "providers" / "not_read.txt"
LEAVES = "is read now: its row leaves agentview/providers/not_read.txt"


def plain(name: str) -> str:
    """A name without what is written in different ways."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@pytest.mark.parametrize("row", ROWS)
def test_no_provider_has_its_name(row: list[str]):
    names = {plain(name) for own in OWN for name in (own, load_provider(own).label)}
    assert not names & {plain(row[0]), plain(row[1])}, f"{row[1]} {LEAVES}"


@pytest.mark.parametrize("row", ROWS)
def test_no_provider_reads_its_places(row: list[str]):
    for own in OWN:
        for root in provider_roots(own, HOME):
            for place in places_of(row[3], HOME):
                assert not _overlap(root, place), f"{row[1]} {LEAVES}: {own} looks in {root}"


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


@pytest.mark.parametrize("row", ROWS)
def test_no_provider_has_its_programs(row: list[str]):
    programs = {program for own in OWN for program in load_provider(own).programs}
    assert not programs & {*row[2].split()}, f"{row[1]} {LEAVES}"


def test_many_clients_are_named_each_with_a_source():
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    rows = [*table()]
    assert len(rows) == len(lines) >= 30
    assert len({row[0] for row in rows}) == len({row[1] for row in rows}) == len(rows)
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert all(row[4] for row in rows)


def test_places_are_in_the_home_directory():
    for row in table():
        assert all(place.is_relative_to("/home/dev") for place in places_of(row[3], HOME))
