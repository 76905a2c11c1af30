"""Texts that the clients write into messages of the person.

Source: `responses.ts` of Cline and Roo Code, which is public, and public logs.
"""

import re

from msgspec.structs import replace

from agentview.providers._kit.speakers import Divided, Form, divided

_WORDS = re.compile(
    r"\s*<(task|feedback|user_message|answer|user_input)"
    r'(?: mode="(\w{1,20})")?>\n?(.*?)\n?</\1>\s*',
    re.DOTALL,
)

_FEEDBACK = re.compile(
    r"\s*(?:\[attempt_completion\] Result:\s*)?"
    r"(?:The user has provided feedback on the results\.[^<\n]*\n)?"
    r"\s*<(feedback|user_message)>\n?(.*?)\n?</\1>\s*",
    re.DOTALL,
)

FORMS = (
    Form(
        "the editor",
        re.compile(r"<(environment_details|mode_notice)>.*?(?:</\1>\s*|\Z)", re.DOTALL),
        anywhere=True,
    ),
    Form(
        "a resumed task",
        re.compile(r"\s*+\[TASK RESUMPTION\].*?(?=<user_message>|\Z)", re.DOTALL),
        envelope=True,
    ),
    Form(
        "too many mistakes",
        re.compile(
            r"\s*+You seem to be having trouble proceeding\..*?(?=<feedback>|\Z)", re.DOTALL
        ),
        envelope=True,
    ),
    Form(
        "no tool was used",
        re.compile(r"\s*+\[ERROR\] You did not use a tool\b"),
        whole=True,
    ),
    Form(
        "the list of what is to do",
        re.compile(r"\s*+#{1,2} (?:TODO LIST|Todo List|task_progress)\b"),
        whole=True,
    ),
    Form(
        "result of a call",
        re.compile(r"\s*+\[\w{1,60}(?: for '.*?')?[^\]\n]{0,400}\] Result:"),
        whole=True,
    ),
)


def feedback_in(result: str) -> str | None:
    """The answer of a person to the report of a task, in its result; None of others."""
    found = _FEEDBACK.match(result)
    return found[2] if found is not None else None


def said_by(words: str) -> Divided:
    """A message by who wrote it; the mode that it was written in is its sender."""
    found = divided(words, FORMS)
    match = _WORDS.match(found.words)
    if match is None:
        return found
    behind = found.words[match.end() :].strip()
    context = (*found.context, *((behind,) if behind else ()))
    return replace(found, words=match[3], via=match[2], context=context)
