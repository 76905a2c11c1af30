"""Kind of a tool that no provider's table knows: by convention, by name, by arguments."""

import re
from collections.abc import Mapping
from functools import lru_cache

from msgspec.structs import replace

from agentview.domain.tool_inputs import UnknownPayload
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.normalize.json_fields import PATH_KEYS, Fields
from agentview.normalize.tools import mcp, memory, reports, schedule
from agentview.normalize.tools.registry import FAMILIES, editor_family
from agentview.normalize.tools.specs import ToolSpec

_LONGEST = 200
"""Characters of a name that are looked at."""
_NAMES_KEPT = 512
"""Names whose words are kept: a log has the same few again and again."""
_LEADING = re.compile(r"[\w.:/-]*")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_EDITIONS = {"v", "alpha", "beta", "preview", "experimental", "next", "legacy", "lite"}
"""Words that with a number, or without, say which edition of a tool it is, behind its name."""
_TOOL_SEARCH = re.compile(
    r"(?:functions?_)?(?:tools?_(?:search|discovery)(?:_tool)?(?:_regex|_bm_25)?"
    r"|(?:search|find|discover)_tools)"
)
"""Names, in words joined by underscores, of tools that search for tools."""
_NOISE = {"tool", "tools", "call", "function", "functions", "default", "api"}


def _words(line: str) -> frozenset[str]:
    return frozenset(line.split())


_NEUTRAL = _words(
    "a all an and any async at background batch by code codebase collaboration content contents "
    "current for from fs in into line lines list local many mode multi multiple my name names new "
    "of on or path paths pattern project range read recursive regex remote repo repository send "
    "source string sub sync team terminal text the to tree update with workspace write"
)
"""Words that may stand next to those of a rule; with any other a name may mean something else."""


_VERBS = {"search": "semantic", "read": "read", "write": "write", "edit": "edit"}
_VAGUE = _words(
    "any anything basic custom data document documents entries entry generic info information item "
    "items object objects our simple some something stuff thing things your"
)
"""Words that do not say what a tool acts on."""
_PATTERNS = _words("pattern regex regexp")
_NEEDS = {
    "semantic": _PATTERNS | _words("query queries search search_term searchTerm q text keywords"),
    "read": frozenset(PATH_KEYS),
    "write": frozenset(PATH_KEYS),
    "edit": frozenset(PATH_KEYS),
}
"""Arguments of which a tool of the family has at least one."""


class _Rule(Value):
    """A name has one word of each group, none of `without`, and else only harmless ones.

    `along` has words that are harmless in this rule only.
    """

    family: str
    groups: tuple[frozenset[str], ...]
    without: frozenset[str] = frozenset()
    along: frozenset[str] = frozenset()

    def fits(self, words: frozenset[str]) -> bool:
        if words & self.without or not all(words & group for group in self.groups):
            return False
        rest = words.difference(_NEUTRAL, self.along, *self.groups)
        return all(word.isdigit() for word in rest)


def _rule(family: str, *groups: str, without: str = "", along: str = "") -> _Rule:
    words = tuple(_words(group) for group in groups)
    return _Rule(family, words, _words(without), _words(along))


_REMEMBERED = (
    "agent archival block core entry fact item knowledge long note persistent session specific "
    "term user"
)
"""Words that say which memory, or what in it."""

_ADDRESSED = "channel chat desktop direct discord group human person sms telegram thread user"
"""Words that say who gets a message, and by which way."""

