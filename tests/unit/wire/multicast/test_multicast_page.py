"""Goal: the page about the packets of multicast has what its code has.

Method: compare it with the heads of the files that implement them.
"""

from tests.unit.wire.multicast.multicast_page import PAGE, page


def test_page_when_compared_with_the_heads_of_the_code_then_the_same() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
