"""Layouts of headers that only data conversion looks into.

MQDH and MQRMH have more behind the fixed part: MQDH the arrays of MQOR (two names of 48 characters)
and MQPMR (the fields that PutMsgRecFields names), MQRMH four strings, each where its offset says.
MQXQH is here with the fields of the MQMD inside it, in version 1.
"""

from __future__ import annotations

from typing import Final

from ternmq.base.reasons import (
    MQRC_DH_ERROR,
    MQRC_FORMAT_ERROR,
    MQRC_IIH_ERROR,
    MQRC_RMH_ERROR,
    MQRC_WIH_ERROR,
    MQRC_XQH_ERROR,
)
from ternmq.codec.mqi.layout import Field, Layout, chars, i32, raw
from ternmq.codec.mqi.mqmd import LAYOUT as MQMD

_HEAD: Final = (
    i32("structure_length"),
    i32("encoding"),
    i32("ccsid"),
    chars("format", 8),
    i32("flags"),
)

MQDH: Final[Layout] = Layout(
    "MQDH",
    "DH  ",
    MQRC_DH_ERROR,
    (1, 1),
    (
        *_HEAD,
        i32("put_msg_rec_fields"),
        i32("recs_present"),
        i32("object_rec_offset"),
        i32("put_msg_rec_offset"),
    ),
)
MQRMH: Final[Layout] = Layout(
    "MQRMH",
    "RMH ",
    MQRC_RMH_ERROR,
    (1, 1),
    (
        *_HEAD,
        chars("object_type", 8),
        raw("object_instance_id", 24),
        i32("src_env_length"),
        i32("src_env_offset"),
        i32("src_name_length"),
        i32("src_name_offset"),
        i32("dest_env_length"),
        i32("dest_env_offset"),
        i32("dest_name_length"),
        i32("dest_name_offset"),
        i32("data_logical_length"),
        i32("data_logical_offset"),
        i32("data_logical_offset2"),
    ),
)
MQWIH: Final[Layout] = Layout(
    "MQWIH",
    "WIH ",
    MQRC_WIH_ERROR,
    (1, 1),
    (
        *_HEAD,
        chars("service_name", 32),
        chars("service_step", 8),
        raw("msg_token", 16),
        chars("reserved", 32),
    ),
)
MQIIH: Final[Layout] = Layout(
    "MQIIH",
    "IIH ",
    MQRC_IIH_ERROR,
    (1, 1),
    (
        *_HEAD,
        chars("lterm_override", 8),
        chars("mfs_map_name", 8),
        chars("reply_to_format", 8),
        chars("authenticator", 8),
        raw("tran_instance_id", 16),
        chars("tran_state", 1),
        chars("commit_mode", 1),
        chars("security_scope", 1),
        chars("reserved", 1),
    ),
)
MQCIH: Final[Layout] = Layout(
    "MQCIH",
    "CIH ",
    MQRC_FORMAT_ERROR,
    (1, 2),
    (
        *_HEAD,
        i32("return_code"),
        i32("comp_code"),
        i32("reason"),
        i32("uow_control"),
        i32("get_wait_interval"),
        i32("link_type"),
        i32("output_data_length"),
        i32("facility_keep_time"),
        i32("ads_descriptor"),
        i32("conversational_task"),
        i32("task_end_status"),
        raw("facility", 8),
        chars("function", 4),
        chars("abend_code", 4),
        chars("authenticator", 8),
        chars("reserved1", 8),
        chars("reply_to_format", 8),
        chars("remote_sys_id", 4),
        chars("remote_trans_id", 4),
        chars("transaction_id", 4),
        chars("facility_like", 4),
        chars("attention_id", 4),
        chars("start_code", 4),
        chars("cancel_code", 4),
        chars("next_transaction_id", 4),
        chars("reserved2", 8),
        chars("reserved3", 8),
        i32("cursor_position", 2),
        i32("error_offset", 2),
        i32("input_item", 2),
        i32("reserved4", 2),
    ),
)


def _of_version_1(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    return tuple([field for field in fields if field.since == 1])


MQXQH: Final[Layout] = Layout(
    "MQXQH",
    "XQH ",
    MQRC_XQH_ERROR,
    (1, 1),
    (
        chars("remote_queue", 48),
        chars("remote_qmgr", 48),
        chars("descriptor_id", 4),
        i32("descriptor_version"),
        *_of_version_1(MQMD.fields),
    ),
)
