"""Which versions of the format were read, where its facts come from, and what is a guess."""

from agentview.providers.base import Evidence

EVIDENCE = Evidence(
    verified_versions=("2026.9.6",),
    versioned=False,
    verified_on="2026-11-24",
    sources=(
        "Databases that OpenClaw 2026.9.6 wrote: tools, errors, a live session.",
        "The public source of Pi, whose entries and messages it keeps.",
        "The public documentation and transcripts, for what it writes in messages of role `user`.",
    ),
    guesses=(
        "OPENCLAW_STATE_DIR names the folder that replaces ~/.openclaw, OPENCLAW_HOME its parent.",
        "Under its old names Clawdbot and Moltbot it wrote below ~/.clawdbot and ~/.moltbot.",
        "A session that `spawned_by` names as another one's is that of an agent which it started.",
        "A call that was made through another one has that one's result in a record of its own.",
        "A command with an exit code other than 0 failed, whatever its result says besides.",
        "A message that asks to reply HEARTBEAT_OK and names no sender is a heartbeat.",
        "Before mid-2026 sessions were files of Pi's form, which are read as such.",
    ),
    gaps=(
        "Rows of an earlier moment that are written again later are not read again.",
        "The copy of each call in `trajectory_runtime_events` is not read, nor are archives.",
        "A call of `tool_call` names the tool that it calls; the call itself is in the next row.",
        "The database of the whole program, which has keys, is never opened.",
    ),
)
