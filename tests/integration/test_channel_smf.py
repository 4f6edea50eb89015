"""Goal: SMF 116-10 of running queue managers has what a message channel did, exits and compression
included, and so have the PCF statistics of channels.

Method: two real queue managers, a compressed channel with a message exit; the data set of the one
that sends is read when it has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from ternmq.base import constants as mq
from ternmq.base import constants_all as amo
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.codec.smf.reader import Reader
from ternmq.remote.local.folder_lookup import find
from tests.battery.places import until
from tests.integration.channel_pair import QMA, QMB, ChannelPair

EXIT: Final = """
import time

def wait(mqcxp, mqcd, data):
    if mqcxp.ExitReason == 13:
        time.sleep(0.002)
"""
MESSAGES: Final = 10


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChannelPair]:
    monkeypatch.setenv("TERNMQ_DATA", str(tmp_path))
    one = ChannelPair(tmp_path)
    for name in (QMA, QMB):
        one.make(name)
    exits = Path(find(str(tmp_path), QMA).folder) / "exits"
    exits.mkdir(mode=0o755, exist_ok=True)
    (exits / "slow.py").write_text(EXIT)
    (exits / "slow.py").chmod(0o644)
    yield one
    one.end_all()


def channel_blocks(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for path in sorted((folder / "smf").rglob("*.dat")):
        with path.open("rb") as data:
            for record in Reader(data.read):
                found += record.values_of("QCST")
    return found


@pytest.mark.timeout(60)
def test_channel_when_it_has_run_then_its_records_say_what_it_did(pair: ChannelPair) -> None:
    pair.mqsc(
        QMA,
        "ALTER QMGR STATCHL(HIGH) MONCHL(HIGH)",
        "START TRACE(ACCTG) CLASS(4)",
    )
    given = "MSGEXIT('slow(wait)') COMPMSG(ZLIBFAST) BATCHINT(7) BATCHLIM(900) BATCHSZ(4)"
    pair.connect_ends(given=given, receiver="COMPMSG(ANY)")
    for number in range(MESSAGES):
        pair.send(f"{number} " + "order " * 500)
    pair.mqsc(QMA, "START CHANNEL(A.TO.B)")
    pair.has(QMB, "TARGET", MESSAGES)
    pair.becomes(QMA, "RUNNING")
    until(lambda: int(pair.shown(QMA)["MSGS"]) == MESSAGES)
    pair.mqsc(QMA, "RESET QMGR TYPE(STATISTICS)")
    statistics = taken(pair)[-1]
    assert statistics[amo.MQIAMO_EXIT_TIME_MIN] >= 2000
    assert statistics[amo.MQIAMO_EXIT_TIME_AVG] >= statistics[amo.MQIAMO_EXIT_TIME_MIN]
    assert statistics[amo.MQIAMO_EXIT_TIME_MAX] >= statistics[amo.MQIAMO_EXIT_TIME_AVG]
    folder = Path(find(str(pair.data), QMA).folder)
    pair.stop(QMA)
    pair.stop(QMB)
    (block,) = [one for one in channel_blocks(folder) if one["qcstchnm"] == "A.TO.B"]
    assert (block["qcstnmsg"], block["qcstrqmn"]) == (MESSAGES, QMB)
    assert block["qcstbatc"] >= 3
    assert (block["qcstcbsz"], block["qcstcbit"], block["qcstcbdl"]) == (4, 7, 900)
    assert 50 <= block["qcstcpra"] <= 100
    assert 2000 <= block["qcstetmn"] <= block["qcstetav"] <= block["qcstetmx"]
    assert block["qcstetdt"] >= block["qcststrt"]


def taken(pair: ChannelPair) -> list[dict[int, Any]]:
    """The groups of the channel in statistics messages, until there is one."""
    found: list[dict[int, Any]] = []

    def look() -> bool:
        with pair.operators[QMA].queue("SYSTEM.ADMIN.STATISTICS.QUEUE") as queue:
            while (message := queue.try_get(wait=0)) is not None:
                for group in unpack_pcf(message.data).parameters:
                    inside = {one.parameter: one.value for one in group.members}
                    if str(inside.get(mq.MQCACH_CHANNEL_NAME, "")).rstrip() == "A.TO.B":
                        found.append(inside)
        return bool(found)

    until(look)
    return found
