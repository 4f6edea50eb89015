"""MQCSP: the credentials of a connection. It points to secrets and holds none."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.reasons import MQRC_CSP_ERROR
from ternmq.codec.mqi.layout import Layout, i32, ptr, raw
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQCSP",
    "CSP ",
    MQRC_CSP_ERROR,
    (1, 3),
    (
        i32("authentication_type"),
        raw("reserved1", 4),
        ptr("user_id_ptr"),
        i32("user_id_offset"),
        i32("user_id_length"),
        raw("reserved2", 8),
        ptr("password_ptr"),
        i32("password_offset"),
        i32("password_length"),
        raw("reserved3", 8, 2),
        ptr("initial_key_ptr", 2),
        i32("initial_key_offset", 2),
        i32("initial_key_length", 2),
        raw("reserved4", 8, 3),
        ptr("token_ptr", 3),
        i32("token_offset", 3),
        i32("token_length", 3),
    ),
)


@final
class SecurityParameters(Structure):
    """MQCSP: the credentials of a connection. It points to secrets and holds none."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        authentication_type: int = 0,
        reserved1: bytes = bytes(4),
        user_id_ptr: int = 0,
        user_id_offset: int = 0,
        user_id_length: int = 0,
        reserved2: bytes = bytes(8),
        password_ptr: int = 0,
        password_offset: int = 0,
        password_length: int = 0,
        reserved3: bytes = bytes(8),
        initial_key_ptr: int = 0,
        initial_key_offset: int = 0,
        initial_key_length: int = 0,
        reserved4: bytes = bytes(8),
        token_ptr: int = 0,
        token_offset: int = 0,
        token_length: int = 0,
        version: int = 3,
    ) -> None:
        super().__init__(version=version)
        self.authentication_type = authentication_type
        self.reserved1 = reserved1
        self.user_id_ptr = user_id_ptr
        self.user_id_offset = user_id_offset
        self.user_id_length = user_id_length
        self.reserved2 = reserved2
        self.password_ptr = password_ptr
        self.password_offset = password_offset
        self.password_length = password_length
        self.reserved3 = reserved3
        self.initial_key_ptr = initial_key_ptr
        self.initial_key_offset = initial_key_offset
        self.initial_key_length = initial_key_length
        self.reserved4 = reserved4
        self.token_ptr = token_ptr
        self.token_offset = token_offset
        self.token_length = token_length
