"""Topic and Subscription as ibmmq has them."""

from __future__ import annotations

from typing import Any

from ternmq.base import constants as mq
from ternmq.compat import topic_calls
from ternmq.compat.errors import TranslatedErrors
from ternmq.compat.ibmmq.errors import MQMIError, PYIFError
from ternmq.compat.ibmmq.objects import Queue, common_q_args
from ternmq.compat.ibmmq.structures import OD, PMO, SD, SRO
from ternmq.compat.ibmmq.text import MQObject, ensure_strings_are_bytes
from ternmq.compat.pymqi import topic as pymqi
from ternmq.compat.structure import MQOpts


class Topic(pymqi.Topic, MQObject):
    """A topic, by object name, topic string or MQOD."""

    _mqmi_error = MQMIError
    _pyif_error = PYIFError

    def _checked(self, descriptor: Any) -> Any:
        if descriptor["ObjectType"] != mq.MQOT_TOPIC:
            raise self._pyif_error("The Topic Descriptor ObjectType is not MQOT_TOPIC.")
        if descriptor["Version"] < mq.MQOD_VERSION_4:
            raise self._pyif_error("The Topic Descriptor Version must be at least MQOD_VERSION_4.")
        return descriptor

    def _new_descriptor(self) -> MQOpts:
        return OD(ObjectType=mq.MQOT_TOPIC, Version=mq.MQOD_VERSION_4)

    def _put_arguments(self, opts: tuple[Any, ...]) -> tuple[Any, Any]:
        md, pmo = common_q_args(*opts)
        return md, pmo or PMO()

    def _message(self, msg: Any, md: Any) -> bytes:
        data: bytes = self._qmgr._message(msg, md)
        return data

    def _bytes(self, msg: Any) -> bytes:
        data: bytes = ensure_strings_are_bytes(msg)
        return data

    def _new_subscription(self) -> Subscription:
        return Subscription(self._qmgr)

    put = pymqi.Topic.pub
    put_rfh2 = pymqi.Topic.pub_rfh2


class Subscription(pymqi.Subscription, MQObject):
    """A subscription; with an MQSD it is made at once."""

    _mqmi_error = MQMIError
    _pyif_error = PYIFError
    _descriptor_kind = SD
    _queue_kind = Queue

    def subrq(self, sub_action: int = mq.MQSR_ACTION_PUBLICATION, sro: Any = None) -> None:
        """MQSUBRQ; MQSRO is filled in if it is given."""
        if sro and not isinstance(sro, SRO):
            raise TypeError("sro must be an SRO(sub request options) object.")
        with TranslatedErrors(self._mqmi_error):
            topic_calls.request_publications(
                self._qmgr.get_handle(), self._handle, sub_action, sro or SRO()
            )

    def get_handle(self) -> Any:
        """The number of the subscription; None if it is not open."""
        return self._handle

    def get_queue_manager(self) -> Any:
        """Its connection."""
        return self._qmgr
