"""The command that resumes a session: only by an id, never by what a hostile log has instead."""

import pytest

from agentview.domain.session import SessionRef
from agentview.providers._kit.resume_command import resume_with

ID = "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0001"


@pytest.mark.parametrize("name", [ID, ID.upper(), f"agent-{ID}"])
def test_an_id_stands_behind_the_command(name: str):
    assert resume_with("client", "--resume")(SessionRef("p", name, "/x")) == (
        "client", "--resume", name
    )  # fmt: skip


@pytest.mark.parametrize("name", ["demo", "", f"{ID};ls", f"--{ID}", f"$(x){ID}", f"{ID}\n", "-x"])
def test_anything_else_is_none(name: str):
    assert resume_with("client")(SessionRef("p", name, "/x")) is None


def test_an_agent_is_not_resumed():
    assert resume_with("client")(SessionRef("p", ID, "/x", parent_id=ID)) is None
