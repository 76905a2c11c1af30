"""Files that a script which stands in a command writes to, as far as its words tell."""

import re
from collections.abc import Iterator
from itertools import islice

UNNAMED = ""
"""Stands for files that something may write to without naming them."""

_TARGET = r"(?P<target>[^,()\n]{1,200}(?:\([^()\n]*\))?)"
_CALLS = tuple(
    re.compile(pattern)
    for pattern in (
        # Python, Ruby: open(name, "w"), File.open(name, 'a')
        rf"\bopen\(\s*{_TARGET}\s*,\s*(?:mode\s*=\s*)?['\"][bt]?(?:[wax]|r\+|rb\+)[^'\"]*['\"]",
        r"(?P<target>(?<![\w$.])[\w$.]{1,100}|\bPath\([^()]*\))\.(?:write_text|write_bytes|unlink|touch|rename)\b",
        r"(?P<target>(?<![\w$.])[\w$.]{1,100}|\bPath\([^()]*\))\.open\(\s*['\"][wax]",
        rf"\b(?:os|shutil)\.(?:remove|unlink|rename|replace|move|copy\w*|rmtree)\(\s*{_TARGET}",
        # JavaScript
        rf"\b(?:write|append|copy)(?:Text)?File(?:Sync)?\(\s*{_TARGET}",
        rf"\b(?:unlink|rename|truncate|rm|cp)(?:Sync)?\(\s*{_TARGET}",
        rf"\b(?:createWriteStream|Bun\.write)\(\s*{_TARGET}",
        # Ruby, PHP
        rf"\b(?:File|IO)\.(?:write|binwrite|delete|rename)\(?\s*{_TARGET}",
        rf"\b(?:file_put_contents|FileUtils\.\w+)\(\s*{_TARGET}",
        # Perl: open(F, ">name"), open my $f, '>', name
        r"\bopen\b[^;\n]{0,80}?['\"]\+?[>+]{1,2}[^'\"<>]{0,20}['\"]\s*,\s*(?P<target>[^\s,();]+)",
        r"\bopen\b[^;\n]{0,80}?(?P<target>['\"]\s*>{1,2}\s*[^'\"\s:>][^'\"]*['\"])",
        r"\b(?:unlink|rename)\b[\s(]+(?P<target>[$'\"][^\s,();]+)",
    )
)
_MOST_CALLS = 2_000
_MOST_TARGETS = 40
"""Expressions that are looked up in a script."""
_UNTOLD = re.compile(
    r"\bos\.system\(|\bsubprocess\.|\bchild_process\b|\binplace\s*=\s*(?:True|1)|\bsystem\s*\("
)
"""What runs other programs, or writes to whatever it reads."""
_LITERAL = re.compile(r"(?:Path\(\s*)?['\"]\s*>{0,2}\s*([^'\"\n{]+)['\"]\s*\)?")


def written_by_script(script: str) -> Iterator[str]:
    """Paths that a script in any usual language names where it writes to files, maybe repeatedly.

    `UNNAMED` for those that it computes.
    """
    found = (match["target"] for call in _CALLS for match in call.finditer(script))
    targets = list(islice(dict.fromkeys(islice(found, _MOST_CALLS)), _MOST_TARGETS + 1))
    for target in targets[:_MOST_TARGETS]:
        yield _named(target, script)
    if len(targets) > _MOST_TARGETS:
        yield UNNAMED
    if _UNTOLD.search(script) is not None:
        yield UNNAMED


def _named(target: str, script: str) -> str:
    """The path that an expression stands for: a text, or what a text was assigned to."""
    target = target.strip()
    literal = _LITERAL.fullmatch(target)
    if literal is not None:
        return literal[1]
    assigned = re.findall(
        rf"(?:^|[;\s]){re.escape(target)}\s*=\s*(?:[\w.]+\(\s*)?['\"]([^'\"\n{{]+)['\"]\s*\)?\s*(?=[;\n]|\Z)",
        script,
    )
    every = re.findall(
        rf"(?:^|[;\s]){re.escape(target)}\s*=[^=]|\bfor\s+{re.escape(target)}\b", script
    )
    return assigned[0] if len(assigned) == len(every) == 1 else UNNAMED
