"""Names of users: what may be one, and how one stands in a field that is too short for it.

A user is compared by its whole name, everywhere. So the queue manager lets in only names that a
message can carry whole: 1 to 32 bytes, printable, without blanks, which fields are filled with, and
without the mark of a cut name.

    up to 12 bytes     UserIdentifier
    13 to 32 bytes     UserIdentifier has 11 of them and `*`, ApplIdentityData the whole name

No user's name has `*`, so a cut name alone (also as AlternateUserId) never stands for another user:
where the whole name is not beside it, it names no user.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.limits import USER_ID_BYTES_MAX, USER_NAME_BYTES_MAX

CUT_MARK: Final = "*"


def user_name_fault(name: str) -> str:
    """Why no user can connect under this name; "" if a user can."""
    if not name.isprintable() or " " in name:
        return f"user name {name!r} has a blank or a character that cannot be printed"
    if CUT_MARK in name:
        return f"user name {name!r} has the character {CUT_MARK}"
    size = len(name.encode("utf-8"))
    if size > USER_NAME_BYTES_MAX:
        return f"user name {name!r} has {size} bytes, the most is {USER_NAME_BYTES_MAX}"
    return ""


def carried_name(name: str, size: int = USER_ID_BYTES_MAX) -> str:
    """The name as a field of so many bytes carries it: whole, or cut and marked."""
    data = name.encode("utf-8", "replace")
    if len(data) <= size:
        return name
    return data[: size - 1].decode("utf-8", "ignore") + CUT_MARK


def whole_name(user_id: str, identity_data: str) -> str:
    """The user of a message, from UserIdentifier and ApplIdentityData; a cut name if there is no
    more."""
    if user_id.endswith(CUT_MARK) and carried_name(identity_data) == user_id:
        return identity_data
    return user_id


def identity_data_of(name: str) -> str:
    """ApplIdentityData of a user's messages: what UserIdentifier cannot carry."""
    return "" if carried_name(name) == name else name
