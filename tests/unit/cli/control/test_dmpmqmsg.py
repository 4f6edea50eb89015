"""Goal: messages go to files and come back with every field and byte; nothing is lost on the way.

Method: a queue manager in memory, files in a temporary folder; the format by properties.
"""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ternmq
from ternmq import constants as mq
from ternmq.base.visible_text import visible_in_line
from ternmq.cli.control import dmpmqmsg
from ternmq.cli.control.message_file import (
    HEX,
    LINE,
    STRING,
    MessageFileError,
    data_lines,
    descriptor_lines,
    read_messages,
)
from ternmq.cli.control.message_treatment import Pace
from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqxqh import TransmissionHeader


def fill(qm: ternmq.QueueManager, *texts: str) -> None:
    qm.define_queue("A")
    qm.define_queue("B")
    for text in texts:
        qm.put("A", text)


def texts(qm: ternmq.QueueManager, name: str) -> list[str]:
    with qm.queue(name) as queue:
        return [message.text for message in queue.browse()]


@given(
    st.binary(max_size=300),
    st.sampled_from([HEX, STRING, LINE]),
    st.integers(2, 40),
    st.booleans(),
)
def test_data_comes_back_whatever_its_form(
    data: bytes, form: str, width: int, columns: bool
) -> None:
    lines = ["N", *data_lines(data, form, width, columns)]
    (message,) = read_messages(iter(f"{line}\n" for line in lines))
    assert message.data == data
    assert message.descriptor is None


def test_every_field_of_the_descriptor_comes_back() -> None:
    md = ternmq.Descriptor(
        report=1,
        msg_type=2,
        expiry=3,
        feedback=4,
        encoding=273,
        ccsid=500,
        format="MQHRF2",
        priority=7,
        persistence=1,
        msg_id=b"m" * 24,
        correl_id=b"c" * 24,
        backout_count=5,
        reply_to_queue="R.Q",
        reply_to_qmgr="R.QM",
        user_id="user",
        accounting_token=b"t" * 32,
        appl_identity_data="identity",
        put_appl_type=6,
        put_appl_name="program name",
        put_date="20261116",
        put_time="01020304",
        appl_origin_data="ab",
        group_id=b"g" * 24,
        msg_seq_number=9,
        offset=10,
        msg_flags=11,
        original_length=12,
    )
    for characters in (False, True):
        lines = [*descriptor_lines(md, characters=characters), "S "]
        (message,) = read_messages(iter(lines))
        assert message.descriptor == md


@given(st.text(max_size=6), st.booleans())
@example("\x1b[2J", True)
@example("a\nT ha", False)
@example("X'41'", True)
@example("\u202ea", True)
def test_no_text_of_a_descriptor_ends_its_line_or_steers_a_terminal(
    text: str, characters: bool
) -> None:
    md = ternmq.Descriptor(reply_to_queue=text, put_appl_name=text, user_id=text)
    md.appl_identity_data = text
    lines = [*descriptor_lines(md, characters=characters), "S "]
    assert [line for line in lines if visible_in_line(line) != line] == []
    (message,) = read_messages(iter(f"{line}\n" for line in lines))
    assert message.descriptor is not None
    assert message.descriptor.reply_to_queue == text.rstrip()
    assert message.descriptor.put_appl_name == text.rstrip()
    assert message.descriptor.user_id == text.rstrip()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("X 00\n", "line 1: a line that begins with A or N"),
        ("A XXX 1\nX 00\n", "line 1: there is no attribute 'XXX'"),
        ("A PRI high\n", "line 1: PRI"),
        ("N\nX 0G\n", "line 2: no hexadecimal"),
        ('N\nS "abc\n', 'line 2: the " at the end is missing'),
        ("A PRI 1\n", "the last message has no data line"),
        ("A MSI " + "00" * 25 + "\n", "more than 24 bytes"),
    ],
)
def test_a_file_that_is_none_names_its_line(text: str, complaint: str) -> None:
    with pytest.raises(MessageFileError, match=complaint):
        list(read_messages(iter(text.splitlines(keepends=True))))


