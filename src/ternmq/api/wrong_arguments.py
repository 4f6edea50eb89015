"""What is wrong with an argument of a put, get, open or connect that cannot be used, in words.

Asked for after the failure that the argument has caused, or after a check of its type, so that
right calls pay nothing for it and do not load it. Interpreted, and typed `object` where the callers
may be compiled: they would refuse a wrong type in words of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ternmq.base.constants import MQ_FORMAT_LENGTH, MQ_Q_NAME_LENGTH
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_MD_ERROR, MQRC_SELECTOR_SYNTAX_ERROR
from ternmq.codec.message_image import ID_BYTES
from ternmq.codec.mqi.mqmd import Descriptor

_PUT_ARGUMENTS: Final = (
    "persistent",
    "priority",
    "expiry",
    "msg_id",
    "correl_id",
    "reply_to",
    "format",
    "descriptor",
    "options",
)
_IDENTIFIER: Final = "bytes, such as message.msg_id"


def check_put(arguments: tuple[object, ...], error: Exception, verb: str) -> None:
    """Raise what is wrong with an argument of the wrong type or length, if that is the cause."""
    if isinstance(error, MQError) and error.reason != MQRC_MD_ERROR:
        return
    given = dict(zip(_PUT_ARGUMENTS, arguments, strict=True))
    fault = put_fault(given)
    if fault:
        raise TypeError(fault) from error
    fault = length_fault(given)
    if fault:
        raise mq_error(MQRC_MD_ERROR, verb=verb, detail=fault) from error


def check_get(
    msg_id: object,
    correl_id: object,
    group_id: object,
    token: object,
    max_length: object,
    error: Exception,
) -> None:
    """The same for a get."""
    fault = get_fault(
        {
            "msg_id": msg_id,
            "correl_id": correl_id,
            "group_id": group_id,
            "token": token,
            "max_length": max_length,
        }
    )
    if fault:
        raise TypeError(fault) from error


def put_fault(given: dict[str, object]) -> str:
    """The first argument of a put that cannot be used; "" if all of them can."""
    if not isinstance(given["persistent"], bool | int | None):
        return _text("persistent", given["persistent"], "True or False")
    if not isinstance(given["priority"], int | None):
        return _text("priority", given["priority"], "a number from 0 to 9")
    expiry = given["expiry"]
    if not isinstance(expiry, int | float | None):
        has_seconds = hasattr(expiry, "total_seconds")
        wanted = "expiry=x.total_seconds()" if has_seconds else "a number of seconds"
        return _text("expiry", expiry, wanted)
    for name in ("reply_to", "format"):
        if not isinstance(given[name], str | None):
            wanted = "the name of a queue" if name == "reply_to" else "text, such as 'MQSTR'"
            return _text(name, given[name], wanted)
    if not isinstance(given["descriptor"], Descriptor | None):
        return descriptor_fault(given["descriptor"])
    if not isinstance(given["options"], int):
        return _text("options", given["options"], "a number of MQPMO options")
    return _identifier_fault(given)


def subscribe_fault(priority: object, expiry: object, correl_id: object) -> str:
    """The same for what a subscription has of them."""
    given = dict.fromkeys(("persistent", "reply_to", "format", "descriptor"))
    others = {"priority": priority, "expiry": expiry, "correl_id": correl_id, "options": 0}
    return put_fault({**given, **others})


def descriptor_fault(given: object) -> str:
    """A descriptor of another type, such as a dictionary of its fields."""
    return _text("descriptor", given, "a ternmq.Descriptor, such as Descriptor(priority=3)")


def properties_fault(given: object) -> str:
    """Properties without names and values; "" if they have them."""
    if isinstance(given, Mapping) or hasattr(given, "items"):
        return ""
    return _text("properties", given, "a dictionary of names and values")


def length_fault(given: dict[str, object]) -> str:
    """The first argument of a put that is longer than its field of MQMD; "" if all fit."""
    for name, most in (("format", MQ_FORMAT_LENGTH), ("reply_to", MQ_Q_NAME_LENGTH)):
        value = given[name]
        if isinstance(value, str) and len(value.encode("utf-8", "replace")) > most:
            size = len(value.encode("utf-8", "replace"))
            return f"{name} has {size} bytes, {most} are the most: {value!r:.70}"
    for name in ("msg_id", "correl_id"):
        value = given[name]
        if isinstance(value, bytes) and len(value) > ID_BYTES:
            return f"{name} has {len(value)} bytes, {ID_BYTES} are the most"
    return ""


def seconds_error(name: str, given: object, usual: str) -> TypeError:
    """A time that is not a number."""
    if hasattr(given, "total_seconds"):
        usual = f"{name}=x.total_seconds()"
    return TypeError(f"{name} is not a number of seconds: {given!r:.60}, give {usual}")


def json_error(given: object, error: Exception) -> Exception:
    """Why a dictionary or list is not JSON. NaN is a number to Python, and to no other reader."""
    kind = "dictionary" if isinstance(given, dict) else "list"
    fault = f"this {kind} cannot be a message as JSON: {error}"
    if isinstance(error, TypeError):
        return TypeError(f"{fault}, give json.dumps(data, default=str), or values that JSON has")
    return ValueError(fault)


def get_fault(given: dict[str, object]) -> str:
    """The same for a get."""
    if not isinstance(given["max_length"], int | None):
        return _text("max_length", given["max_length"], "a number of bytes")
    return _identifier_fault(given)


def _identifier_fault(given: dict[str, object]) -> str:
    for name in ("msg_id", "correl_id", "group_id", "token"):
        if not isinstance(given.get(name), bytes | bytearray | memoryview | None):
            return _text(name, given[name], _IDENTIFIER)
    return ""


# Of `connect`; what is not here is text.
_CONNECT_WANTED: Final = {
    "options": "a number of MQCNO options",
    "data": "the path of a folder",
    "ccdt": "the path or URL of a table",
    "key_repository": "the path of a file",
    "reconnect": "True, False or a word such as 'queueManager'",
    "connect_timeout": "a number of seconds",
    "heartbeat": "a number of seconds",
    "sharing": "a number of conversations",
}
_EXAMPLES: Final = {"a queue manager": "QM1", "a user": "app", "a dynamic queue": "AMQ.*"}
_SECRETS: Final = ("password", "key_password")


def connect_error(name: str, given: object) -> TypeError:
    """An argument of `connect` that has the wrong type. Passwords are not shown."""
    if name == "name":
        if hasattr(given, "connect"):
            fault = f"connect takes the name of a queue manager, not {given!r:.60}"
            return TypeError(f"{fault}, use its own connect()")
        return TypeError(
            _text("the name of a queue manager", given, "text such as 'QM1', or leave it out")
        )
    if name in _SECRETS:
        return TypeError(f"{name} cannot be of type {type(given).__name__}, give text")
    wanted = _CONNECT_WANTED.get(name, "text")
    if name == "conn":
        wanted = "text such as 'localhost(1414)'"
        if isinstance(given, tuple | list) and len(given) == 2:
            wanted = f"text: '{given[0]}({given[1]})'"
    return TypeError(_text(name, given, wanted))


def name_error(given: object, what: str) -> TypeError:
    """What stands where a name is wanted and is not text; `what` is what has that name."""
    if hasattr(given, "put") and hasattr(given, "name"):
        kind = type(given).__name__
        fault = f"the name of {what} is text, not an open {kind.lower()}: {given!r:.60}"
        return TypeError(f"{fault}, use its own put and get, or give its .name")
    example = _EXAMPLES.get(what, "ORDERS")
    return TypeError(_text(f"the name of {what}", given, f"text such as '{example}'"))


def explain_selector(error: MQError, call: object) -> None:
    """Where a selection string is not well formed, in the text of the error: over MQ's protocol
    only the reason comes back."""
    selector = getattr(call, "selector", "")
    if error.reason != MQRC_SELECTOR_SYNTAX_ERROR or error.detail or not selector:
        return
    from ternmq.codec.selector.selector import compile_selector  # clients do without

    try:
        compile_selector(selector)
    except MQError as found:
        error.detail = found.detail


def _text(name: str, value: object, wanted: str) -> str:
    """As those of other arguments: what is wrong, the value, what to give."""
    return f"{name} cannot be of type {type(value).__name__}: {value!r:.60}, give {wanted}"
