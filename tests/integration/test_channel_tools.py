"""Goal: channels through PCF, by runmqchl and runmqchi, and what runmqsc prints of them.

Method: two real queue managers; transcripts are compared with tests/transcripts/channel_cases,
ports, times and identifiers masked. REWRITE_TRANSCRIPTS=1 writes them: read what changed.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from ternmq.base import command_reasons as ccf
from ternmq.base import constants as mq
from ternmq.base import constants_all as amo
from ternmq.cli.control.runmqsc import Report, run
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from tests.battery.places import until
from tests.integration.channel_pair import QMA, QMB, ChannelPair
from tests.integration.channel_senders import sender
from tests.transcripts.test_transcripts import masked

CASES: Final = Path(__file__).resolve().parents[1] / "transcripts" / "channel_cases"
MASKS: Final = (
    (r"127\.0\.0\.1\(\d+\)", "127.0.0.1(<port>)"),
    (r"LUWID\((?!0{16})[0-9A-F]{16}\)", "LUWID(<luwid>)"),
    (r"(NETTIME|XQTIME|BYTSSENT|BYTSRCVD)\([\d,]+\)", r"\1(<n>)"),
    (r"JOBNAME\((?!0{16})[0-9A-F]{16}\)", "JOBNAME(<process>)"),
    (r"MCAUSER\(\w+\)", "MCAUSER(<user>)"),
    (r"SUBSTATE\(\w*\)", "SUBSTATE(<substate>)"),
)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChannelPair]:
    folder = tmp_path_factory.mktemp("pair")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERNMQ_DATA", str(folder))
        one = ChannelPair(folder)
        one.make(QMA)
        one.make(QMB)
        one.mqsc(QMA, "DEFINE QLOCAL(REPLIES)")
        yield one
        one.end_all()


def ask(pair: ChannelPair, command: int, *parameters: Parameter) -> list[PCFMessage]:
    """The replies of the command server of QMA."""
    request = PCFMessage(mq.MQCFT_COMMAND, command, list(parameters), version=3)
    descriptor = Descriptor(
        msg_type=mq.MQMT_REQUEST,
        format=mq.MQFMT_ADMIN,
        encoding=mq.MQENC_NATIVE,
        ccsid=1208,
        reply_to_queue="REPLIES",
    )
    operator = pair.operators[QMA]
    operator.put("SYSTEM.ADMIN.COMMAND.QUEUE", request.pack(LITTLE), descriptor=descriptor)
    found: list[PCFMessage] = []
    with operator.queue("REPLIES") as replies:
        while not found or found[-1].control != mq.MQCFC_LAST:
            found.append(unpack_pcf(replies.get(wait=10).data))
    return found


def named(channel: str) -> Parameter:
    return pcf.string(mq.MQCACH_CHANNEL_NAME, channel)


def test_pcf_when_a_channel_is_controlled_then_as_by_mqsc(pair: ChannelPair) -> None:
    sender(pair, "P1")
    pair.send("by PCF", queue="P1.R")
    (reply,) = ask(pair, mq.MQCMD_PING_CHANNEL, named("P1"), pcf.integer(mq.MQIACH_DATA_COUNT, 99))
    assert reply.reason == 0
    replies = ask(pair, mq.MQCMD_PING_CHANNEL, named("P1"), pcf.integer(mq.MQIACH_DATA_COUNT, 15))
    assert ccf.MQRCCF_PING_DATA_COUNT_ERROR in [one.reason for one in replies]
    assert ask(pair, mq.MQCMD_START_CHANNEL, named("P1"))[-1].reason == 0
    pair.has(QMB, "P1.T", 1)
    until(lambda: int(pair.shown(QMA, "P1")["BATCHES"]) == 1)
    status = ask(pair, mq.MQCMD_INQUIRE_CHANNEL_STATUS, named("P1"))[0]
    values = {one.parameter: one.value for one in status.parameters}
    assert values[mq.MQIACH_CHANNEL_STATUS] == mq.MQCHS_RUNNING
    assert values[mq.MQIACH_MSGS] == 1
    assert values[mq.MQIACH_LAST_SEQ_NUMBER] == 1
    assert values[mq.MQIACH_INDOUBT_STATUS] == mq.MQCHIDS_NOT_INDOUBT
    assert values[mq.MQIACH_BATCH_SIZE_INDICATOR] == [0, 0]  # MONCHL is off
    assert values[mq.MQIACH_CHANNEL_TYPE] == mq.MQCHT_SENDER
    assert str(values[mq.MQCA_REMOTE_Q_MGR_NAME]).rstrip() == QMB
    for command in (mq.MQCMD_START_CHANNEL, mq.MQCMD_RESET_CHANNEL):
        reasons = [one.reason for one in ask(pair, command, named("P1"))]
        assert ccf.MQRCCF_CHANNEL_IN_USE in reasons
    mode = pcf.integer(mq.MQIACF_MODE, amo.MQMODE_QUIESCE)
    assert ask(pair, mq.MQCMD_STOP_CHANNEL, named("P1"), mode)[-1].reason == 0
    pair.becomes(QMA, "STOPPED", "P1")
    number = pcf.integer(mq.MQIACH_MSG_SEQUENCE_NUMBER, 7)
    assert ask(pair, mq.MQCMD_RESET_CHANNEL, named("P1"), number)[-1].reason == 0
    saved = pcf.integer(mq.MQIACH_CHANNEL_INSTANCE_TYPE, mq.MQOT_SAVED_CHANNEL)
    status = ask(pair, mq.MQCMD_INQUIRE_CHANNEL_STATUS, named("P1"), saved)[0]
    values = {one.parameter: one.value for one in status.parameters}
    assert values[mq.MQIACH_LAST_SEQ_NUMBER] == 1
    choice = pcf.integer(mq.MQIACH_IN_DOUBT, mq.MQIDO_COMMIT)
    replies = ask(pair, mq.MQCMD_RESOLVE_CHANNEL, named("P1"), choice)
    assert ccf.MQRCCF_COMMAND_FAILED in [one.reason for one in replies]


def test_runmqchl_when_run_then_it_lasts_as_long_as_the_channel(pair: ChannelPair) -> None:
    sender(pair, "L1", "DISCINT(1)")
    pair.send("by runmqchl", queue="L1.R")
    assert "AMQ8018I" in pair.run("runmqchl", "-c", "L1", "-m", QMA).stdout
    assert pair.status(QMA, "L1") == "INACTIVE"
    assert pair.received("L1.T") == ["by runmqchl"]
    pair.run("runmqchl", "-c", "NOT.THERE", "-m", QMA, status=10)
    pair.run("runmqchl", "-c", "L1", "-m", "NONE", status=20)


def test_runmqchi_when_run_then_an_initiator_until_a_signal(pair: ChannelPair) -> None:
    pair.mqsc(QMA, "DEFINE QLOCAL(I1)")
    sender(pair, "I1.C")
    pair.mqsc(QMA, "ALTER QLOCAL(I1.C.X) TRIGGER INITQ(I1)")
    command = [sys.executable, "-m", "ternmq.cli", "runmqchi", "-m", QMA, "-q", "I1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as initiator:
        assert initiator.stdout is not None
        assert "AMQ8024I" in initiator.stdout.readline()
        pair.send("triggered", queue="I1.C.R")
        pair.has(QMB, "I1.C.T", 1)
        initiator.send_signal(signal.SIGTERM)
        assert initiator.wait() == 0
    (shown,) = pair.operators[QMA].mqsc("DISPLAY QSTATUS(I1) IPPROCS")
    assert int(shown["IPPROCS"]) == 0
    pair.run("runmqchi", "-m", QMA, "-q", "NOT.THERE", status=10)
    pair.run("runmqchi", "-m", "NONE", status=20)


def test_transcripts_when_a_channel_runs_and_is_stopped_then_as_they_were(
    pair: ChannelPair, capsys: pytest.CaptureFixture[str]
) -> None:
    sender(pair, "T1", "BATCHSZ(4)")
    pair.mqsc(QMA, "ALTER QMGR MONCHL(HIGH)", "ALTER QLOCAL(T1.X) TRIGGER INITQ(I2)")
    for _ in range(10):
        pair.send("x" * 1000, queue="T1.R")
    pair.mqsc(QMA, "START CHANNEL(T1)")
    until(lambda: pair.status(QMA, "T1") == "RUNNING" and has_sent(pair))
    check(pair, "channel_status", capsys)
    pair.becomes(QMA, "STOPPED", "T1")
    until(lambda: pair.operators[QMA].mqsc("DISPLAY QLOCAL(T1.X) GET")[0]["GET"] == "DISABLED")
    check(pair, "stopped_channel", capsys)


def has_sent(pair: ChannelPair) -> bool:
    """Whether all three batches are committed."""
    return int(pair.shown(QMA, "T1")["LSTSEQNO"]) == 10


def check(pair: ChannelPair, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run the commands of a case at QMA, and compare what is printed."""
    capsys.readouterr()
    lines = (CASES / f"{name}.mqsc").read_text(encoding="utf-8").splitlines()
    run(pair.operators[QMA], QMA, iter(lines), Report(True, False))
    output = "\n".join(masked(line) for line in capsys.readouterr().out.splitlines()) + "\n"
    for pattern, mask in MASKS:
        output = re.sub(pattern, mask, output)
    output = "\n".join(re.sub(r" {2,}(?=\S)", "  ", line) for line in output.splitlines()) + "\n"
    expected = CASES / f"{name}.out"
    if os.environ.get("REWRITE_TRANSCRIPTS"):
        expected.write_text(output, encoding="utf-8")
    assert output == expected.read_text(encoding="utf-8")