_WHOLE_NAMES: Mapping[str, str] = {
    name: family
    for family, names in {
        "bash": "bash shell sh powershell cmd exec execute terminal command local_shell "
        "container_exec run_in_terminal run_terminal run_bash execute_bash",
        "read": "read view cat open read_many_files view_image",
        "write": "write create new_file_created",
        "edit": "edit replace str_replace search_replace search_and_replace edited_existing_file "
        "multi_str_replace insert_content replace_file_content",
        "multi_edit": "multiedit multi_edit",
        "delete": "delete rm remove unlink",
        "patch": "patch",
        "diff": "diff turn_diff",
        "glob": "glob file_search find_files find_file find_by_name search_files_by_name",
        "grep": "grep rg ripgrep search_file_content search_files grep_search",
        "ls": "ls list tree list_dir list_directory directory_tree list_files",
        "semantic": "search code_search codebase_search semantic_search sem_search",
        "lints": "lints get_problems read_problems lsp lsp_diagnostics",
        "web_fetch": "fetch web_fetch webfetch fetch_url fetch_webpage url_fetch read_url open_url "
        "browse fetch_content read_url_content get_url http_get exa_fetch",
        "web_search": "web_search websearch google_search internet_search search_web brave_search "
        "google_web_search exa_search",
        "todo_write": "update_plan todowrite write_todos",
        "todo_read": "todoread",
        "todo_create": "task_create",
        "todo_update": "task_update",
        "todo_get": "task_get",
        "todo_list": "task_list",
        "output": "task_output bash_output read_bash read_powershell read_terminal "
        "get_terminal_output command_status read_command_output await_shell",
        "kill": "task_stop kill_bash kill_shell kill_terminal stop_bash kill_process",
        "input": "write_stdin send_input_to_terminal write_bash write_powershell",
        "task": "task agent subagent sub_agent sub_agent_run new_task run_task dispatch_agent "
        "invoke_agent spawn_agent delegate_to_agent delegate launch_agent",
        "plan": "create_plan propose_plan plan plan_exit",
        "plan_enter": "plan_enter",
        "ask": "ask ask_user question ask_question request_user_input ask_followup_question",
        "skill": "skill skills",
        "tool_search": "tool_search",
        "memory": "memory memories",
        "memory_save": "remember",
        "memory_search": "recall",
        "memory_remove": "forget",
        "schedule": "cron cronjob cronjobs manage_cron schedule_manager",
        "schedule_create": "wakeup wake_up",
        "send_message": "message notify",
        "speak": "tts speak text_to_speech",
        "goal": "goal goals",
        "topic": "update_topic report_intent",
        "think": "think reasoning thinking",
        "mcp": "mcp use_mcp access_mcp_resource list_mcp_resources read_mcp_resource "
        "list_mcp_resource_templates fetch_mcp_resource",
    }.items()
    for name in names.split()
}
"""Families by the whole name, in words joined by underscores, without the noise words."""

