"""Goal: a crash at any call on the disk while queued commands are worked off leaves each of them
undone or done: one response to each, each publication once, no subscription too many.
Method: the machine stops at each call in turn, un-forced writes are lost, kept, or each as chance
has it; after the restart the rest is worked off.
"""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.pubsub_command import Field, fields_header, read_command, read_response
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.runtime.embedded import QueueManager
from ternmq.testing.simulation import crash_everywhere

pytestmark = [pytest.mark.promise("P1"), pytest.mark.promise("P2")]

CONTROL = "SYSTEM.BROKER.CONTROL.QUEUE"
STREAM = "SYSTEM.BROKER.DEFAULT.STREAM"
SQ: Field = ("QName", "SQ")
COMMANDS: list[tuple[str, list[Field]]] = [
    (CONTROL, [("Command", "RegSub"), ("Topic", "t/#"), SQ]),
    (STREAM, [("Command", "Publish"), ("Topic", "t/1"), ("PubOpt", "RetainPub")]),
    (STREAM, [("Command", "Publish"), ("Topic", "t/2"), ("Topic", "t/3"), ("Topic", "t/4")]),
    (CONTROL, [("Command", "RegSub"), ("Topic", "u"), SQ, ("SubName", "S1")]),
    (CONTROL, [("Command", "DeregSub"), ("Topic", "t/#"), SQ]),
]


def work(qmgr: QueueManager) -> None:
    """What the housekeeper does: all commands are worked off. After each step the log is forced, as
    another application may have it, so that there are calls in the middle of a command."""
    shell = qmgr.started.shell
    more = True
    while more:
        with shell.lock:
            more = shell.engine.work_some()
            shell.settle()
        more = shell.run_effects() or more
        shell.forcer.force(shell.engine.log.end_lsn)


def prepare(qmgr: QueueManager) -> None:
    qmgr.mqsc("DEFINE QLOCAL(SQ)\nDEFINE QLOCAL(REPLIES)")


def application(qmgr: QueueManager, put: list[int]) -> None:
    """Put the commands, and note which were put for good."""
    for number, (queue, fields) in enumerate(COMMANDS):
        header = fields_header(2, fields, mq.MQENC_NATIVE, UTF8, mq.MQFMT_STRING)
        descriptor = Descriptor(
            format=mq.MQFMT_RF_HEADER_2,
            encoding=mq.MQENC_NATIVE,
            ccsid=UTF8,
            msg_type=mq.MQMT_REQUEST,
            reply_to_queue="REPLIES",
            persistence=mq.MQPER_PERSISTENT,
            correl_id=bytes([number + 1]) * 24,
            report=mq.MQRO_PASS_CORREL_ID,
        )
        qmgr.put(queue, header + str(number).encode(), descriptor=descriptor)
        put.append(number)
        work(qmgr)


def look(qmgr: QueueManager, put: list[int]) -> None:
    """One response to each command that was put for good, at most one to the next."""
    work(qmgr)
    answered: list[int] = []
    for message in qmgr.queue("REPLIES"):
        md = message.descriptor
        completion, _ = read_response(message.data, md.format, LITTLE, md.ccsid)
        number = md.correl_id[0] - 1
        assert completion == mq.MQCC_OK, f"command {number}"
        answered.append(number)
    assert len(answered) == len(set(answered))
    assert set(put) <= set(answered) <= {*put, len(put)}
    texts = []
    for message in qmgr.queue("SQ"):
        md = message.descriptor
        texts.append(read_command(message.data, md.format, LITTLE, md.ccsid).data.decode())
    assert texts == [str(number) for number in (1, 2, 2, 2) if number in answered]
    by_name = pubsub_of(qmgr.started.shell.engine.kernel).by_name
    assert ("SQ@QM1::t/#" in by_name) == (0 in answered and 4 not in answered)
    assert ("S1" in by_name) == (3 in answered)


def test_commands_when_stopped_anywhere_then_each_is_undone_or_done() -> None:
    put: list[int] = []

    def run(qmgr: QueueManager) -> None:
        put.clear()
        application(qmgr, put)

    assert crash_everywhere(run, lambda qmgr: look(qmgr, put), prepare=prepare) > 30
