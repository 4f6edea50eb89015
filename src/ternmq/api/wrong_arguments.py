"""What is wrong with an argument of a put or get that has the wrong type, in words.

Asked for after a TypeError, ValueError or AttributeError that the argument has caused, so that
right calls pay nothing for it.
"""

from __future__ import annotations

from typing import Final

_IDENTIFIER: Final = "bytes, such as message.msg_id"


def put_fault(given: dict[str, object]) -> str:
    """The first argument of a put that cannot be used; "" if all of them can."""
    if not isinstance(given["persistent"], bool | int | None):
        return _text("persistent", given["persistent"], "True or False")
    if not isinstance(given["priority"], int | None):
        return _text("priority", given["priority"], "a number from 0 to 9")
    if not isinstance(given["expiry"], int | float | None):
        return _text("expiry", given["expiry"], "a number of seconds")
    for name in ("reply_to", "format"):
        if not isinstance(given[name], str | None):
            wanted = "the name of a queue" if name == "reply_to" else "text, such as 'MQSTR'"
            return _text(name, given[name], wanted)
    return _identifier_fault(given)


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


def _text(name: str, value: object, wanted: str) -> str:
    """As those of other arguments: what is wrong, the value, what to give."""
    return f"{name} cannot be of type {type(value).__name__}: {value!r:.60}, give {wanted}"
