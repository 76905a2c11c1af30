"""Whether a text of an agent says that all tests pass, in the usual English sentences.

A sentence is read only where it can mean nothing else: one that denies, asks, quotes, restricts or
makes conditions says nothing here.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

_LONGEST = 4_000
"""Characters at the end of a text that are read."""
_LONGEST_SENTENCE = 400
_RUN = "\ue000"
"""Stands for a quoted command that runs tests."""
_QUOTED = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)[`~]*\s*$|\Z)"
    r"|^\s*>.*?$|^(?:\t| {4,})(?![-*+]|\d+[.)]).*?$|^\s*[-*+] \[ \].*?$",
    re.DOTALL | re.MULTILINE,
)
"""Code, quotations, and items of a list that are not ticked."""
_RUNNER = re.compile(
    r"`(?:(?:uv|poetry) run |bundle exec |python3? -m |npx |pnpm |npm |yarn |bun |mise run )?"
    r"(?:pytest|unittest|(?:run )?test(?::\w+)?|jest|vitest|rspec|make test|tox"
    r"|cargo test|go test(?: \./\.\.\.)?)(?: -[\w-]+)*(?: tests?/?)?`",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`\n]*`")
_SAYING = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|(?<!\w)'[^'\n]*'(?!\w)")
_LINK = re.compile(r"!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)")
_MARKS = re.compile(r"[*_#✅✔✓🎉]+|\[[xX]\]|^\s*(?:[-+]|\d+[.)])\s+|\ufe0f", re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^.!?\n|;]|[.!?](?!\s|$))+[.!?]*")


def _any(*words: str) -> str:
    return rf"\b(?:{'|'.join(words)})\b"


_SUBJECT = (
    r"(?:(?:all|every)(?: of)?(?: the| our| your)?(?: \d[\d,]*)?(?: existing)?(?: and new)?"
    r"(?: unit)? tests?(?: cases?)?(?: suites?)?(?: in (?:the|this) (?:project|repo\w*|suite))?"
    r"|(?:the )?(?:full |whole |entire |complete |existing )?(?:unit )?test[ -]suite"
    rf"|(?:the )?(?:full|whole|entire|complete) suite|the suite|{_RUN})"
)
_BEGIN = r"(?:^|[\s(,:–—-])"
_CLAUSE = r"(?:^|[(,:–—]\s*|\band (?:all )?)"
"""Where a subject begins that has no word in front which might restrict it."""
_AND_MORE = r"(?:(?: and|,) (?:the )?\w+)?"
"""Something else that passes, such as a linter."""
_FILLED = r"(?: now| all| still| also| again| successfully| both| then| do| are| is| have| has)*"
_PASSES = r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:(?:is|are|stays?|remains?) )?(?:all )?green)"
_NO_OBJECT = (
    r"(?! (?:an?|the|any|some|this|that|it|them|through|into|to|as|by|from|over|objects?)\b)"
)
_SAYS = re.compile(
    rf"(?:{_BEGIN}{_SUBJECT}|{_CLAUSE}(?:the )?tests){_AND_MORE}{_FILLED} {_PASSES}\b{_NO_OBJECT}"
    r"|\bthe (?:tests|test suite)(?: again)?,? and (?:they|it) (?:now |all )*pass(?:es|ed)?\b"
    rf"|{_CLAUSE}tests: (?:all )?(?:passing|passed|pass|green)\b"
    r"|\b(?P<count>\d[\d,]*)(?:\s*(?:/|of|out of)\s*(?P<total>\d[\d,]*))?"
    r"(?: unit)?(?: tests?)?(?: (?:are|have|all))* (?:passed|passing|pass)\b"
    r"(?=\s*(?:[.,:!)–—]|$|(?:in|with|and|now)\b))",
    re.IGNORECASE,
)
_DENIED = _any(
    *("not", "never", "no", "none", "nor", "cannot", "without", "neither", "nothing", "unable"),
    *("hardly", "barely", "unless", "until"),
)
_RESTRICTED = _any(
    *("except", "but", "apart", "other than", "aside", "only", "some", "most", "many", "several"),
    *("half", "few", "almost", "nearly", r"partial(?:ly)?", "remaining", "rest", "others?"),
    *("although", "though", "however", "while", "whereas", "despite", "yet", "flaky"),
)
_SUPPOSED = _any(
    *("if", "once", r"when(?:ever)?", "whether", "after", "before", "as soon as", "provided"),
    *("assuming", "in case", "so that", "should", "would", "could", "might", "may", "must", "can"),
    *("will", "shall", r"let(?:['’]s)?", r"try(?:ing)?", "to", r"expect\w*", r"hope\w*"),
    *(r"ensur\w*", "make sure", r"mak(?:e|es|ing) (?:the|all)", "likely", "probably"),
    *("presumably", "supposed", "seems?", r"appear\w*", r"want\w*", r"need\w*", "goal", "please"),
    *(r"plan(?:ned)?", "todo", "next", "example", r"e\.g", r"verif(?:y|ies)", r"check(?:s|ing)?"),
    r"confirm(?:s|ing)?",
)
_ELSEWHERE = _any(
    *(r"claim\w*", "says?", "said", "reported", r"previous(?:ly)?", "earlier", "used"),
    *("originally", "was", "were", "had"),
)
"""Statements of others, or on the state before."""
_DOUBTS = re.compile(
    rf"{_DENIED}|n['’]t\b|{_RESTRICTED}|{_SUPPOSED}|{_ELSEWHERE}|\b(?:fail\w*|broken|red)\b|\?",
    re.IGNORECASE,
)
_FAULTS = r"(?:failures?|failed|failing|errors?|skipped|regressions?|warnings?|lint issues?|fail)"
_NO_FAULTS = re.compile(
    rf"\b(?:with )?(?:0|no|zero|without(?: any)?) (?:test )?{_FAULTS}"
    rf"(?:,? (?:and|or) {_FAULTS})?\b",
    re.IGNORECASE,
)
_ADMITS = re.compile(
    r"\b(?:[1-9]\d*|one|two|three|some|few|several) (?:\w+ ){0,2}"
    r"(?:fail(?:s|ed|ing|ures?)?|errors?)\b"
    r"|\b(?:still|currently|also|which|that|tests?|suite|run) (?:\w+ )?(?:fail|fails|failing)\b"
    r"|\bpre-?existing\b|\bunrelated\b|\b(?:known|expected) (?:fail|issue)"
    r"|(?:\bnot|n['’]t) (?:pass|run)\b",
    re.IGNORECASE,
)
"""A text that admits failures somewhere does not hide them."""


def says_tests_pass(text: str) -> str | None:
    """The sentence that says that all tests pass; None where the text does not, or in doubt.

    Only the end of a long text is read.
    """
    return _said_in(text[-_LONGEST:])


# A timeline asks again after each change of the log.
@lru_cache(maxsize=32)
def _said_in(text: str) -> str | None:
    text = text.replace(_RUN, "")
    if "pass" not in text.lower() and "green" not in text.lower() and "succe" not in text.lower():
        return None
    found: str | None = None
    for sentence, commands in _sentences(text):
        tested = _NO_FAULTS.sub("", sentence)
        if _ADMITS.search(tested):
            return None
        if found is None and len(tested) <= _LONGEST_SENTENCE and _claims(tested):
            found = sentence
            for command in commands:
                found = found.replace(_RUN, command, 1)
    return found


def _claims(sentence: str) -> bool:
    match = _SAYS.search(sentence)
    if match is None or _DOUBTS.search(sentence):
        return False
    return match["total"] is None or match["total"] == match["count"]


def _sentences(text: str) -> Iterator[tuple[str, list[str]]]:
    """Sentences without quotations, code and marks, and the commands that `_RUN` stands for."""
    text = _QUOTED.sub("\n", text)
    commands = _RUNNER.findall(text)
    text = _SAYING.sub("…", _CODE.sub("…", _RUNNER.sub(_RUN, text)))
    text = _MARKS.sub("", _LINK.sub(r"\1", text))
    at = 0
    for match in _SENTENCE.finditer(text):
        sentence = match[0].strip()
        count = sentence.count(_RUN)
        if sentence:
            yield sentence, commands[at : at + count]
        at += count
