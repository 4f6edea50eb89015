"""Goal: MQGMO_CONVERT gives the same data, descriptor and warning in every binding.

Method: put what is in another character set and encoding, get it converted, with and without room.
"""

from __future__ import annotations

import pytest

import ternmq
from ternmq import QueueManager
from ternmq import constants as mq
from tests.unit.codec.test_header_conversion import HEADERS, HERE, HOST, WHOLE, Side, dlh, rfh2

CONVERT = mq.MQGMO_CONVERT
ACCEPT = mq.MQGMO_ACCEPT_TRUNCATED_MSG


def host(format: str, ccsid: int = 500, encoding: int = 273) -> ternmq.Descriptor:
    return ternmq.Descriptor(format=format, ccsid=ccsid, encoding=encoding)


def said(message: ternmq.Message) -> tuple[int, int]:
    return message.descriptor.ccsid, message.descriptor.encoding


@pytest.mark.parametrize("format", [*WHOLE, *HEADERS])
def test_convert_when_of_a_built_in_format_then_it_is_converted(
    qmgr: QueueManager, format: str
) -> None:
    def data(side: Side) -> bytes:
        if format in WHOLE:
            return WHOLE[format](side)
        return HEADERS[format](side, "MQSTR") + side.c("The text.")

    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        if format in ("MQHMDE", "MQHRF2"):  # one at the front of a put is not data
            queue.put(dlh(HOST, format) + data(HOST), descriptor=host("MQDEAD"))
            wanted = dlh(HERE, format) + data(HERE)
            message = queue.get(options=CONVERT | mq.MQGMO_PROPERTIES_FORCE_MQRFH2)
        else:
            queue.put(data(HOST), descriptor=host(format))
            wanted = data(HERE)
            message = queue.get(options=CONVERT)
    assert (message.data, message.warning, said(message)) == (wanted, 0, (1208, 546))
    assert not message.truncated


