"""Goal: the page about the protocol of message channels has what its code has, guesses included.

Method: compare it with the head of the file that implements the flows.
"""

from pathlib import Path

from tests.unit.wire.fap.channel_protocol_page import PAGE, ROOT, page


def test_page_when_compared_with_the_head_of_the_code_then_the_same() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_guesses_about_channels_when_searched_then_one_file_has_them() -> None:
    places = [ROOT / "src/ternmq/channel", ROOT / "src/ternmq/network/channels"]
    files = [path for place in places for path in place.rglob("*.py")]
    assert [said(path) for path in files if "guess" in path.read_text(encoding="utf-8")] == []


def said(path: Path) -> str:
    return str(path.relative_to(ROOT))
