"""Goal: commands, responses and publications of queued publish/subscribe are read as they are
written, in both headers, and what is wrong has IBM's reason.
Method: bytes there and back, and headers written by hand.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ternmq.base import constants as mq
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.mqrfh import RulesHeader, RulesHeader2
from ternmq.codec.headers.pubsub_command import (
    CommandError,
    CommandMessage,
    Field,
    Response,
    fields_header,
    read_command,
    read_pairs,
    read_response,
    response_header,
)
from ternmq.codec.headers.pubsub_options import (
    DELETION,
    PUBLICATION,
    REGISTRATION,
    option_words,
    options_of,
)
from ternmq.codec.headers.pubsub_publication import (
    publication_format,
    publication_header,
    published_fields,
    published_properties,
)
from ternmq.codec.mqi.layout import BIG, LITTLE
from ternmq.codec.property_area import pack_area

FORMATS = {1: mq.MQFMT_RF_HEADER_1, 2: mq.MQFMT_RF_HEADER_2}
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=40).filter(
    lambda text: "\ufffe" not in text and "\uffff" not in text
)


def command_1(text: str) -> CommandMessage:
    return read_command(RulesHeader(name_values=text).pack(), FORMATS[1], LITTLE, UTF8)


def command_2(*folders: str) -> CommandMessage:
    return read_command(RulesHeader2(folders=list(folders)).pack(), FORMATS[2], LITTLE, UTF8)


@pytest.mark.parametrize("version", [1, 2])
@given(values=st.lists(TEXTS, max_size=5))
def test_command_when_written_and_read_then_it_is_the_same(version: int, values: list[str]) -> None:
    fields: list[Field] = [("Command", "Publish"), *(("Topic", value) for value in values)]
    data = fields_header(version, fields, mq.MQENC_NATIVE, UTF8, mq.MQFMT_STRING) + b"body"
    found = read_command(data, FORMATS[version], LITTLE, UTF8)
    assert found.fields == fields
    assert (found.version, found.data, found.format) == (version, b"body", mq.MQFMT_STRING)
    assert (found.encoding, found.ccsid) == (mq.MQENC_NATIVE, UTF8)


@pytest.mark.parametrize("version", [1, 2])
@given(topic=TEXTS, folder=st.sampled_from(["", "<psc><Command>x</Command></psc>"]))
def test_response_when_written_and_read_then_it_is_the_same(
    version: int, topic: str, folder: str
) -> None:
    given_reasons = [Response(3073, [("Topic", topic)]), Response(3081)]
    data = response_header(version, mq.MQCC_WARNING, given_reasons, folder)
    completion, reasons = read_response(data, FORMATS[version], LITTLE, UTF8)
    assert completion == mq.MQCC_WARNING
    assert [(one.reason, one.fields) for one in reasons] == [(3073, [("Topic", topic)]), (3081, [])]


def test_response_when_ok_then_no_command_comes_back() -> None:
    data = response_header(2, mq.MQCC_OK, [], "<psc></psc>")
    assert RulesHeader2.unpack(data).folders == ["<pscr><Completion>ok</Completion></pscr>"]
    data = response_header(1, mq.MQCC_OK, [], "")
    text = RulesHeader.unpack(data).name_values.rstrip()
    assert text == "MQPSCompCode 0 MQPSReason 0 MQPSReasonText MQRC_NONE"


def test_response_when_not_ok_then_the_psc_folder_follows() -> None:
    folder = "<psc><Command>Foo</Command></psc>"
    data = response_header(2, mq.MQCC_FAILED, [Response(2336)], folder)
    assert RulesHeader2.unpack(data).folders == [
        "<pscr><Completion>error</Completion><Response><Reason>2336</Reason></Response></pscr>",
        folder,
    ]


def test_mqrfh_when_read_then_foreign_names_are_kept_apart() -> None:
    found = command_1('MQPSCommand RegSub  MQPSTopic "a ""b""" other value MQPSRegOpts Local')
    assert found.fields == [("Command", "RegSub"), ("Topic", 'a "b"'), ("RegOpt", "Local")]
    assert found.own == [("=other", "value")]


def test_mqrfh_when_a_zero_is_in_it_then_it_ends_there() -> None:
    assert read_pairs("MQPSCommand Publish\0 MQPSTopic") == [("MQPSCommand", "Publish")]


