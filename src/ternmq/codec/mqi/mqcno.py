"""MQCNO: how MQCONNX is to connect."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.constants import MQCONNID_NONE, MQCT_NONE
from ternmq.base.reasons import MQRC_CNO_ERROR
from ternmq.codec.mqi.layout import Layout, chars, i32, ptr, raw
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQCNO",
    "CNO ",
    MQRC_CNO_ERROR,
    (1, 8),
    (
        i32("options"),
        i32("client_connection_offset", 2),
        ptr("client_connection_ptr", 2),
        raw("connection_tag", 128, 3),
        ptr("tls_configuration_ptr", 4),
        i32("tls_configuration_offset", 4),
        raw("connection_id", 24, 5),
        i32("security_parameters_offset", 5),
        ptr("security_parameters_ptr", 5),
        ptr("ccdt_url_ptr", 6),
        i32("ccdt_url_offset", 6),
        i32("ccdt_url_length", 6),
        raw("reserved", 8, 6),
        chars("application_name", 28, 7),
        raw("reserved2", 4, 7),
        ptr("balance_parameters_ptr", 8),
        i32("balance_parameters_offset", 8),
        raw("reserved3", 4, 8),
    ),
)


@final
class ConnectOptions(Structure):
    """MQCNO: how MQCONNX is to connect."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        options: int = 0,
        client_connection_offset: int = 0,
        client_connection_ptr: int = 0,
        connection_tag: bytes = MQCT_NONE,
        tls_configuration_ptr: int = 0,
        tls_configuration_offset: int = 0,
        connection_id: bytes = MQCONNID_NONE,
        security_parameters_offset: int = 0,
        security_parameters_ptr: int = 0,
        ccdt_url_ptr: int = 0,
        ccdt_url_offset: int = 0,
        ccdt_url_length: int = 0,
        reserved: bytes = bytes(8),
        application_name: str = "",
        reserved2: bytes = bytes(4),
        balance_parameters_ptr: int = 0,
        balance_parameters_offset: int = 0,
        reserved3: bytes = bytes(4),
        version: int = 8,
    ) -> None:
        super().__init__(version=version)
        self.options = options
        self.client_connection_offset = client_connection_offset
        self.client_connection_ptr = client_connection_ptr
        self.connection_tag = connection_tag
        self.tls_configuration_ptr = tls_configuration_ptr
        self.tls_configuration_offset = tls_configuration_offset
        self.connection_id = connection_id
        self.security_parameters_offset = security_parameters_offset
        self.security_parameters_ptr = security_parameters_ptr
        self.ccdt_url_ptr = ccdt_url_ptr
        self.ccdt_url_offset = ccdt_url_offset
        self.ccdt_url_length = ccdt_url_length
        self.reserved = reserved
        self.application_name = application_name
        self.reserved2 = reserved2
        self.balance_parameters_ptr = balance_parameters_ptr
        self.balance_parameters_offset = balance_parameters_offset
        self.reserved3 = reserved3
