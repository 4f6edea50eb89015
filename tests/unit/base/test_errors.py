"""Goal: an error tells what happened, is of the right family, and survives a copy and a pickle.

Method: make each through `mq_error` and look at it.
"""

import copy
import pickle

import pytest

from ternmq.base import errors
from ternmq.base.errors import MQError, check, mq_error
from ternmq.base.reasons import (
    MQRC_BACKED_OUT,
    MQRC_CONNECTION_BROKEN,
    MQRC_GET_INHIBITED,
    MQRC_HOBJ_ERROR,
    MQRC_MD_ERROR,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NONE,
    MQRC_NOT_AUTHORIZED,
    MQRC_NOT_CONVERTED,
    MQRC_OBJECT_DAMAGED,
    MQRC_OBJECT_IN_USE,
    MQRC_OPTIONS_ERROR,
    MQRC_OUTCOME_PENDING,
    MQRC_Q_DEPTH_HIGH,
    MQRC_Q_FULL,
    MQRC_TRUNCATED_MSG_ACCEPTED,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REPORT_OPTION,
    reason,
)

pytestmark = pytest.mark.core

SAMPLES = [
    (MQRC_BACKED_OUT, errors.BackedOut),
    (MQRC_OUTCOME_PENDING, errors.BackedOut),
    (MQRC_CONNECTION_BROKEN, errors.Unavailable),
    (MQRC_GET_INHIBITED, errors.Inhibited),
    (MQRC_HOBJ_ERROR, errors.BadHandle),
    (MQRC_MD_ERROR, errors.FormatError),
    (MQRC_NO_MSG_AVAILABLE, errors.NoMessage),
    (MQRC_NOT_AUTHORIZED, errors.NotAuthorized),
    (MQRC_OBJECT_DAMAGED, errors.Damaged),
    (MQRC_OBJECT_IN_USE, errors.ObjectInUse),
    (MQRC_OPTIONS_ERROR, errors.BadOptions),
    (MQRC_Q_FULL, errors.Full),
    (MQRC_TRUNCATED_MSG_FAILED, errors.Truncated),
    (MQRC_UNKNOWN_OBJECT_NAME, errors.ObjectUnknown),
    (4001, errors.CommandError),
    (MQRC_Q_DEPTH_HIGH, MQError),
    (MQRC_UNKNOWN_REPORT_OPTION, MQError),
]


@pytest.mark.parametrize(("number", "family"), SAMPLES)
def test_family_is_chosen_by_the_table(number: int, family: type[MQError]) -> None:
    error = mq_error(number)
    assert type(error) is family
    assert isinstance(error, MQError)
    assert (error.reason, error.reason_name) == (number, reason(number).name)


def test_text_names_reason_verb_object_and_detail() -> None:
    error = mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="MQOPEN", object="ORDERS", detail="asked twice")
    assert str(error) == (
        "MQRC_UNKNOWN_OBJECT_NAME (2085): there is no object of that name"
        " [MQOPEN, object 'ORDERS'] asked twice"
    )
    assert repr(error) == f"ObjectUnknown({error})"


def test_text_leaves_out_what_was_not_said() -> None:
    text = "MQRC_UNKNOWN_OBJECT_NAME (2085): there is no object of that name"
    assert str(mq_error(MQRC_UNKNOWN_OBJECT_NAME)) == text
    assert str(mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="MQPUT1")) == f"{text} [MQPUT1]"
    assert str(mq_error(MQRC_UNKNOWN_OBJECT_NAME, detail="odd")) == f"{text}; odd"


def test_number_that_nobody_defined_says_so() -> None:
    error = mq_error(77777)
    assert (type(error), error.comp) == (MQError, 2)
    assert str(error) == "MQRC_77777 (77777): no such reason is defined"


def test_completion_code_comes_from_the_table_unless_given() -> None:
    assert mq_error(MQRC_TRUNCATED_MSG_ACCEPTED).comp == 1
    assert mq_error(MQRC_Q_FULL).comp == 2
    assert mq_error(MQRC_BACKED_OUT).comp == 2
    assert mq_error(MQRC_BACKED_OUT, comp=1).comp == 1
    assert mq_error(MQRC_NONE).comp == 0


@pytest.mark.parametrize(
    ("number", "surface"),
    [
        (MQRC_TRUNCATED_MSG_ACCEPTED, "return"),
        (MQRC_NOT_CONVERTED, "return"),
        (MQRC_TRUNCATED_MSG_FAILED, "raise"),
        (MQRC_OUTCOME_PENDING, "raise"),
        (MQRC_BACKED_OUT, "raise"),
    ],
)
def test_warning_that_is_dangerous_to_miss_is_raised(number: int, surface: str) -> None:
    assert reason(number).surface == surface


@pytest.mark.parametrize("copier", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))])
def test_copy_and_pickle_keep_every_field(copier: object) -> None:
    error = mq_error(2080, verb="MQGET", object="Q", detail="9 bytes", result=[b"data", 9])
    assert callable(copier)
    copied = copier(error)
    assert type(copied) is errors.Truncated
    assert copied.args == (1, 2080)
    for name in ("comp", "reason", "verb", "object", "detail", "result"):
        assert getattr(copied, name) == getattr(error, name)


def test_verb_and_object_can_be_added_on_the_way_up() -> None:
    error = mq_error(MQRC_MD_ERROR, detail="short")
    error.verb = "MQPUT"
    assert str(error).endswith(" [MQPUT] short")


def test_error_is_caught_by_its_family() -> None:
    with pytest.raises(errors.NoMessage) as caught:
        raise mq_error(MQRC_NO_MSG_AVAILABLE, verb="MQGET")
    assert caught.value.reason == 2033


def test_check_raises_only_when_the_condition_is_false() -> None:
    check(True, "never said")
    with pytest.raises(errors.IntegrityError, match=r"^depth is -1$"):
        check(False, "depth is -1")


def test_errors_of_other_worlds_are_not_mq_errors() -> None:
    for kind in (errors.IntegrityError, errors.ForceFailed, errors.ProtocolError):
        assert not issubclass(kind, MQError)
    assert issubclass(errors.LocalProtocolError, errors.ProtocolError)
    assert issubclass(errors.RemoteProtocolError, errors.ProtocolError)


def test_reason_shows_itself() -> None:
    assert repr(reason(2033)) == "Reason(2033, 'MQRC_NO_MSG_AVAILABLE', 2, 'NoMessage')"


def test_text_when_a_name_steers_terminals_or_logs_then_it_is_shown_as_codes() -> None:
    """Names come from others, too: a ReplyToQ, the text of a partner."""
    name = "A\x1b[2J\nAMQ\x9b\u202e"
    error = mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb="MQOPEN", object=name, detail=name)
    for text in (str(error), repr(error)):
        assert text.count(r"A\x1b[2J\x0aAMQ\x9b\u202e") == 2
        assert text.isprintable()
    assert (error.object, error.detail) == (name, name)
