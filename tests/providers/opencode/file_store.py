"""Writes a session as clients before 1.2 kept it: a file for each session, message and part."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PROJECT = "4b0ea68d7af9a6031a7ffda7ad66e0cb83315750"


def write(storage: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write the rows of a session, of which it is the first; return the file of the session."""
    rows = list(rows)
    first = rows[0]
    own = first["id"]
    session: dict[str, Any] = {
        "id": own,
        "version": "1.1.65",
        "projectID": PROJECT,
        "directory": first["directory"],
        "title": first["title"],
        "time": {"created": first["time_created"], "updated": first["time_updated"]},
    }
    if first["parent_id"] is not None:
        session["parentID"] = first["parent_id"]
    for row in rows[1:]:
        about = {"id": row["id"], "sessionID": own}
        if row["table"] == "message":
            put(storage / "message" / own / f"{row['id']}.json", {**about, **row["data"]})
        else:
            place = storage / "part" / row["message_id"] / f"{row['id']}.json"
            put(place, {**about, "messageID": row["message_id"], **row["data"]})
    file = storage / "session" / PROJECT / f"{own}.json"
    put(file, session)
    return file


def put(path: Path, fields: dict[str, Any]) -> None:
    """Write one object, as the client does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(fields, indent=2, ensure_ascii=False), encoding="utf-8")