_RULES: tuple[_Rule, ...] = (
    _rule("notebook", "notebook", "edit update insert replace delete modify"),
    _rule("read", "notebook", "read view open"),
    _rule("todo_read", "todo todos", "read list get show"),
    _rule("todo_write", "todo todos"),
    _rule("lints", "lint lints linter diagnostics", without="fix"),
    _rule("plan_enter", "enter", "plan"),
    _rule("plan", "exit present propose create submit", "plan"),
    _rule("todo_write", "update", "plan"),
    _rule("ask", "ask", "user human question questions followup"),
    _rule(
        "skill",
        "skill skills",
        "activate execute find get invoke list load manage open read run search use view",
    ),
    *(
        _rule(family, "memory memories", words, along=_REMEMBERED)
        for family, words in (
            *((f"memory_{action}", words) for action, words in memory.WORDS.items()),
            ("memory", "manage use"),
        )
    ),
    *(
        _rule(f"schedule_{action}", noun, words, along="job jobs task tasks up")
        for action, words in schedule.WORDS.items()
        for noun in (
            "cron cronjob cronjobs crons reminder reminders wake wakeup wakeups",
            "scheduled",
        )
    ),
    _rule("schedule_create", "schedule", "agent job prompt reminder run task"),
    _rule("goal_update", "goal", "budget", along="set"),
    *(_rule(f"goal_{action}", "goal", words) for action, words in reports.GOAL_WORDS.items()),
    _rule("review", "finding findings", "report submit record publish", along="code review"),
    _rule("review", "review", "report submit publish", along="code findings result results"),
    _rule("message", "agent subagent teammate", "message"),
    _rule("send_message", "message messages", "send post reply", along=_ADDRESSED),
    _rule("send_message", "notification notifications", "send push post show", along=_ADDRESSED),
    _rule("send_message", "notify", "person user human", along="message"),
    _rule("send_message", "email mail sms dm", "send", along="message gmail"),
    _rule("task", "agent subagent agents", "spawn start launch run invoke dispatch delegate new"),
    _rule("patch", "apply", "patch"),
    _rule("patch", "patch", "codex file"),
    _rule("diff", "codex turn", "diff"),
    _rule("semantic", "codebase semantic", "search find query"),
    _rule("web_search", "web google internet bing online", "search"),
    _rule("web_fetch", "fetch open read browse get", "url urls webpage website"),
    _rule("web_fetch", "web", "fetch browse"),
    _rule("delete", "delete remove unlink rm", "file files path dir directory folder"),
    _rule("rename", "move rename mv", "file files path"),
    _rule("grep", "grep ripgrep"),
    _rule("grep", "grep ripgrep", "file files directory dir"),
    _rule("grep", "search find", "text content contents regex pattern", without="web issues"),
    _rule("glob", "glob globs"),
    _rule("glob", "glob globs", "search find file files"),
    _rule("glob", "find", "file files"),
    _rule("grep", "search", "file files", without="web"),
    _rule("ls", "list ls", "dir directory directories folder folders files"),
    _rule("multi_edit", "multi", "edit"),
    _rule("edit", "edit replace modify patch update insert", "file files", without="profile"),
    _rule("edit", "str string strings", "replace"),
    _rule("write", "write create save overwrite", "file files"),
    _rule("read", "read view open cat get", "file files", without="list"),
    _rule("kill", "kill stop terminate", "bash shell terminal process command"),
    _rule("output", "output logs", "bash shell terminal process command"),
    _rule("input", "stdin"),
    _rule("bash", "run execute exec", "command commands shell bash terminal script cmd"),
    _rule("bash", "shell bash powershell", "command gemini codex local"),
)


def classify(name: str, args: Fields) -> ToolSpec:
    """Kind, canonical name and payload maker of a tool that only the shared rules can know.

    A name is judged by its leading identifier, so that text which slipped behind it does no harm.
    """
    found = mcp.named(name)
    if found is not None:
        return found
    words = _split(name[:_LONGEST])
    family = _by_name(words, args) or _by_arguments(args)
    if family is None:
        guess = _by_verb(words, args) or _by_address(args)
        if guess is None:
            return ToolSpec(ToolKind.UNKNOWN, name, _unknown)
        return replace(FAMILIES[guess], canonical_name=name, inferred=True)
    return _named(FAMILIES[family], name)


def _named(spec: ToolSpec, name: str) -> ToolSpec:
    return spec if spec.canonical_name else replace(spec, canonical_name=name)


def _unknown(_fields: Fields) -> UnknownPayload:
    return UnknownPayload()


@lru_cache(maxsize=_NAMES_KEPT)
def _split(name: str) -> tuple[str, ...]:
    leading = _LEADING.match(name)
    found = _WORD.findall(leading[0]) if leading is not None else []
    words = [word.lower() for word in found]
    if _TOOL_SEARCH.fullmatch("_".join(words)) is not None:
        return ("tool_search",)
    plain = [word for word in words if word not in _NOISE] or words
    end = len(plain)
    while end > 1 and (plain[end - 1].isdigit() or plain[end - 1] in _EDITIONS):
        end -= 1
    return tuple(plain[:end])


