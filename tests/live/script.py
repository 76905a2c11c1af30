"""What the scripted model does in each conversation."""

from dataclasses import dataclass

QUESTION = "Which color do you want?"
PLAN = "Paint the shed"
"""First line of the plan."""
COMMAND_MARK, AGENT_MARK = "command-runs", "agent-runs"
"""Files that the commands create when they begin to run."""
SLEEP = ("sleep", "61")
"""What the commands then run until the run ends it."""


@dataclass(frozen=True)
class Run:
    """A shell command that the client must ask for."""

    command: str


@dataclass(frozen=True)
class Write:
    """A new file, which the client must ask for."""

    name: str
    text: str


@dataclass(frozen=True)
class Ask:
    """A question to the user with two options."""

    question: str


@dataclass(frozen=True)
class Plan:
    """A plan to approve."""

    text: str


@dataclass(frozen=True)
class Delegate:
    """A subagent whose prompt names the conversation that it has with the model."""

    conversation: str


Action = Run | Write | Ask | Plan | Delegate


@dataclass(frozen=True)
class Step:
    """One response of the model."""

    text: str = ""
    action: Action | None = None
    error: int = 0
    """The HTTP status to answer with instead."""
    is_endless: bool = False
    """The text streams slowly until the client hangs up."""


def ended(conversation: str) -> str:
    """The text with which the model ends a conversation."""
    return f"The end of {conversation}."


CONVERSATIONS: dict[str, tuple[Step, ...]] = {
    "command": (
        Step("I run a command.", Run(f"touch {COMMAND_MARK}; {' '.join(SLEEP)}; echo finished")),
        Step(ended("command")),
    ),
    "refused": (Step("I delete the documents.", Run("rm -rf docs")),),
    "file": (Step("I write a file.", Write("new.txt", "one line\n")), Step(ended("file"))),
    "agent": (Step("I ask an agent.", Delegate("subagent")), Step(ended("agent"))),
    "subagent": (
        Step(
            "I run a command for the agent.",
            Run(f"touch {AGENT_MARK}; {' '.join(SLEEP)}; echo finished"),
        ),
        Step(ended("subagent")),
    ),
    "question": (Step("I have a question.", Ask(QUESTION)), Step(ended("question"))),
    "plan": (
        Step("I have a plan.", Plan(f"# {PLAN}\n\n1. Buy paint\n2. Paint\n")),
        Step(ended("plan")),
    ),
    "stream": (Step("This text streams. ", is_endless=True),),
    "error": (Step(error=400),) * 30,
    "limit": (Step(error=429),) * 30,
    "needs": (Step(f"needs input: {QUESTION}"),),
    "last": (Step(ended("last")),),
}
