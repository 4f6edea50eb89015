"""Goal: a failure whose traceback pytest cannot show is one failure, and the other tests run.

Method: an inner run of pytest in which parsing source raises what Python 3.11.2 raises.
"""

import pytest

BROKEN = """
import ast

def test_deep(monkeypatch):
    def parse(*arguments, **options):
        raise SystemError("AST constructor recursion depth mismatch (before=63, after=66)")

    monkeypatch.setattr(ast, "parse", parse)
    raise ValueError("the failure itself")

def test_next():
    pass
"""


def test_run_when_a_traceback_cannot_be_shown_then_it_goes_on(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(BROKEN)
    result = pytester.runpytest("-p", "tests.deep_tracebacks", "-W", "error")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*ValueError: the failure itself*"])