def test_a_copy_leaves_the_queue_and_comes_back_whole(
    attached: ternmq.QueueManager, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(attached, "one", "two")
    file = tmp_path / "messages"
    assert dmpmqmsg.main(["-m", "QM1", "-i", "A", "-f", str(file)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "Read    - Files:   0  Messages:     2  Bytes:         6",
        "Written - Files:   1  Messages:     2  Bytes:         6",
    ]
    assert texts(attached, "A") == ["one", "two"]
    assert dmpmqmsg.main(["-mQM1", "-oB", f"-f{file}"]) == 0
    with attached.queue("A") as a, attached.queue("B") as b:
        assert [one.descriptor for one in a.browse()] == [one.descriptor for one in b.browse()]
    assert texts(attached, "B") == ["one", "two"]


@pytest.mark.parametrize("taken", ["-i", "-I"])
def test_properties_come_back(attached: ternmq.QueueManager, tmp_path: Path, taken: str) -> None:
    fill(attached)
    attached.put("A", "one", properties={"colour": "red", "size": 4})
    file = tmp_path / "messages"
    assert dmpmqmsg.main(["-m", "QM1", taken, "A", "-f", str(file)]) == 0
    assert dmpmqmsg.main(["-mQM1", "-oB", f"-f{file}"]) == 0
    with attached.queue("B") as queue:
        message = queue.get()
    assert (message.text, message.format) == ("one", "MQSTR")
    assert message.properties == {"colour": "red", "size": 4}


def test_groups_and_segments_come_back(attached: ternmq.QueueManager, tmp_path: Path) -> None:
    """Z24."""
    attached.define_queue("A", max_message_length=4096)
    attached.define_queue("B", max_message_length=4096)
    data = bytes(range(250)) * 40
    md = ternmq.Descriptor(version=2, msg_flags=mq.MQMF_SEGMENTATION_ALLOWED)
    with attached.queue("A") as queue, queue.group() as group:
        group.put(data, descriptor=md, properties={"colour": "red"})
        group.put(b"end", last=True)
    file = tmp_path / "messages"
    assert dmpmqmsg.main(["-m", "QM1", "-i", "A", "-f", str(file)]) == 0
    assert dmpmqmsg.main(["-mQM1", "-oB", f"-f{file}"]) == 0
    with attached.queue("A") as a, attached.queue("B") as b:
        assert [one.descriptor for one in a.browse()] == [one.descriptor for one in b.browse()]
        options = mq.MQGMO_COMPLETE_MSG | mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_ALL_MSGS_AVAILABLE
        first, second = b.get(options=options), b.get(options=options)
    assert (first.data, dict(first.properties)) == (data, {"colour": "red"})
    assert (second.data, second.group_id) == (b"end", group.group_id)


def test_a_move_empties_the_queue(attached: ternmq.QueueManager, tmp_path: Path) -> None:
    fill(attached, *"abcde")
    assert dmpmqmsg.main(["-I", "A", "-f", str(tmp_path / "f"), "-t", "2", "-q"]) == 0
    assert texts(attached, "A") == []
    assert (tmp_path / "f").read_text().count("A VER 2") == 5


def test_a_file_that_is_there_is_not_replaced_and_nothing_is_lost(
    attached: ternmq.QueueManager, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(attached, "one")
    file = tmp_path / "f"
    file.write_text("precious")
    assert dmpmqmsg.main(["-I", "A", "-f", str(file)]) == 1
    assert file.read_text() == "precious"
    assert texts(attached, "A") == ["one"]
    assert "exists" in capsys.readouterr().err
    assert dmpmqmsg.main(["-I", "A", "-F", str(file), "-q"]) == 0
    assert texts(attached, "A") == []


def test_a_move_between_queues_is_whole_or_not_at_all(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(attached, "one", "two", "three")
    attached.alter_queue("B", max_depth=2)
    assert dmpmqmsg.main(["-I", "A", "-o", "B", "-q"]) == 1
    assert texts(attached, "A") == ["one", "two", "three"]
    assert texts(attached, "B") == []
    attached.alter_queue("B", max_depth=5)
    assert dmpmqmsg.main(["-I", "A", "-o", "B", "-q"]) == 0
    assert texts(attached, "B") == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-r", "2"], ["b"]),
        (["-r", "2..3"], ["b", "c"]),
        (["-r", "3#2"], ["c", "d"]),
        (["-r", "#1"], ["a"]),
        (["-s", "c"], ["c"]),
        (["-S", "c"], ["a", "b", "d"]),
        (["-x", "64"], ["d"]),
        (["-T", "1"], []),
        (["-T", ",1"], ["a", "b", "c", "d"]),
    ],
)
def test_some_messages_are_chosen(
    attached: ternmq.QueueManager, arguments: list[str], expected: list[str]
) -> None:
    fill(attached, "a", "b", "c", "d")
    assert dmpmqmsg.main(["-I", "A", "-o", "B", "-q", *arguments]) == 0
    assert texts(attached, "B") == expected
    assert texts(attached, "A") == [one for one in "abcd" if one not in expected]


def test_messages_are_chosen_by_identifier(attached: ternmq.QueueManager) -> None:
    fill(attached, "a")
    md = ternmq.Descriptor(correl_id=b"me".ljust(24, b"\0"))
    attached.put("A", b"mine", descriptor=md)
    assert dmpmqmsg.main(["-i", "A", "-o", "B", "-q", "-g", "cme"]) == 0
    assert texts(attached, "B") == ["mine"]


def test_a_series_of_files(attached: ternmq.QueueManager, tmp_path: Path) -> None:
    fill(attached, "one", "two")
    assert dmpmqmsg.main(["-i", "A", "-f", str(tmp_path / "m%n"), "-q"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m1", "m2"]
    assert dmpmqmsg.main(["-o", "B", "-f", str(tmp_path / "m%n"), "-q"]) == 0
    assert texts(attached, "B") == ["one", "two"]


def test_the_counts_as_json(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(attached, "one")
    assert dmpmqmsg.main(["-i", "A", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["read"] == {"files": 0, "messages": 1, "bytes": 3}


@pytest.mark.parametrize(
    "arguments", [[], ["-i", "A", "-I", "A"], ["-i", "A", "-r", "x"], ["-i", "A", "-g", "zz"]]
)
def test_arguments_that_cannot_be(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        dmpmqmsg.main(arguments)
    assert end.value.code == 39


# ---- what is done to messages on their way


def dead(text: bytes) -> tuple[ternmq.Descriptor, bytes]:
    header = DeadLetterHeader(
        reason=2053, destination_queue="Q", encoding=546, ccsid=1208, format="MQSTR"
    )
    return ternmq.Descriptor(format=mq.MQFMT_DEAD_LETTER_HEADER, ccsid=1208), header.pack() + text


def test_headers_are_taken_off(attached: ternmq.QueueManager) -> None:
    fill(attached)
    md, data = dead(b"a letter")
    with attached.queue("A") as queue:
        queue.put(data, descriptor=md)
        inner = ternmq.Descriptor(format="MQSTR", correl_id=b"c" * 24, version=1)
        header = TransmissionHeader(remote_queue="Q", remote_qmgr="QM2", descriptor=inner)
        outer = ternmq.Descriptor(format=mq.MQFMT_XMIT_Q_HEADER)
        queue.put(header.pack() + b"on its way", descriptor=outer)
        queue.put("plain")
    assert dmpmqmsg.main(["-m", "QM1", "-I", "A", "-o", "B", "-h", "-q"]) == 0
    with attached.queue("B") as queue:
        found = [queue.get() for _ in range(3)]
    assert [one.data for one in found] == [b"a letter", b"on its way", b"plain"]
    assert [one.format for one in found] == ["MQSTR"] * 3
    assert found[1].descriptor.correl_id == b"c" * 24


def test_a_header_that_is_none_ends_it_and_nothing_is_lost(
    attached: ternmq.QueueManager, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(attached)
    with attached.queue("A") as queue:
        md = ternmq.Descriptor(format=mq.MQFMT_DEAD_LETTER_HEADER)
        queue.put(b"short", descriptor=md)
    assert dmpmqmsg.main(["-m", "QM1", "-I", "A", "-o", "B", "-h", "-q"]) == 1
    assert "MQRC_DLH_ERROR" in capsys.readouterr().err
    with attached.queue("A") as queue:
        assert queue.get().data == b"short"


def test_text_is_converted(attached: ternmq.QueueManager) -> None:
    fill(attached, "grüße")
    assert dmpmqmsg.main(["-m", "QM1", "-i", "A", "-o", "B", "-P", "819", "-q"]) == 0
    with attached.queue("B") as queue:
        message = queue.get()
    assert (message.data, message.descriptor.ccsid) == ("grüße".encode("latin-1"), 819)


@pytest.mark.parametrize(
    ("delay", "low", "high"), [("500", 0.5, 0.5), ("-500", 0.0, 0.5), ("r50", 1.005, 1.005)]
)
def test_pauses(delay: str, low: float, high: float) -> None:
    slept: list[float] = []
    pace = Pace(delay, slept.append)
    for time in ("10000000", "10000201", "not a time"):
        pace.wait(ternmq.Descriptor(put_date="20261116", put_time=time))
    pace.wait(None)
    assert all(low <= one <= high for one in slept)
    assert len(slept) == (1 if delay.startswith("r") else 4)


def test_pauses_that_cannot_be() -> None:
    for wrong in ("x", "r", "1.5", "r-5"):
        with pytest.raises(ValueError, match="is not a delay"):
            Pace(wrong)
    with pytest.raises(SystemExit):
        dmpmqmsg.main(["-i", "A", "-D", "soon"])
