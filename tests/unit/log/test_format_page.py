"""Goal: the page about the log format says what the files that implement it say.
Method: make the page again and compare.
"""

import pytest

from tests.unit.log.format_page import PAGE, page

pytestmark = pytest.mark.plain


def test_page_then_equals_the_head_comments() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
