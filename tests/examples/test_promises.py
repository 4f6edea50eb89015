"""Goal: tests and docs/reference/promises.md speak of the same promises.

Method: the identifiers in the marks of all test files, and those of the page.
"""

import re

from tests.examples.pages import read
from tools.layers import ROOT

_MARK = re.compile(r'mark\.promise\("(P\d+)"\)')


def test_promises_when_named_by_a_test_then_the_page_has_them() -> None:
    page = read(ROOT / "docs" / "reference" / "promises.md")
    known = set(re.findall(r"^\| (P\d+) \|", page, re.MULTILINE))
    named = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in _MARK.findall(path.read_text(encoding="utf-8"))
    }
    assert named - known == set()