@pytest.mark.parametrize(
    ("text", "reason", "at"),
    [
        ("MQPSTopic a MQPSCommand Publish", 2336, 0),
        ("colour red", 2336, 9),
        ("MQPSCommand", 2335, 11),
        ('MQPSCommand "Publish', 2335, 12),
    ],
)
def test_mqrfh_when_it_is_wrong_then_its_reason_and_place(text: str, reason: int, at: int) -> None:
    with pytest.raises(CommandError) as refused:
        command_1(text)
    assert (refused.value.reason, refused.value.at) == (reason, at)


@pytest.mark.parametrize(
    ("folders", "reason"),
    [
        ((), 2336),
        (("<usr><a>1</a></usr>",), 2336),
        (("<psc><Command>Publish</psc>",), 2335),
        (("<psc>text</psc>",), 2335),
    ],
)
def test_mqrfh2_when_it_is_wrong_then_its_reason(folders: tuple[str, ...], reason: int) -> None:
    with pytest.raises(CommandError) as refused:
        command_2(*folders)
    assert refused.value.reason == reason


@pytest.mark.parametrize("format", ["MQHRF", "MQHRF2", "MQSTR", ""])
@given(data=st.binary(max_size=80), order=st.sampled_from([BIG, LITTLE]))
def test_bytes_when_they_are_no_command_then_command_error(
    format: str, data: bytes, order: str
) -> None:
    with pytest.raises(CommandError):
        read_command(data, format, order, UTF8)


def test_mqrfh2_when_it_has_other_folders_then_they_are_kept_apart() -> None:
    found = command_2("<mcd><Msd>jms_text</Msd></mcd>", "<psc><Command>Publish</Command></psc>")
    assert found.folders == ["<mcd><Msd>jms_text</Msd></mcd>"]
    assert found.value("Command") == "Publish"
    assert found.value("Topic") == ""
    assert found.values("Topic") == []


def test_options_when_words_or_numbers_then_their_sum() -> None:
    assert options_of(["CorrelAsId", "Local NewPubsOnly"], REGISTRATION) == 1 | 4 | 16
    assert options_of(["21"], REGISTRATION) == 21
    assert options_of(["None"], DELETION) == 0
    assert options_of([], PUBLICATION) == 0


@pytest.mark.parametrize("word", ["Foo", "correlasid", "-1", str(1 << 30), "99999999999"])
def test_options_when_one_is_unknown_then_minus_one(word: str) -> None:
    assert options_of(["CorrelAsId", word], REGISTRATION) == -1


def test_options_when_shown_then_each_has_its_word() -> None:
    assert option_words(1 | 16, REGISTRATION) == ["CorrelAsId", "NewPubsOnly"]


@pytest.mark.parametrize("properties", [mq.MQPSPROP_COMPAT, mq.MQPSPROP_RFH2])
def test_publication_when_written_then_options_topic_and_more(properties: int) -> None:
    data = publication_header(
        properties, "a/b", 16, [("SubUserData", "x y")], mq.MQENC_NATIVE, 819, mq.MQFMT_STRING
    )
    found = read_command(data, publication_format(properties), LITTLE, UTF8)
    assert found.fields == [
        ("Command", "Publish"),
        ("PubOpt", "IsRetainedPub"),
        ("Topic", "a/b"),
        ("SubUserData", "x y"),
    ]
    assert (found.ccsid, found.format) == (819, mq.MQFMT_STRING)


def test_published_when_it_travels_in_properties_then_it_comes_back() -> None:
    fields: list[Field] = [
        ("PubTime", "2026111712000000"),
        ("SeqNum", "7"),
        ("StrData", "a b"),
        ("IntData", "5"),
        ("=own name", "a value"),
    ]
    area = pack_area(published_properties(fields), None, False, False)
    assert published_fields(area) == fields
    assert published_fields(b"") == []


def test_own_names_when_written_then_as_they_are_where_they_can_be() -> None:
    fields: list[Field] = [("Command", "Publish"), ("=colour", "red"), ("=two words", "x")]
    data = fields_header(1, fields, mq.MQENC_NATIVE, UTF8, "")
    text = RulesHeader.unpack(data).name_values.rstrip()
    assert text == 'MQPSCommand Publish colour red "two words" x'
    data = fields_header(2, fields, mq.MQENC_NATIVE, UTF8, "")
    (folder,) = RulesHeader2.unpack(data).folders
    assert folder == "<psc><Command>Publish</Command><colour>red</colour></psc>"
