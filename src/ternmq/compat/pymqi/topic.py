"""Topic and Subscription: publish, subscribe and get as pymqi has them."""

from __future__ import annotations

import sys
import threading
from typing import Any, ClassVar

from ternmq.base import constants as mq
from ternmq.compat import calls, topic_calls
from ternmq.compat.errors import Error, MQMIError, PYIFError, TranslatedErrors
from ternmq.compat.pymqi.arguments import common_q_args
from ternmq.compat.pymqi.queue import Queue, packed_headers
from ternmq.compat.pymqi.structures import OD, PMO, SD
from ternmq.compat.structure import MQOpts
from ternmq.compat.unicode import ensure_bytes, ensure_not_unicode

_MANAGED = mq.MQSO_CREATE | mq.MQSO_NON_DURABLE | mq.MQSO_MANAGED


class _Closing:
    """What is closed when the program drops it, as `Queue` is."""

    def __init__(self) -> None:
        self._handle: int | None = None
        self._maker = threading.get_ident()

    def close(self) -> None:
        """MQCLOSE."""
        raise NotImplementedError

    def __del__(self) -> None:
        if sys.is_finalizing():
            return
        if getattr(self, "_handle", None) and self._maker == threading.get_ident():
            try:
                self.close()
            except (Error, OSError):
                return  # no caller is left that could handle it


class Topic(_Closing):
    """A topic, by object name, topic string or MQOD. With open options it is opened at once, else
    by `open` or the first publication."""

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
        super().__init__()
        self._qmgr = queue_manager
        self.topic_name = ensure_bytes(topic_name)
        self.topic_string = ensure_bytes(topic_string)
        self._descriptor: Any = self._checked(topic_desc) if topic_desc else self._made()
        if open_opts:
            self._open(open_opts)

    def _checked(self, descriptor: Any) -> Any:
        if descriptor["ObjectType"] != mq.MQOT_TOPIC:
            raise self._pyif_error("The Topic Descriptor ObjectType is not MQOT_TOPIC.")
        if descriptor["Version"] != mq.MQOD_VERSION_4:
            raise self._pyif_error("The Topic Descriptor Version is not MQOD_VERSION_4.")
        return descriptor

    def _made(self) -> MQOpts:
        made = self._new_descriptor()
        if self.topic_name:
            made["ObjectName"] = self.topic_name
        if self.topic_string:
            made.set_vs("ObjectString", self.topic_string)
        return made

    def _new_descriptor(self) -> MQOpts:
        return OD(ObjectType=mq.MQOT_TOPIC, Version=mq.MQOD_VERSION_4)

    def _open(self, options: int) -> int:
        if self._descriptor is None:
            raise self._pyif_error("The Topic Descriptor has not been set.")
        with TranslatedErrors(self._mqmi_error):
            handle = calls.open_object(self._qmgr.get_handle(), self._descriptor, options)
        self._handle = handle
        return handle

    def open(
        self,
        topic_name: Any = None,
        topic_string: Any = None,
        topic_desc: Any = None,
        open_opts: Any = None,
    ) -> None:
        """Say which topic it is; with options it is opened at once."""
        if self._handle:
            raise self._pyif_error("The Topic is already open.")
        self.topic_name = ensure_bytes(topic_name) or self.topic_name
        self.topic_string = ensure_bytes(topic_string) or self.topic_string
        self._descriptor = topic_desc or self._made()
        if open_opts:
            self._open(open_opts)

    def _put_arguments(self, opts: tuple[Any, ...]) -> tuple[Any, Any]:
        md, pmo = common_q_args(*opts)
        return md, pmo or PMO()

    def _message(self, msg: Any, md: Any) -> bytes:
        ensure_not_unicode(msg)
        data: bytes = msg
        return data

    def pub(self, msg: Any, *opts: Any) -> None:
        """MQPUT; MQMD and MQPMO may follow the message and are filled in."""
        md, pmo = self._put_arguments(opts)
        data = self._message(msg, md)
        handle = self._handle or self._open(mq.MQOO_OUTPUT)
        with TranslatedErrors(self._mqmi_error):
            calls.put(self._qmgr.get_handle(), handle, md, pmo, data)

    def pub_rfh2(self, msg: Any, *opts: Any) -> None:
        """Publish a message with the MQRFH2 headers of a list, which follows MQMD and MQPMO."""
        if len(opts) < 3:
            self.pub(msg, *opts)
            return
        self.pub(packed_headers(opts) + self._bytes(msg), *opts[:2])

    def _bytes(self, msg: Any) -> bytes:
        ensure_not_unicode(msg)
        data: bytes = msg
        return data

    def sub(self, *opts: Any) -> Subscription:
        """Subscribe to the topic; MQSD and the queue for its publications may be given."""
        given = (*opts, None, None)
        subscription = self._new_subscription()
        subscription.sub(
            sub_desc=given[0],
            sub_queue=given[1],
            topic_name=self.topic_name,
            topic_string=self.topic_string,
        )
        return subscription

    def _new_subscription(self) -> Subscription:
        return Subscription(self._qmgr)

    def close(self, options: int = mq.MQCO_NONE) -> None:
        """MQCLOSE."""
        if not self._handle:
            raise self._pyif_error("Topic not open.")
        with TranslatedErrors(self._mqmi_error):
            calls.close_object(self._qmgr.get_handle(), self._handle, options)
        self._handle = self._descriptor = None


class Subscription(_Closing):
    """A subscription; with an MQSD it is made at once."""

    _mqmi_error: ClassVar[type[MQMIError]] = MQMIError
    _pyif_error: ClassVar[type[PYIFError]] = PYIFError
    _descriptor_kind: ClassVar[type[MQOpts]] = SD
    _queue_kind: ClassVar[type[Queue]] = Queue

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
        super().__init__()
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
        """MQSUB: make, alter or resume a subscription, by an MQSD or by the names given here and
        before. The queue is a Queue or the handle of one."""
        self.topic_name = ensure_bytes(topic_name) or self.topic_name
        self.topic_string = ensure_bytes(topic_string) or self.topic_string
        self.sub_name = ensure_bytes(sub_name) or self.sub_name
        if sub_desc and not isinstance(sub_desc, self._descriptor_kind):
            raise TypeError("sub_desc must be a SD(sub descriptor) object.")
        descriptor = sub_desc or self._made(sub_opts)
        hobj = mq.MQHO_NONE
        if sub_queue:
            hobj = sub_queue.get_handle() if isinstance(sub_queue, Queue) else sub_queue
        with TranslatedErrors(self._mqmi_error):
            queue, self._handle = topic_calls.subscribe(self._qmgr.get_handle(), descriptor, hobj)
        self.sub_queue = self._queue_kind(self._qmgr)
        self.sub_queue.set_handle(queue)

    def _made(self, options: Any) -> MQOpts:
        made = self._descriptor_kind(Options=options or _MANAGED)  # type: ignore[call-arg]
        if self.sub_name:
            made.set_vs("SubName", self.sub_name)
        if self.topic_name:
            made["ObjectName"] = self.topic_name
        if self.topic_string:
            made.set_vs("ObjectString", self.topic_string)
        return made

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
        """MQCLOSE of the subscription, and of its queue if that is asked for."""
        if not self._handle:
            raise self._pyif_error("Subscription not open.")
        with TranslatedErrors(self._mqmi_error):
            calls.close_object(self._qmgr.get_handle(), self._handle, sub_close_options)
        self._handle = None
        if close_sub_queue:
            self._queue().close(close_sub_queue_options)
