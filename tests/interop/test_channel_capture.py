"""Goal: `make capture` leaves files in which all that both ends of a channel said can be read, by
us and by tshark, with every kind of segment that a sender and a receiver have for each other.

Method: two queue managers of ours, a relay between them, and the files.
"""

from pathlib import Path

import pytest

from tests.interop.capture import decode, has_tshark
from tests.interop.channel_capture import our_own, relay_of, write

KINDS = {
    *("INITIAL_DATA", "RESYNC_DATA", "RESET_DATA", "PING_DATA", "MESSAGE_DATA", "STATUS_DATA"),
    "HEARTBEAT",
}


@pytest.mark.slow
@pytest.mark.timeout(90)
def test_capture_when_two_of_ours_talk_then_all_of_it_can_be_read(tmp_path: Path) -> None:
    conversations = our_own()
    write(conversations, tmp_path)

    text = (tmp_path / "channel.txt").read_text(encoding="utf-8")
    named = [[one.segments(True), one.segments(False)] for one in conversations]
    assert {kind for both in named for side in both for kind in side} == KINDS
    assert sum(len(side) for both in named for side in both) == text.count("TSH ") // 2
    assert "cannot be read" not in text
    assert "not a segment" not in text
    if has_tshark():
        found = decode(tmp_path / "channel.pcap", len(conversations))
        assert found.complaints == []
        assert found.by_client == [by_caller for by_caller, _ in named]
        assert found.by_server == [by_called for _, by_called in named]
        assert "MESSAGE_DATA" in (tmp_path / "channel.tshark").read_text(encoding="utf-8")


def test_relay_when_the_word_is_wrong_then_it_says_how_it_is_written() -> None:
    with pytest.raises(SystemExit, match="1415=mq"):
        relay_of("mq.example.com")