def _by_name(words: tuple[str, ...], args: Fields) -> str | None:
    whole = "_".join(words)
    if "editor" in words or whole in {"str_replace_based_edit", "str_replace"}:
        return editor_family(args)
    if whole == "fetch" and "url" not in args and "query" in args:
        return "web_search"
    if whole == "search" and ("pattern" in args or "regex" in args):
        return "grep"
    if whole in _WHOLE_NAMES:
        return _WHOLE_NAMES[whole]
    return _by_rules(frozenset(words))


@lru_cache(maxsize=_NAMES_KEPT)
def _by_rules(words: frozenset[str]) -> str | None:
    return next((rule.family for rule in _RULES if rule.fits(words)), None)


def _by_verb(words: tuple[str, ...], args: Fields) -> str | None:
    """Return the family of a name with one verb and otherwise only vague words.

    Arguments that lack what a tool of the family needs speak against it.
    """
    verbs = [word for word in words if word in _VERBS]
    if len(verbs) != 1 or any(word not in _NEUTRAL | _VAGUE for word in words if word != verbs[0]):
        return None
    family = _VERBS[verbs[0]]
    if args and not frozenset(args) & _NEEDS[family]:
        return None
    return "grep" if family == "semantic" and not _PATTERNS.isdisjoint(args) else family


def _by_address(args: Fields) -> str | None:
    """The family of a tool that is given an address, and else only how to get what is there."""
    return (
        "web_fetch"
        if args and frozenset(args) - _REMARKS - _FETCHING == frozenset({"url"})
        else None
    )


_REMARKS = _words("description explanation reason justification title summary intent purpose")
"""Arguments that say why a call is made, whatever it does."""
_RUNNING = _words(
    "timeout timeout_ms timeoutMs timeout_seconds timeoutSeconds cwd workdir working_directory "
    "workingDirectory dir directory env shell login blocking background run_in_background "
    "runInBackground is_background isBackground yield_time_ms max_output_tokens"
)
"""How a command is run."""
_FETCHING = _words(
    "prompt format method headers timeout max_length maxLength start_index raw max_chars"
)
_SHAPES: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = (
    ("edit", _words("old_string new_string"), _words("replace_all expected_replacements")),
    ("edit", _words("oldString newString"), _words("replaceAll expectedReplacements")),
    ("edit", _words("old_str new_str"), frozenset()),
    ("edit", _words("oldStr newStr"), frozenset()),
    ("edit", _words("old_text new_text"), _words("replace_all")),
    ("edit", _words("oldText newText"), _words("replaceAll")),
    ("multi_edit", _words("edits"), frozenset()),
    ("write", _words("content"), frozenset()),
    ("write", _words("contents"), frozenset()),
    ("read", _words("offset limit"), frozenset()),
    ("read", _words("start_line end_line"), frozenset()),
    ("read", _words("startLine endLine"), frozenset()),
    ("bash", _words("command"), _RUNNING),
    ("bash", _words("cmd"), _RUNNING),
    ("todo_write", _words("todos"), _words("merge")),
    ("web_fetch", _words("url prompt"), frozenset()),
    ("grep", _words("pattern output_mode"), _words("glob type -i -n -A -B -C")),
    ("grep", _words("pattern include"), frozenset()),
    ("patch", _words("patch"), frozenset()),
    ("patch", _words("patchText"), frozenset()),
    ("patch", _words("changes"), _words("auto_approved")),
)
"""Family, the keys it must have, and the keys it may have besides; a path where it needs one."""

_PATHLESS = {"bash", "todo_write", "web_fetch", "patch"}


def _by_arguments(args: Fields) -> str | None:
    keys = frozenset(args)
    paths = keys & frozenset(PATH_KEYS)
    for family, needed, allowed in _SHAPES:
        if not needed <= keys:
            continue
        rest = keys - needed - allowed - _REMARKS
        if family in _PATHLESS and not rest:
            return family
        if family == "grep" and not rest - {"path"}:
            return family
        if family not in _PATHLESS and len(paths) == 1 and rest == paths:
            return family
    return None
