"""Goal: a queued subscriber that was answered is registered, or deregistered, for good, also if
neither the command nor its response is persistent.

Method: embedded queue managers on a simulated disk, stopped when the response has been got.
"""

from __future__ import annotations

import pytest

from ternmq import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.pubsub_command import Field, fields_header, read_response
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.mqi.mqmd import Descriptor
from tests.conformance.pubsub.crash_bed import CrashBed
from tests.conformance.pubsub.queued_commands import CONTROL

pytestmark = [pytest.mark.promise("P1"), pytest.mark.promise("P2")]


def work(bed: CrashBed) -> None:
    """All commands are worked off. Nothing is forced that does not ask for it."""
    shell = bed.qmgr.started.shell
    more = True
    while more:
        with shell.lock:
            more = shell.engine.work_some()
            shell.settle()
        more = shell.run_effects() or more


def ask(bed: CrashBed, *fields: Field) -> None:
    header = fields_header(2, list(fields), mq.MQENC_NATIVE, UTF8, mq.MQFMT_STRING)
    descriptor = Descriptor(
        format=mq.MQFMT_RF_HEADER_2,
        encoding=mq.MQENC_NATIVE,
        ccsid=UTF8,
        msg_type=mq.MQMT_REQUEST,
        reply_to_queue="REPLIES",
        persistence=mq.MQPER_NOT_PERSISTENT,
    )
    bed.qmgr.put(CONTROL, header, descriptor=descriptor)
    work(bed)
    with bed.qmgr.queue("REPLIES") as replies:
        response = replies.get()
    md = response.descriptor
    assert read_response(response.data, md.format, LITTLE, md.ccsid)[0] == mq.MQCC_OK


@pytest.mark.parametrize("syncpoint", ["IFPER", "YES"])
@pytest.mark.parametrize("how", ["end", "kill", "crash"])
def test_command_when_answered_and_the_queue_manager_stops_then_it_is_done(
    how: str, syncpoint: str
) -> None:
    bed = CrashBed()
    bed.mqsc(f"DEFINE QLOCAL(SQ)\nDEFINE QLOCAL(REPLIES)\nALTER QMGR PSSYNCPT({syncpoint})")
    ask(bed, ("Command", "RegSub"), ("Topic", "t"), ("QName", "SQ"))
    bed.restart(how)
    assert list(bed.pubsub.by_name) == ["SQ@QM1::t"]
    ask(bed, ("Command", "DeregSub"), ("Topic", "t"), ("QName", "SQ"))
    bed.restart(how)
    assert list(bed.pubsub.by_name) == []
    bed.close()
