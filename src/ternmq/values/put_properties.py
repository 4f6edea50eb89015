"""Which properties and which descriptor a message has that is put with message handles.

MQPMO names an original handle and a new one, and an action. Properties of the original are copied
if their CopyOptions have the action, those of the new one always and instead of ones of their name;
a null of the new one takes the property away. A descriptor is composed only if the application
gives none, or one for output only (MQPMO_MD_FOR_OUTPUT_ONLY).
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_ACTION_ERROR
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.property import Property
from ternmq.codec.property_synonyms import FIELDS
from ternmq.values.report_descriptor import answer_to

# What CopyOptions must have for a property of the original to be copied; 0: nothing.
_COPIED: Final[dict[int, int]] = {
    mq.MQACTP_NEW: 0,
    mq.MQACTP_FORWARD: mq.MQCOPY_FORWARD | mq.MQCOPY_ALL,
    mq.MQACTP_REPLY: mq.MQCOPY_REPLY | mq.MQCOPY_ALL,
    mq.MQACTP_REPORT: mq.MQCOPY_REPORT | mq.MQCOPY_ALL,
}


def merged_properties(
    original: list[Property], new: list[Property], action: int, verb: str = "MQPUT"
) -> list[Property]:
    """The properties of a message that is put with two handles; MQRC_ACTION_ERROR if the action is
    not known."""
    needed = _COPIED.get(action, -1)
    if needed < 0:
        detail = f"MQPMO has Action {action}; use MQACTP_NEW, FORWARD, REPLY or REPORT"
        raise mq_error(MQRC_ACTION_ERROR, verb=verb, detail=detail)
    copied = [one for one in original if not needed or one.copy_options & needed]
    if not new:
        return copied
    old_names = {one.name for one in copied}
    instead: dict[str, list[Property]] = {}
    added: list[Property] = []
    for one in new:
        if one.name in old_names:
            instead.setdefault(one.name, []).append(one)
        else:
            added.append(one)
    merged: list[Property] = []
    for one in copied:
        others = instead.get(one.name)
        if others is None:
            merged.append(one)
        else:
            merged += [other for other in others if other.value is not None]
            others.clear()
    return merged + added


def user_context(properties: list[Property]) -> list[Property]:
    """Those that MQOO_SAVE_ALL_CONTEXT saves."""
    return [one for one in properties if one.context == mq.MQPD_USER_CONTEXT]


def with_user_context(properties: list[Property], saved: list[Property]) -> list[Property]:
    """The properties of a message that MQPMO_PASS_ALL_CONTEXT puts: saved ones, too, but for those
    whose name it has."""
    names = {one.name for one in properties}
    return properties + [one for one in saved if one.name not in names]


# ---- the descriptor


def composed_descriptor(
    original: Descriptor, new: Descriptor, fields_set: set[str], action: int
) -> Descriptor:
    """The descriptor of a message whose application gives none: that of the original handle, or for
    a reply or report what follows from it, and the fields that were set in the new handle."""
    if action in (mq.MQACTP_REPLY, mq.MQACTP_REPORT):
        made = answer_to(original)
        made.msg_type = mq.MQMT_REPLY if action == mq.MQACTP_REPLY else mq.MQMT_REPORT
    else:
        made = original.copy()
    for name in fields_set:
        attribute = FIELDS[name].attribute
        setattr(made, attribute, getattr(new, attribute))
    return made
