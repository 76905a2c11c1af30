"""Where chats are: `chats/<hash of the directory>/<id of the chat>/store.db`, each a session."""

import os
from collections.abc import Iterable
from pathlib import Path

import orjson

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers.base import Light
from agentview.providers.cursor.cursor_chats.database import DATABASE
from agentview.sources.files import files_below, read_member_ends, read_part
from agentview.sources.member import Member, member_of

_STORE = "store.db"
_DEPTH = 2
"""Folders between the place of all chats and a database."""
_FACTS = "meta.json"
"""The client's facts of a chat, in a file next to its database."""
_FACTS_BYTES = 65_536


class Chats(DatabaseLogs):
    """The chats of the command line."""

    session_table = "chat"

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """The chat of a database, or of all databases below a folder; and saved chats in it."""
        if root.is_file():
            yield from super().files(root)
            return
        for entry in files_below(root, (_STORE, ".jsonl"), depth=_DEPTH):
            if entry.name == _STORE:
                yield from super().files(Path(entry.path))
            elif not entry.name.endswith(_STORE):
                yield entry

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last rows, and from the file next to the database."""
        events = end_lines(*read_member_ends(Path(ref.path)), ref, decode)
        facts = _facts(ref)
        name, folder = text_of(facts.get("title")), text_of(facts.get("cwd"))
        return overview(ref, events, name=name, project=folder)


def _facts(ref: SessionRef) -> Fields:
    member = member_of(ref.path)
    if member is None:
        return {}
    try:
        return fields_of(
            orjson.loads(read_part(Path(member[0]).with_name(_FACTS), 0, _FACTS_BYTES))
        )
    except ValueError:
        return {}


DISCOVERY = Chats("cursor_chats", DATABASE)
