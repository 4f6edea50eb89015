"""Goal: messages arrive whose batch is larger than the whole log of the receiver: BATCHLIM(0) does
not make a channel retry the same batch for ever. Method: two queue managers with small logs.
"""

from pathlib import Path
from typing import Final

import pytest

from tests.integration.channel_pair import QMA, QMB, ChannelPair
from tests.integration.channel_senders import sender

MESSAGES: Final = 40
TEXT: Final = "x" * 100_000


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_batch_when_it_is_larger_than_the_log_of_the_receiver_then_sent_in_smaller_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    pair = ChannelPair(tmp_path)
    try:
        pair.make(QMA)
        pair.make(QMB)
        sender(pair, "L1", f"BATCHSZ({MESSAGES}) BATCHLIM(0) SHORTTMR(0)")
        pair.send(*(f"{number} {TEXT}" for number in range(MESSAGES)), queue="L1.R")
        pair.mqsc(QMA, "START CHANNEL(L1)")
        pair.has(QMB, "L1.T", MESSAGES)
        found = [int(text.split()[0]) for text in pair.received("L1.T")]
        assert found == list(range(MESSAGES))
        assert int(pair.shown(QMA, "L1")["BATCHES"]) > 1
    finally:
        pair.end_all()
