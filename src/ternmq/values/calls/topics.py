"""MQSUB and MQSUBRQ as calls, and what clients of multicast topics ask."""

from __future__ import annotations

from typing import Any, final

from ternmq.base import constants as mq
from ternmq.base.names import bare_name
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.values.calls.call import Call
from ternmq.values.calls.sd_kind import sd_from_json, sd_to_json
from ternmq.values.handle import ObjectHandle
from ternmq.values.multicast_terms import MulticastTerms, terms_from_json


@final
class Subscribe(Call):
    """MQSUB. The texts that an MQSD describes are given beside it. On return `sd` has what the
    queue manager filled in, `queue` the handle of the destination, `subscription` the Hsub."""

    def __init__(
        self,
        sd: SubscriptionDescriptor,
        object_string: str = "",
        sub_name: str = "",
        user_data: str = "",
        selector: str = "",
        destination: ObjectHandle | None = None,
    ) -> None:
        super().__init__("subscribe", "MQSUB")
        sd.object_name = bare_name(sd.object_name)
        self.sd = sd
        self.object_string = object_string
        self.sub_name = sub_name
        self.user_data = user_data
        self.selector = selector
        self.destination = destination or ObjectHandle(mq.MQHO_NONE, 0)
        # As IBM's Java client asks by the system programming interface alone; they do not travel.
        self.shares = False  # of JMS 2.0: several may have it at a time
        self.takes_either = False  # to remove it: shared or not, while nobody has it
        self.repeats_selector = False  # the selector that it has may be given again
        self.queue: ObjectHandle | None = None
        self.subscription: ObjectHandle | None = None
        self.resolved_string = ""
        self.warning = 0

    def result(self) -> dict[str, Any]:
        queue, subscription = self.done()
        return {
            "queue": queue.handle_id,
            "queue_options": int(queue.options),
            "queue_name": queue.resolved_name,
            "subscription": subscription.handle_id,
            "sd": sd_to_json(self.sd),
            "user_data": self.user_data,
            "selector": self.selector,
            "resolved": self.resolved_string,
            "warning": self.warning,
        }

    def done(self) -> tuple[ObjectHandle, ObjectHandle]:
        """Hobj and Hsub, once the call is done."""
        if self.queue is None or self.subscription is None:
            raise NotImplementedError("MQSUB is not done")
        return self.queue, self.subscription

    def take(self, result: dict[str, Any], data: bytes, at: int) -> None:
        queue = ObjectHandle(int(result["queue"]), int(result["queue_options"]))
        queue.resolved_name = str(result["queue_name"])
        self.queue = queue
        self.subscription = ObjectHandle(int(result["subscription"]), 0)
        self.sd = sd_from_json(result["sd"])
        self.user_data = str(result["user_data"])
        self.selector = str(result["selector"])
        self.resolved_string = str(result["resolved"])
        self.warning = int(result["warning"])


@final
class RequestPublications(Call):
    """MQSUBRQ: the retained publications of a subscription are sent to it."""

    def __init__(self, handle: ObjectHandle, action: int, options: int = 0) -> None:
        super().__init__("request_publications", "MQSUBRQ")
        self.handle = handle
        self.action = action
        self.options = options  # MQSRO_
        self.publications = 0  # MQSRO.NumPubs

    def subject(self) -> ObjectHandle | None:
        return self.handle


@final
class InquireMulticast(Call):
    """Whether a topic that was opened, or a subscription, is used by multicast, and how; `terms`
    stay None if it is not. A client asks this after MQOPEN and MQSUB."""

    def __init__(self, handle: ObjectHandle, verb: str = "MQOPEN") -> None:
        super().__init__("multicast", verb)
        self.handle = handle
        self.terms: MulticastTerms | None = None

    def subject(self) -> ObjectHandle | None:
        return self.handle

    def result(self) -> dict[str, Any]:
        return {"terms": None if self.terms is None else self.terms.to_json()}

    def take(self, result: dict[str, Any], data: bytes, at: int) -> None:
        given = result["terms"]
        self.terms = None if given is None else terms_from_json(given)


@final
class ReportMulticast(Call):
    """What a client has counted of a handle that is used by multicast: `figures` are those of
    `MulticastFigures`, in order."""

    def __init__(self, handle: ObjectHandle, figures: list[int]) -> None:
        super().__init__("multicast_report", "MQSTAT")
        self.handle = handle
        self.figures = figures

    def subject(self) -> ObjectHandle | None:
        return self.handle
