"""What a plugin of ours reports of OpenCode, whose database does not show an open request.

Sources: the client's reference of plugins, and runs of 1.18.33. A hook of this client is a function
in its process, which has all sessions. What an agent asks is of the session that began it.
"""

import json
from collections.abc import Mapping

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import Fields, text_of
from agentview.providers._kit.hooks import HookForm, hook_directory, hook_reports

_EVENTS: Mapping[str, Activity | None] = {
    "busy": Activity.BUSY,
    "idle": Activity.IDLE,
    "permission": Activity.APPROVAL,
    "question": Activity.QUESTION,
}
_PLUGIN = """\
import { mkdirSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const FOLDER = %s
const WEEK = 7 * 24 * 3600 * 1000

export const AgentView = async () => {
  const parents = new Map()
  const asked = new Map()

  const rootOf = (session) => {
    for (let level = 0; level < 64 && parents.has(session); level++) session = parents.get(session)
    return session
  }
  const save = (session, kind, about) => {
    if (!/^[\\w-]{1,128}$/.test(session)) return
    const file = join(FOLDER, `${process.pid}-${session}`)
    const event = { session_id: session, hook_event_name: kind, about }
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
    writeFileSync(`${file}.new`, JSON.stringify(event), { mode: 0o600 })
    renameSync(`${file}.new`, `${file}.json`)
  }
  const report = (session, state) => {
    const first = [...asked.values()].find((request) => request.session === session)
    if (first) save(session, first.kind, first.about)
    else save(session, state)
  }
  const removeOld = () => {
    for (const name of readdirSync(FOLDER)) {
      const file = join(FOLDER, name)
      if (Date.now() - statSync(file).mtimeMs > WEEK) unlinkSync(file)
    }
  }
  const take = (type, values) => {
    const session = rootOf(values.sessionID)
    if (type === "session.created" && values.info?.parentID) {
      parents.set(values.info.id, values.info.parentID)
    } else if (type === "permission.asked") {
      const about = values.metadata?.command ?? values.metadata?.filepath ?? values.patterns?.[0]
      asked.set(values.id, { session, kind: "permission", about: about ?? values.permission })
      report(session)
    } else if (type === "question.asked") {
      asked.set(values.id, { session, kind: "question", about: values.questions?.[0]?.question })
      report(session)
    } else if (/^(permission|question)\\.(replied|rejected)$/.test(type)) {
      asked.delete(values.requestID)
      report(session, "busy")
    } else if (type === "session.status" && session === values.sessionID) {
      report(session, values.status?.type === "idle" ? "idle" : "busy")
    }
  }

  try { removeOld() } catch {}
  return {
    event: async ({ event }) => {
      try { take(event.type, event.properties ?? {}) } catch {}
    },
  }
}
"""


def _activity(kind: str, _: Fields) -> Activity | None:
    return _EVENTS[kind]


def _about(event: Fields) -> str | None:
    return text_of(event.get("about"))


def _plugin() -> str:
    return (_PLUGIN % json.dumps(hook_directory("opencode"))).rstrip()


HOOK_REPORTS = hook_reports(
    HookForm(
        "opencode",
        _EVENTS,
        _activity,
        file=".config/opencode/plugin/agentview.js",
        about=_about,
        several=True,
    ),
    _plugin,
)
