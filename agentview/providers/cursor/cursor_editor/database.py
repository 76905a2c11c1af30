"""How it keeps sessions: values in JSON by their keys, in the table `cursorDiskKV`.

`composerData:<session>` lists the messages of a session in order, `bubbleId:<session>:<message>` is
one of them. Sessions of older versions have their messages in the list itself. A value that is
written again gets a new rowid. Sources: see `evidence.toml`.
"""

from collections.abc import Mapping

from agentview.sources.member import Database, Sessions, Table

_KEY = "composerData:"
_COMPOSER = "CASE WHEN json_valid(CAST(c.value AS TEXT)) THEN CAST(c.value AS TEXT) END"
_OWN = f"cursorDiskKV c WHERE c.key = '{_KEY}' || :session"
_HEADS = f"json_each(json_extract({_COMPOSER}, '$.fullConversationHeadersOnly')) h"
_INLINE = f"json_each(json_extract({_COMPOSER}, '$.conversation')) h"
_LISTED = f"json_array_length({_COMPOSER}, '$.fullConversationHeadersOnly')"
_BUBBLE = "CASE WHEN json_valid(CAST(b.value AS TEXT)) THEN CAST(b.value AS TEXT) END"
_RESULT = f"json_extract({_BUBBLE}, '$.toolFormerData.result')"
_ALL = f"cursorDiskKV c WHERE c.key >= '{_KEY}' AND c.key < 'composerData;'"
_WANTED = ", ".join(
    f"'$.{path}'"
    for path in (
        "fullConversationHeadersOnly[0].bubbleId",
        "conversation[0].type",
        "fullConversationHeadersOnly[#-1].createdAt",
        "lastUpdatedAt",
        "createdAt",
        "subagentInfo.parentComposerId",
        "subagentInfo.toolCallId",
        "name",
    )
)


def _fact(at: int) -> str:
    return f"json_extract(s.facts, '$[{at}]')"


def _of(key: str) -> str:
    return f"json_extract({_COMPOSER}, '$.{key}')"


def _listed(key: str) -> str:
    """Facts on the session in the table of newer versions, next to those in its own value."""
    return (
        "(SELECT CASE WHEN json_valid(CAST(l.value AS TEXT))"  # noqa: S608
        f" THEN json_extract(CAST(l.value AS TEXT), '$.{key}') END"
        " FROM composerHeaders l WHERE l.composerId = :session)"
    )


def _content(key: str) -> str:
    """A file before or after an edit: its text has a key of its own, which the result names."""
    return (
        "(SELECT CAST(f.value AS TEXT) FROM cursorDiskKV f"  # noqa: S608
        f" WHERE f.key = CASE WHEN json_valid({_RESULT})"
        f" THEN json_extract({_RESULT}, '$.{key}') END)"
    )


_FACTS: Mapping[str, str] = {
    "name": _of("name"),
    "created_at": _of("createdAt"),
    "status": _of("status"),
    "mode": _of("unifiedMode"),
    "model": _of("modelConfig.modelName"),
    "folder": _of("workspaceIdentifier.uri.fsPath"),
    "folder_uri": _of("workspaceIdentifier.uri.external"),
    "listed_name": _listed("name"),
    "listed_folder": _listed("workspaceIdentifier.uri.fsPath"),
    "branch": _listed("trackedGitRepos[0].branches[0].branchName"),
    "parent": _of("subagentInfo.parentComposerId"),
    "tokens_used": _of("contextTokensUsed"),
    "tokens_most": _of("contextTokenLimit"),
    "summary": _of("latestConversationSummary.summary.summary"),
}

DATABASE = Database(
    tables=(
        Table(
            name="composer",
            rows=_OWN,
            row="0 + 0",
            created="0 - 1",
            updated="c.rowid",
            columns={"id": f"substr(c.key, {len(_KEY) + 1})", **_FACTS},
        ),
        Table(
            name="bubble",
            rows=(
                f"cursorDiskKV c JOIN {_HEADS} LEFT JOIN cursorDiskKV b ON b.key = 'bubbleId:'"
                " || :session || ':' || json_extract(h.value, '$.bubbleId')"
                f" WHERE c.key = '{_KEY}' || :session"
            ),
            row="h.key",
            created="h.key",
            updated="coalesce(b.rowid, 0)",
            columns={
                "head": "h.value",
                "bubble": "CAST(b.value AS TEXT)",
                "before": _content("beforeContentId"),
                "after": _content("afterContentId"),
            },
            parsed=frozenset({"head", "bubble"}),
        ),
        Table(
            name="inline",
            rows=(
                f"cursorDiskKV c JOIN {_INLINE} WHERE c.key = '{_KEY}' || :session"
                f" AND coalesce({_LISTED}, 0) = 0"
            ),
            row="h.key",
            created="h.key",
            updated="c.rowid",
            columns={"bubble": "h.value"},
            parsed=frozenset({"bubble"}),
        ),
        # Behind all messages: what was spent on them.
        Table(
            name="spent",
            rows=f"{_OWN} AND json_extract({_COMPOSER}, '$.usageData') NOT IN ('{{}}', '[]')",
            row="0 + 0",
            created="1e9 + 0",
            updated="c.rowid",
            columns={"usage": _of("usageData")},
            parsed=frozenset({"usage"}),
        ),
    ),
    marks=frozenset({"cursorDiskKV.key", "cursorDiskKV.value"}),
    sessions=Sessions(
        # One look at each value, which may have megabytes; the limit keeps it to that.
        rows=(
            f"(SELECT c.key AS key, json_extract({_COMPOSER}, {_WANTED}) AS facts"  # noqa: S608
            f" FROM {_ALL} AND (:own IS NULL OR c.key = '{_KEY}' || :own) LIMIT -1) s"
            f" WHERE coalesce({_fact(0)}, {_fact(1)}) IS NOT NULL"
        ),
        id=f"substr(s.key, {len(_KEY) + 1})",
        modified=(
            f"max(coalesce({_fact(3)}, 0), coalesce({_fact(4)}, 0),"
            f" coalesce(strftime('%s', {_fact(2)}), 0) * 1000.0) / 1000.0"
        ),
        parent=_fact(5),
        call=_fact(6),
        title=_fact(7),
        versions=f"SELECT substr(c.key, {len(_KEY) + 1}), c.rowid FROM {_ALL}",  # noqa: S608
    ),
)
