"""What a person wrote is told from what the client wrapped around it."""

import pytest
from msgspec.structs import replace

from agentview.domain.events import Attachment, Body, Hidden, Notification, SlashCommand, Topic
from agentview.domain.session import Stream, StreamKind
from agentview.providers.claude.shared.prompt_tags import shell_command, unwrap

NAME = "<command-name>"
ARGS = "<command-args>{}</command-args>"
CLEAR = f"{NAME}/clear</command-name>\n  <command-message>clear</command-message>{ARGS.format('')}"
REVIEW = (
    f"<command-message>review is running…</command-message>\n{NAME}/review</command-name>\n"
    f"{ARGS.format('a.py')}"
)
TEST = SlashCommand("/test")
LISTED = replace(shell_command(""), output="a")


def parts(text: str) -> list[Body]:
    return [part.body for part in unwrap(text).parts]


@pytest.mark.parametrize(
    "text",
    [
        "Fix the bug.",
        "<b>bold</b> is what I want",
        "<div>\n  why is this here?\n</div>",
        "a < b and b > c",
        "<command-name>never closed",
        "what does </system-reminder> mean?",
        "see <system-reminder>this</system-reminder> inside",
        "[1] first, [2] second",
        "<system-reminder>not closed",
        "/compactor is a word",
        "/help",
        "",
    ],
)
def test_what_is_not_known_to_be_the_client_s_is_the_prompt(text: str):
    assert unwrap(text).prompt == text
    assert unwrap(text).parts == ()


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (CLEAR, SlashCommand("/clear")),
        (REVIEW, SlashCommand("/review", "a.py")),
        (f"{NAME}test</command-name><command-contents>{{}}</command-contents>", TEST),
        ("<command-message>init</command-message>", SlashCommand("/init")),
        (f"{NAME}test</command-name><skill-format>true</skill-format>", TEST),
        ("<local-command-stdout>On</local-command-stdout>", SlashCommand("", output="On")),
        ("<local-command-stderr>No</local-command-stderr>", SlashCommand("", error="No")),
        ("<bash-stdout>a\n</bash-stdout><bash-stderr></bash-stderr>", LISTED),
        ("/compact", SlashCommand("/compact")),
        ("/compact keep\nthe names", SlashCommand("/compact", "keep\nthe names")),
        ("<bash-input> git status</bash-input>", shell_command("git status")),
    ],
)
def test_commands(text: str, command: SlashCommand):
    assert parts(text) == [command]
    assert unwrap(text).prompt == ""


def test_the_editor_s_context_leaves_the_prompt():
    found = unwrap(
        "<ide_opened_file>The user opened the file /a/b.py in the IDE. This may or may not be "
        "related to the current task.</ide_opened_file>Why does it fail?"
    )
    assert found.prompt == "Why does it fail?"
    body = found.parts[0].body
    assert isinstance(body, Attachment)
    assert (body.name, body.kind, body.path) == ("/a/b.py", "ide", "/a/b.py")


def test_the_prompt_of_a_scheduled_task_is_what_was_written_for_it():
    opening = '<scheduled-task name="tides" file="C:\\tasks\\tides\\SKILL.md">'
    note = "This is an automated run of a scheduled task. Nobody is there."
    found = unwrap(f"{opening}\n{note}\n\nLook up the tides.\n\nWrite them down.</scheduled-task>")
    assert found.prompt == "Look up the tides.\n\nWrite them down."
    body = found.parts[0].body
    assert isinstance(body, Attachment)
    assert (body.name, body.text, body.path) == ("tides", note, "C:\\tasks\\tides\\SKILL.md")
    assert unwrap(f"{opening}{note}</scheduled-task>").prompt == note
    assert unwrap(f"{opening}Go.</scheduled-task>\n\nNow.").prompt == "Go.\n\nNow."


def test_the_prompt_of_a_fork_is_its_directive():
    note = "<fork-boilerplate>\nYou are a fork. Do one thing.\n</fork-boilerplate>"
    found = unwrap(f"{note}\n\nYour directive: Count <b>boats</b>.")
    assert found.prompt == "Count <b>boats</b>."
    (part,) = found.parts
    assert part.body == Attachment(
        "How a fork works", "instructions", "You are a fork. Do one thing."
    )


