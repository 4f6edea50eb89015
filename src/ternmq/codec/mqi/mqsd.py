"""MQSD: what MQSUB is to subscribe to."""

from __future__ import annotations

from typing import ClassVar, Final, final

from ternmq.base.constants import (
    MQACT_NONE,
    MQCI_NONE,
    MQEI_UNLIMITED,
    MQPRI_PRIORITY_AS_PUBLISHED,
    MQSID_NONE,
)
from ternmq.base.reasons import MQRC_SD_ERROR
from ternmq.codec.mqi.charv import CharV
from ternmq.codec.mqi.layout import Layout, chars, charv, i32, raw
from ternmq.codec.mqi.structure import Structure

LAYOUT: Final = Layout(
    "MQSD",
    "SD  ",
    MQRC_SD_ERROR,
    (1, 1),
    (
        i32("options"),
        chars("object_name", 48),
        chars("alternate_user_id", 12),
        raw("alternate_security_id", 40),
        i32("expiry"),
        charv("object_string"),
        charv("name"),
        charv("user_data"),
        raw("correl_id", 24),
        i32("publication_priority"),
        raw("publication_accounting_token", 32),
        chars("publication_appl_identity_data", 32),
        charv("selection_string"),
        i32("level"),
        charv("resolved_object_string"),
    ),
)


@final
class SubscriptionDescriptor(Structure):
    """MQSD: what MQSUB is to subscribe to."""

    LAYOUT: ClassVar[Layout] = LAYOUT

    def __init__(
        self,
        *,
        options: int = 0,
        object_name: str = "",
        alternate_user_id: str = "",
        alternate_security_id: bytes = MQSID_NONE,
        expiry: int = MQEI_UNLIMITED,
        object_string: CharV | None = None,
        name: CharV | None = None,
        user_data: CharV | None = None,
        correl_id: bytes = MQCI_NONE,
        publication_priority: int = MQPRI_PRIORITY_AS_PUBLISHED,
        publication_accounting_token: bytes = MQACT_NONE,
        publication_appl_identity_data: str = "",
        selection_string: CharV | None = None,
        level: int = 1,
        resolved_object_string: CharV | None = None,
        version: int = 1,
    ) -> None:
        super().__init__(version=version)
        self.options = options
        self.object_name = object_name
        self.alternate_user_id = alternate_user_id
        self.alternate_security_id = alternate_security_id
        self.expiry = expiry
        self.object_string = object_string or CharV()
        self.name = name or CharV()
        self.user_data = user_data or CharV()
        self.correl_id = correl_id
        self.publication_priority = publication_priority
        self.publication_accounting_token = publication_accounting_token
        self.publication_appl_identity_data = publication_appl_identity_data
        self.selection_string = selection_string or CharV()
        self.level = level
        self.resolved_object_string = resolved_object_string or CharV()
