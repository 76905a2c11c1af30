"""Lines of Vibe 2 (2.19): messages, and what is counted of a session.

The names are those of the format. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

from agentview.providers.vibe.shared.content import Content

Number = int | float | str | None
Anything = object


class Function(Struct, gc=False):
    """A tool with its arguments, which are a text or an object."""

    name: str | None = None
    arguments: Raw = Raw()


class Asked(Struct, gc=False):
    """A call."""

    id: str | None = None
    function: Function | None = None


class Model(Struct, gc=False):
    """A model of the settings, which has an alias."""

    name: str | None = None
    alias: str | None = None


class Config(Struct, gc=False):
    """The settings that a session began with."""

    active_model: str | None = None
    models: list[Model | None] | None = None


class Stats(Struct, gc=False):
    """Counts; after a compaction with those of the sessions before."""

    session_prompt_tokens: Number = None
    session_completion_tokens: Number = None
    session_cost: Number = None


class Before(Struct, gc=False):
    """Of the sessions that compactions ended: the first title, the last counts."""

    title: str | None = None
    stats: Stats | None = None


class Environment(Struct, gc=False):
    """Where a session is."""

    working_directory: str | None = None


class Line(Struct, gc=False):
    """A message, or, without a role, what is kept of the session."""

    role: str | None = None
    content: Content = None
    reasoning_content: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    tool_calls: list[Asked | None] | None = None
    injected: bool | None = None
    # Of the session.
    session_id: Anything = UNSET
    parent_session_id: Anything = None
    agent_profile: Anything = None
    environment: Environment | UnsetType | None = UNSET
    config: Config | None = None
    model: str | None = None
    stats: Stats | None = None
    before: Before | None = None
    git_branch: str | None = None
    start_time: Number = None
    end_time: Number = None
    title: str | None = None
    title_source: str | None = None