def test_convert_when_a_target_is_set_then_it_counts_for_gets_and_browses(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.convert_to(500, 273)
        queue.put("Grüße")
        (looked,) = [(one.data, said(one)) for one in queue.browse(options=CONVERT)]
        assert looked == ("Grüße".encode("cp500"), (500, 273))
        message = queue.get(options=CONVERT)
        assert (message.data, said(message)) == looked
        assert message.text == "Grüße"
        queue.put("x")
        message = queue.get()
        assert (message.data, said(message)) == (b"x", (1208, 546))


def test_convert_when_the_queue_managers_set_is_another_then_that_is_the_target(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    qmgr.mqsc("ALTER QMGR CCSID(819)")
    with qmgr.queue("A") as queue:
        queue.put("é".encode("cp500"), descriptor=host("MQSTR"))
        message = queue.get(options=CONVERT)
    assert (message.data, said(message)) == (b"\xe9", (819, 546))


@pytest.mark.parametrize(
    ("data", "md", "target", "reason"),
    [
        (b"\1\2", host("MYFMT"), (1208, 546), mq.MQRC_FORMAT_ERROR),
        (b"\1\2", host(""), (1208, 546), mq.MQRC_FORMAT_ERROR),
        (b"\1\2", host("", 1208, 273), (1208, 546), mq.MQRC_FORMAT_ERROR),
        (b"ab", host("MQSTR", 9999), (1208, 546), mq.MQRC_SOURCE_CCSID_ERROR),
        (b"ab", host("MQSTR"), (9999, 546), mq.MQRC_TARGET_CCSID_ERROR),
        (b"ab", host("MQSTR"), (-1, 546), mq.MQRC_TARGET_CCSID_ERROR),
        (b"\0a", host("MQSTR", 1200, 0), (1208, 546), mq.MQRC_SOURCE_INTEGER_ENC_ERROR),
        (b"a", host("MQSTR"), (1200, 0), mq.MQRC_TARGET_INTEGER_ENC_ERROR),
        (b"\xff", host("MQSTR", 1208), (819, 546), mq.MQRC_NOT_CONVERTED),
        (b"\x81", host("MQSTR", 943), (1208, 546), mq.MQRC_DBCS_ERROR),
        (b"no pcf", host("MQPCF"), (1208, 546), mq.MQRC_FORMAT_ERROR),
        (b"", host("MYFMT"), (1208, 546), 0),
    ],
)
def test_convert_when_it_cannot_be_then_the_message_comes_as_it_is(
    qmgr: QueueManager,
    data: bytes,
    md: ternmq.Descriptor,
    target: tuple[int, int],
    reason: int,
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.convert_to(*target)
        queue.put(data, descriptor=md)
        message = queue.get(options=CONVERT)
        assert queue.try_get() is None
    assert (message.data, message.warning) == (data, reason)
    assert said(message) == (md.ccsid, md.encoding)


def test_convert_when_the_body_cannot_be_then_the_headers_describe_it(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(dlh(HOST, "MYFMT") + b"\1\2", descriptor=host("MQDEAD"))
        message = queue.get(options=CONVERT)
    assert message.data == dlh(HERE, "MYFMT", HOST) + b"\1\2"
    assert (message.warning, said(message)) == (mq.MQRC_FORMAT_ERROR, (1208, 546))


def test_convert_when_it_grows_beyond_the_buffer_then_it_is_as_it_was_or_cut(
    qmgr: QueueManager,
) -> None:
    text = "äöü".encode("latin-1")
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        for _ in range(3):
            queue.put(text, descriptor=host("MQSTR", 819))
        message = queue.get(options=CONVERT, max_length=5)
        assert (message.data, message.warning) == (text, mq.MQRC_CONVERTED_MSG_TOO_BIG)
        assert (said(message), message.truncated) == ((819, 273), False)
        message = queue.get(options=CONVERT | ACCEPT, max_length=5)
        assert (message.data, message.truncated) == ("äö".encode(), True)
        assert (said(message), message.length) == ((1208, 546), 4)
        message = queue.get(options=CONVERT, max_length=6)
        assert (message.data, message.truncated) == ("äöü".encode(), False)


def test_convert_when_it_is_cut_before_then_what_there_is_is_converted(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put("abcdef".encode("cp500"), descriptor=host("MQSTR"))
        with pytest.raises(ternmq.Truncated) as caught:
            queue.get(options=CONVERT, max_length=3)
        cut = caught.value.result
        assert isinstance(cut, ternmq.Message)
        assert (cut.data, said(cut)) == ("abc".encode("cp500"), (500, 273))
        message = queue.get(options=CONVERT | ACCEPT, max_length=3)
        assert (message.data, message.truncated, message.length) == (b"abc", True, 6)
        assert said(message) == (1208, 546)
        queue.put("äö".encode(), descriptor=host("MQSTR", 1208))
        queue.convert_to(819)
        message = queue.get(options=CONVERT | ACCEPT, max_length=3)
        assert (message.data, message.truncated, message.length) == (b"\xe4", True, 4)


def test_convert_when_properties_come_as_a_header_then_that_is_in_the_target(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.convert_to(500, 273)
        queue.put("text", properties={"a": 1})
        message = queue.get(options=CONVERT | mq.MQGMO_PROPERTIES_FORCE_MQRFH2)
    assert (message.format, said(message), message.warning) == ("MQHRF2", (500, 273), 0)
    assert message.data.startswith("RFH ".encode("cp500") + b"\0\0\0\2")
    assert message.data[12:28] == HOST.i(273, 500) + HOST.c("MQSTR", 8)
    assert message.data.endswith("text".encode("cp500"))
    assert dict(message.properties) == {"a": 1}


def test_exit_when_registered_then_it_converts_its_format_behind_headers(
    qmgr: QueueManager,
) -> None:
    seen: list[tuple[str, int, int, int, int]] = []

    def exit(mqdxp: ternmq.ExitParameters) -> bytes | None:
        encodings = (mqdxp.source_encoding, mqdxp.encoding)
        seen.append((mqdxp.format, mqdxp.source_ccsid, mqdxp.ccsid, *encodings))
        return mqdxp.data[:4][::-1] + mqdxp.text(mqdxp.data[4:])

    service = qmgr.started.shell.engine.kernel.conversion
    service.add("MYFMT", exit)
    qmgr.define_queue("A")
    data = HOST.i(7) + HOST.c("seven")
    with qmgr.queue("A") as queue:
        queue.put(data, descriptor=host("MYFMT"))
        queue.put(dlh(HOST, "MQHRF2") + rfh2(HOST, "MYFMT") + data, descriptor=host("MQDEAD"))
        message = queue.get(options=CONVERT)
        assert (message.data, message.warning) == (HERE.i(7) + b"seven", 0)
        assert said(message) == (1208, 546)
        message = queue.get(options=CONVERT | mq.MQGMO_PROPERTIES_FORCE_MQRFH2)
        assert message.data.startswith(dlh(HERE, "MQHRF2"))
        assert message.data.endswith(HERE.i(7) + b"seven")
        assert seen == [("MYFMT", 500, 1208, 273, 546)] * 2
        queue.put(b"\1", descriptor=ternmq.Descriptor(format="MYFMT"))
        assert queue.get(options=CONVERT).data == b"\1"  # as asked for: the exit is not called
        queue.put(data, descriptor=host("MYFMT"))
        cut = queue.get(options=CONVERT | ACCEPT, max_length=5)  # an exit needs all of it
        assert (cut.data, cut.truncated, said(cut)) == (data[:5], True, (500, 273))
        assert len(seen) == 2


def test_target_when_it_is_not_a_number_of_the_mqmd_then_it_is_refused(qmgr: QueueManager) -> None:
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue, pytest.raises(ternmq.MQError) as caught:
        queue.convert_to(1208, 1 << 40)
    assert caught.value.reason == mq.MQRC_MD_ERROR


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("raises", mq.MQRC_NOT_CONVERTED),
        ("leaves", 2119),
        ("refuses", mq.MQRC_DBCS_ERROR),
        ("lies", 2119),
    ],
)
def test_exit_when_it_fails_then_the_message_comes_as_it_is(
    qmgr: QueueManager, what: str, reason: int
) -> None:
    def exit(mqdxp: ternmq.ExitParameters) -> bytes | None:
        if what == "raises":
            raise ZeroDivisionError("seven")
        if what == "leaves":
            raise SystemExit(1)
        # A warning that no conversion has would be taken for another outcome of the get.
        mqdxp.reason = mq.MQRC_DBCS_ERROR if what == "refuses" else mq.MQRC_NO_MSG_AVAILABLE
        return None

    kernel = qmgr.started.shell.engine.kernel
    kernel.conversion.add("MYFMT", exit)
    qmgr.define_queue("A")
    with qmgr.queue("A") as queue:
        queue.put(b"\1\2", descriptor=host("MYFMT"))
        message = queue.get(options=CONVERT)
        assert queue.try_get() is None
    assert (message.data, message.warning, said(message)) == (b"\1\2", reason, (500, 273))


def test_message_when_cut_and_not_converted_then_only_that_it_is_cut(qmgr: QueueManager) -> None:
    qmgr.define_queue("CUT")
    with qmgr.queue("CUT") as queue:
        queue.convert_to(500, mq.MQENC_NATIVE)
        queue.put(b"no format at all")
        options = mq.MQGMO_CONVERT | mq.MQGMO_ACCEPT_TRUNCATED_MSG
        message = queue.get(options=options, max_length=5)
    assert (message.data, message.truncated, message.warning) == (b"no fo", True, 0)


def test_length_when_the_data_grows_then_it_is_that_of_the_converted_data(
    qmgr: QueueManager,
) -> None:
    qmgr.define_queue("GROWS")
    with qmgr.queue("GROWS") as queue:
        md = ternmq.Descriptor(format="MQSTR", ccsid=500)
        queue.put("Größe".encode("cp500"), descriptor=md)
        message = queue.get(options=mq.MQGMO_CONVERT)
    assert (len(message.data), message.length, message.truncated) == (7, 7, False)