def test_what_another_session_sent_is_not_the_person_s():
    opening = "Another Claude session sent a message:"
    idle = '{"type": "idle_notification", "from": "mapper", "idleReason": "available"}'
    found = unwrap(
        f'{opening}\n<teammate-message teammate_id="mapper">\nDone.\n</teammate-message>\n'
        f'<teammate-message teammate_id="mapper">\n{idle}\n</teammate-message>\nNobody typed this.'
    )
    assert found.prompt == ""
    said, waits, note = (part.body for part in found.parts)
    assert isinstance(said, Attachment)
    assert (said.name, said.kind, said.text) == ("mapper", "agent-message", "Done.")
    assert waits == Notification(Topic.BACKGROUND, "mapper waits for work", detail="available")
    assert isinstance(note, Attachment)
    (plain,) = parts(f"{opening}\nDone.")
    assert isinstance(plain, Attachment)
    assert (plain.kind, plain.text) == ("agent-message", "Done.")


def test_attributes_may_be_in_single_quotes():
    body = parts("<teammate-message from='mapper'>Done.</teammate-message>")[0]
    assert isinstance(body, Attachment)
    assert (body.name, body.text) == ("mapper", "Done.")


def test_reminders_around_a_prompt_leave_it():
    note = "<system-reminder>\nBe brief.\n</system-reminder>"
    for text in (f"{note}\nHello", f"Hello\n\n{note}", f"{note}\nHello\n\n{note}\n{note}"):
        found = unwrap(text)
        assert found.prompt == "Hello"
        assert found.parts
        assert all(isinstance(part.body, Hidden) for part in found.parts)


def test_messages_of_others_are_not_prompts():
    text = '<teammate-message teammate_id="lead" color="red">\nDo it.\n</teammate-message>'
    assert parts(text) == [Attachment("lead", "agent-message", "Do it.")]
    assert parts("<cross-session-message>x</cross-session-message>") == [
        Attachment("another session", "agent-message", "x")
    ]


def test_notes_of_the_client():
    caveat = "Caveat: The messages below were generated by the user while running local commands."
    assert isinstance(parts(caveat)[0], Hidden)
    skill = parts("Base directory for this skill: /home/dev/.claude/skills/charts\n\n# Charts")[0]
    assert isinstance(skill, Attachment)
    assert (skill.name, skill.kind) == ("charts", "skill")
    windows = parts("Base directory for this skill: D:\\x\\skills\\code-changes\n\nText")[0]
    assert isinstance(windows, Attachment)
    assert windows.name == "code-changes"


def test_an_interruption_with_words_behind_it():
    found = unwrap("[Request interrupted by user for tool use]\nuse the other file")
    assert found.prompt == "use the other file"
    body = found.parts[0].body
    assert isinstance(body, Notification)
    assert body.topic is Topic.INTERRUPT


def test_several_outcomes_in_one_text():
    one = "<task-notification><task-id>{0}</task-id><status>completed</status></task-notification>"
    found = unwrap(one.format("a") + "\n" + one.format("b"))
    assert [part.body for part in found.parts] == [
        Notification(Topic.BACKGROUND, "Background task a completed"),
        Notification(Topic.BACKGROUND, "Background task b completed"),
    ]
    assert len({part.dedupe_key for part in found.parts}) == 2


def test_the_outcome_of_an_agent_leads_to_its_log():
    text = (
        "<task-notification><task-id>a9</task-id><status>completed</status>"
        '<summary>Agent "Look" finished</summary><result>See <result>this</result></result>'
        "<usage><duration_ms>1500</duration_ms></usage></task-notification>"
    )
    part = unwrap(text).parts[0]
    assert part.child == Stream(StreamKind.SUBAGENT, "a9")
    assert isinstance(part.body, Notification)
    assert part.body.detail == "See <result>this</result>"
    assert part.body.duration == 1.5
