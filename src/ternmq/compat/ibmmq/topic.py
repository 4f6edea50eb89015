"""Topic and Subscription of ibmmq: refused, until there is publish/subscribe."""

from __future__ import annotations

from typing import Any

from ternmq.base import constants as mq
from ternmq.compat.ibmmq.errors import MQMIError, PYIFError
from ternmq.compat.ibmmq.objects import refuse
from ternmq.compat.ibmmq.text import MQObject
from ternmq.compat.pymqi import topic as pymqi


class Topic(pymqi.Topic, MQObject):
    """A topic. To open it is refused."""

    _mqmi_error = MQMIError
    _pyif_error = PYIFError

    def put(self, msg: Any, *opts: Any) -> None:
        """Refused."""
        self.pub(msg, *opts)

    def put_rfh2(self, msg: Any, *opts: Any) -> None:
        """Refused."""
        self.pub_rfh2(msg, *opts)


class Subscription(pymqi.Subscription, MQObject):
    """A subscription. To make one is refused."""

    _mqmi_error = MQMIError
    _pyif_error = PYIFError

    def subrq(self, sub_action: int = mq.MQSR_ACTION_PUBLICATION, sro: Any = None) -> None:
        """Refused."""
        refuse("MQSUBRQ")

    def get_handle(self) -> Any:
        """A subscription has no handle."""
        return None

    def get_queue_manager(self) -> Any:
        """Its connection."""
        return self._qmgr
