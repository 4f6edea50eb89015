"""Topic and Subscription: there under their names and refused, until there is publish/subscribe."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_FUNCTION_NOT_SUPPORTED
from ternmq.compat.errors import MQMIError, PYIFError, TranslatedErrors
from ternmq.compat.pymqi.structures import OD, SD
from ternmq.compat.unicode import ensure_bytes


def refuse(kind: type[MQMIError], verb: str, about: Any) -> NoReturn:
    """MQRC_FUNCTION_NOT_SUPPORTED."""
    shown = about.decode("utf-8", "replace") if isinstance(about, bytes) else str(about or "")
    detail = "publish/subscribe is not supported yet"
    with TranslatedErrors(kind):
        raise mq_error(MQRC_FUNCTION_NOT_SUPPORTED, verb=verb, object=shown, detail=detail)
    raise AssertionError("unreachable")


class Topic:
    """A topic, by object name, topic string or MQOD. To open it is refused."""

    _mqmi_error: ClassVar[type[MQMIError]] = MQMIError
    _pyif_error: ClassVar[type[PYIFError]] = PYIFError

    def __init__(
        self,
        queue_manager: Any,
        topic_name: Any = None,
        topic_string: Any = None,
        topic_desc: Any = None,
        open_opts: Any = None,
    ) -> None:
        self._qmgr = queue_manager
        self.topic_name = ensure_bytes(topic_name)
        self.topic_string = ensure_bytes(topic_string)
        self._descriptor = self._checked(topic_desc) if topic_desc else self._made()
        if open_opts:
            self._open()

    def _checked(self, descriptor: Any) -> Any:
        if descriptor["ObjectType"] != mq.MQOT_TOPIC:
            raise self._pyif_error("The Topic Descriptor ObjectType is not MQOT_TOPIC.")
        if descriptor["Version"] != mq.MQOD_VERSION_4:
            raise self._pyif_error("The Topic Descriptor Version is not MQOD_VERSION_4.")
        return descriptor

    def _made(self) -> OD:
        made = OD(ObjectType=mq.MQOT_TOPIC, Version=mq.MQOD_VERSION_4)
        if self.topic_name:
            made["ObjectName"] = self.topic_name
        if self.topic_string:
            made.set_vs("ObjectString", self.topic_string)
        return made

    def _open(self) -> NoReturn:
        self._qmgr.get_handle()
        refuse(self._mqmi_error, "MQOPEN", self.topic_string or self.topic_name)

    def open(
        self,
        topic_name: Any = None,
        topic_string: Any = None,
        topic_desc: Any = None,
        open_opts: Any = None,
    ) -> None:
        """Refused, if it is to be opened at once."""
        self.topic_name = ensure_bytes(topic_name) or self.topic_name
        self.topic_string = ensure_bytes(topic_string) or self.topic_string
        self._descriptor = topic_desc or self._made()
        if open_opts:
            self._open()

    def pub(self, msg: Any, *opts: Any) -> None:
        """Refused."""
        self._open()

    def pub_rfh2(self, msg: Any, *opts: Any) -> None:
        """Refused."""
        self._open()

    def sub(self, *opts: Any) -> Subscription:
        """Refused."""
        given = (*opts, None, None)
        subscription = Subscription(self._qmgr)
        subscription.sub(given[0], given[1], None, None, self.topic_name, self.topic_string)
        return subscription

    def close(self, options: int = mq.MQCO_NONE) -> None:
        """It never was open."""
        raise self._pyif_error("Topic not open.")


class Subscription:
    """A subscription. To make one is refused."""

    _mqmi_error: ClassVar[type[MQMIError]] = MQMIError
    _pyif_error: ClassVar[type[PYIFError]] = PYIFError

    def __init__(
        self,
        queue_manager: Any,
        sub_desc: Any = None,
        sub_name: Any = None,
        sub_queue: Any = None,
        sub_opts: Any = None,
        topic_name: Any = None,
        topic_string: Any = None,
    ) -> None:
        self._qmgr = queue_manager
        self.sub_queue = sub_queue
        self.sub_name = ensure_bytes(sub_name)
        self.sub_opts = sub_opts
        self.topic_name = ensure_bytes(topic_name)
        self.topic_string = ensure_bytes(topic_string)
        if sub_desc:
            self.sub(sub_desc=sub_desc)

    def sub(
        self,
        sub_desc: Any = None,
        sub_queue: Any = None,
        sub_name: Any = None,
        sub_opts: Any = None,
        topic_name: Any = None,
        topic_string: Any = None,
    ) -> None:
        """Refused."""
        if sub_desc is not None and not isinstance(sub_desc, SD):
            raise TypeError("sub_desc must be a SD(sub descriptor) object.")
        self._qmgr.get_handle()
        refuse(self._mqmi_error, "MQSUB", topic_string or topic_name or self.topic_string)

    def get_sub_queue(self) -> Any:
        """The queue that publications go to."""
        return self.sub_queue

    def get(self, max_length: int | None = None, *opts: Any) -> bytes:
        """MQGET from that queue."""
        data: bytes = self._queue().get(max_length, *opts)
        return data

    def get_rfh2(self, max_length: int | None = None, *opts: Any) -> bytes:
        """MQGET from that queue, headers apart."""
        data: bytes = self._queue().get_rfh2(max_length, *opts)
        return data

    def _queue(self) -> Any:
        if self.sub_queue is None:
            raise self._pyif_error("Subscription not open.")
        return self.sub_queue

    def close(
        self,
        sub_close_options: int = mq.MQCO_NONE,
        close_sub_queue: bool = False,
        close_sub_queue_options: int = mq.MQCO_NONE,
    ) -> None:
        """It never was open."""
        raise self._pyif_error("Subscription not open.")
