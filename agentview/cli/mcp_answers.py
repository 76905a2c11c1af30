"""Answers of the tools of `agentview mcp`; a docstring is what an agent reads of a tool."""

import asyncio
import sys
from typing import Literal, cast

import orjson

from agentview.errors import AgentViewError
from agentview.export.encoding import to_json_line
from agentview.redaction.values import masked_value

LIMIT = 20_000
"""Characters of an answer, unless another limit is asked for."""

_SECONDS = 120.0
_MOST = 200_000
_NOTHING_FOUND = 1

Level = Literal["title", "summary", "full"]


class Answers:
    """Runs commands for the tools of the server."""

    def __init__(self, *, mask: bool) -> None:
        self._mask = ("--mask",) if mask else ()

    async def list_sessions(
        self, project: str | None = None, provider: str | None = None, limit: int = 20
    ) -> str:
        """List past and running sessions, the newest first, as JSON.

        `project` is a directory or its name, `provider` a client such as claude_code or codex. `id`
        is what the other tools take as `session`.
        """
        rows = await self._json("ls", "--json", *_selected(project, provider))
        return _text(_items(rows)[: max(1, limit)])

    async def search(
        self, query: str, project: str | None = None, provider: str | None = None, limit: int = 20
    ) -> str:
        """Find what was said and done in all sessions, as JSON, the newest session first.

        `query` is words, "a phrase", -without, or filters such as kind:shell, tool:Bash,
        file:app.py and is:error.
        """
        count = str(max(1, min(limit, 200)))
        selected = _selected(project, provider)
        rows = await self._json(
            "search", "--json", "--limit", count, *selected, "--", query, none=_NOTHING_FOUND
        )
        return _text(rows)

    async def read_session(
        self,
        session: str,
        turn: int | None = None,
        level: Level = "summary",
        offset: int = 0,
        limit: int = LIMIT,
    ) -> str:
        """Read the timeline of a session as text.

        `turn` is the number of one prompt, from 1; without it, all turns. `level` says how much of
        each call is shown. `offset` and `limit` are characters; the last line says where to
        continue.
        """
        arguments = ["--no-pager", "--plain", "--detail", level, *self._mask]
        if turn is not None:
            arguments += ["--turn", str(max(1, turn))]
        text = await _output("cat", *arguments, "--", _session(session))
        start = max(0, offset)
        end = start + max(1, min(limit, _MOST))
        rest = len(text) - end
        more = f"\n… {rest} more characters; continue with offset={end}" if rest > 0 else ""
        return text[start:end] + more

    async def file_history(self, path: str) -> str:
        """Show for each line of a file which session, turn, prompt and call wrote it, as JSON.

        `path` is absolute, and may end with :LINE or :LINE-LINE.
        """
        return _text(await self._json("blame", "--json", *self._mask, "--", path))

    async def usage(
        self,
        session: str | None = None,
        by: Literal["day", "project", "model", "tool", "provider", "session"] | None = None,
        project: str | None = None,
    ) -> str:
        """Count tokens, cost and time of one session, or of all, as JSON; unknown is null.

        Costs are estimates from list prices in US dollars, unless the client recorded its own.
        """
        arguments = [*_selected(project, None), *(("--by", by) if by else ())]
        target = () if session is None else ("--", _session(session))
        return _text(await self._json("stats", "--json", *arguments, *target))

    async def _json(self, *arguments: str, none: int = 0) -> object:
        output = await _output(*arguments, none=none)
        value: object = orjson.loads(output) if output.strip() else []
        return masked_value(value) if self._mask else value


def _selected(project: str | None, provider: str | None) -> list[str]:
    given = (("--project", project), ("--provider", provider))
    # One argument each: a value that begins with a dash is not an option.
    return [f"{name}={value}" for name, value in given if value]


def _session(session: str) -> str:
    """The id of a session; a path would lead to any file of the machine."""
    if "/" in session or session in ("", "-", ".", ".."):
        raise AgentViewError("session is not an id.", "list_sessions shows the ids.")
    return session


async def _output(*arguments: str, none: int = 0) -> str:
    """What a command prints. Raises AgentViewError where it fails, not for the code `none`."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "agentview",
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_SECONDS):
            output, errors = await process.communicate()
    except TimeoutError:
        raise AgentViewError(f"No answer within {_SECONDS:.0f} seconds.", "Narrow it.") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode not in (0, none):
        said = errors.decode("utf-8", "replace").strip().removeprefix("agentview: ")
        raise AgentViewError(said or f"exit code {process.returncode}")
    return output.decode("utf-8", "replace")


def _text(value: object) -> str:
    """JSON of a value, cut at the limit of an answer between the items of a list."""
    text = to_json_line(value).decode().rstrip("\n")
    if len(text) <= _MOST or not isinstance(value, list):
        return text[:_MOST]
    kept: list[object] = []
    size = 2
    for item in _items(cast("object", value)):
        size += len(to_json_line(item))
        if size > _MOST:
            break
        kept.append(item)
    return to_json_line(kept).decode().rstrip("\n")


def _items(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
