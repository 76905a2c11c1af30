"""JUnit XML, as many test runners write it."""

import re
from xml.etree import ElementTree

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.normalize.test_results.counting import first_text, result_of

_DECLARES = ("<!DOCTYPE", "<!ENTITY")
_PLACE = re.compile(r"(?<![\w.\\@:-])(?P<path>[\w./\\@-]+):(?P<line>\d{1,9})\b")


def junit(text: str) -> SuiteResult | None:
    """Results of the cases of a document, None if a text has no whole one."""
    start, end = text.find("<testsuite"), text.rfind("</testsuite")
    document = text[start : text.find(">", end) + 1]
    if end < start or any(word in document for word in _DECLARES):
        return None
    try:
        root = ElementTree.fromstring(document)  # noqa: S314  (entities are refused above)
    except ElementTree.ParseError:
        return None
    found = {"passed": 0, "failed": 0, "errors": 0, "skipped": 0}
    failures: list[FailedTest] = []
    for case in root.iter("testcase"):
        failure, error = case.find("failure"), case.find("error")
        if case.find("skipped") is not None:
            found["skipped"] += 1
        elif failure is None and error is None:
            found["passed"] += 1
        else:
            found["failed" if failure is not None else "errors"] += 1
            wrong = failure if failure is not None else error
            failures.append(_failed(case, wrong))
    if not any(found.values()):
        return None
    return result_of({key: n for key, n in found.items() if n or key == "passed"}, failures)


def _failed(case: ElementTree.Element, wrong: ElementTree.Element | None) -> FailedTest:
    group, name = case.get("classname") or "", case.get("name") or ""
    text = (wrong.text if wrong is not None else None) or ""
    message = wrong.get("message") if wrong is not None else None
    path, line = case.get("file"), case.get("line")
    for place in _PLACE.finditer(text.replace("file://", "")):
        if "." in place["path"] and "node_modules" not in place["path"]:
            path, line = place["path"], place["line"]
            break
    number = int(line) if line is not None and line.isdecimal() and len(line) < 10 else None
    shown = name if not group or name.startswith(group) else f"{group}.{name}"
    return FailedTest(shown, path, number, first_text((message or text).split("\n")))
