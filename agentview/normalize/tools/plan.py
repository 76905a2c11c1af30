"""Plans and questions: arguments to PlanPayload and AskPayload, answers to AskResult."""

from agentview.domain.tool_inputs import AskOption, AskPayload, AskQuestion, PlanAction, PlanPayload
from agentview.domain.tool_results import AskAnswer
from agentview.normalize.json_fields import (
    Fields,
    as_text,
    collect,
    first,
    flag,
    items,
    mapping,
    text,
)
from agentview.normalize.tools.todo import listed


def enter(fields: Fields) -> PlanPayload:
    return PlanPayload(PlanAction.ENTER, text=text(fields, "reason", "description"))


def propose(fields: Fields) -> PlanPayload:
    """A plan is put before the person, as Markdown or as steps."""
    plan = first(fields, "plan", "content", "overview", "text")
    steps = listed(plan) or listed(first(fields, "steps", "todos", "phases"))
    return PlanPayload(
        PlanAction.PROPOSE,
        text=as_text(plan) if not isinstance(plan, list) else None,
        steps=steps or (),
        path=text(fields, "planFilePath", "plan_file_path", "plan_filename", "filePath", "path"),
    )


def ask(fields: Fields) -> AskPayload:
    """Questions to the person: a list of them, or one whose fields stand alone."""
    several = collect(items(fields.get("questions")), _question)
    single = _question(fields) if not several else None
    return AskPayload(several or ((single,) if single is not None else ()))


def _question(fields: Fields) -> AskQuestion | None:
    words = text(fields, "question", "prompt", "message", "text")
    if words is None:
        return None
    return AskQuestion(
        text=words,
        header=text(fields, "header", "title"),
        options=tuple(_option(value) for value in items(first(fields, "options", "choices"))),
        multiple=flag(fields, "multiSelect", "multi_select", "multiple"),
    )


def _option(value: object) -> AskOption:
    fields = mapping(value)
    if not fields:
        return AskOption(as_text(value) or "")
    return AskOption(text(fields, "label", "name", "value") or "", text(fields, "description"))


def answers(value: object) -> tuple[AskAnswer, ...]:
    return tuple(
        AskAnswer(question, as_text(answer) or "") for question, answer in mapping(value).items()
    )
