"""DISPLAY TPSTATUS, DISPLAY PUBSUB and CLEAR TOPICSTR.

TPSTATUS takes a topic string in which "+" and "#" are wildcards by level. The branch $SYS/MQ is
shown only to one that begins with it. A pattern that subscriptions have counts as a topic of its
own. The tree may be large: it is walked in bounded steps.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.work import not_here
from ternmq.admin.execution import STEP_OBJECTS, Execution
from ternmq.admin.status.connection_status import full_connection_id
from ternmq.admin.status.status_display import StatusDisplay, Values, date_of, time_of, yes
from ternmq.base import constants as mq
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.pubsub.pattern_automaton import PatternAutomaton
from ternmq.pubsub.pattern_walk import PatternWalk
from ternmq.pubsub.publish_subscribe import (
    PublishSubscribe,
    SubscriptionInUse,
    TopicInUse,
    pubsub_of,
)
from ternmq.pubsub.retained_store import clear_retained
from ternmq.pubsub.subscription import ADMIN, Subscription
from ternmq.pubsub.topic_attributes import TopicAttributes, attributes_at
from ternmq.pubsub.topic_tree import SEPARATOR, SYSTEM_TOPICS
from ternmq.pubsub.wildcards import literal_prefix
from ternmq.security import authorities as auth
from ternmq.values.command import Command

SUBSCRIPTIONS_A_STEP: Final = 4096  # of usual length
_CHARACTERS: Final = 64  # that a topic string has, or it counts as several
_NO_CONNECTION: Final = "0" * 48
_DELIVERY: Final = {1: "ALL", 2: "ALLDUR", 3: "ALLAVAIL"}
_MULTICAST: Final = {1: "ENABLED", 2: "DISABLED", 3: "ONLY"}
_MODES: Final = {
    mq.MQPSM_DISABLED: "INACTIVE",
    mq.MQPSM_COMPAT: "COMPAT",
    mq.MQPSM_ENABLED: "ACTIVE",
}


@final
class PublishSubscribeStatus(StatusDisplay):
    """DISPLAY PUBSUB; of hierarchies there are none."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        return [kernel.name] if self.command.given.get("TYPE", "ALL") in ("ALL", "LOCAL") else []

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        pubsub = pubsub_of(kernel)
        return [
            {
                "TYPE": "LOCAL",
                "QMNAME": kernel.name,
                "STATUS": _MODES[kernel.number("pubsub_mode")],
                "SUBCOUNT": len(pubsub.by_id),
                "TPCOUNT": int(pubsub.tree.nodes),
            }
        ]


@final
class _Wanted:
    """The topic strings that a command asks for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._automaton = PatternAutomaton(text, False)
        prefix = literal_prefix(text, False)
        self.is_plain = prefix == text
        self.is_everything = text == "#"
        self.is_system = (prefix + SEPARATOR).startswith(SYSTEM_TOPICS + SEPARATOR)

    def fits(self, topic_string: str) -> bool:
        """Whether a topic, or a pattern as a text, is one of them."""
        if not self.is_system and (topic_string + SEPARATOR).startswith(SYSTEM_TOPICS + SEPARATOR):
            return False
        if not topic_string:
            return self.is_everything
        return self._automaton.matches(topic_string)


@final
class TopicStatus(StatusDisplay):
    """DISPLAY TPSTATUS, with TYPE(TOPIC), TYPE(SUB) or TYPE(PUB)."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._wanted = _Wanted(command.name)
        self._type = command.given.get("TYPE", "") or "TOPIC"
        self._walk: PatternWalk | None = None  # through the tree
        self._subscriptions: list[Subscription] | None = None  # still to be looked at
        self._patterns: dict[str, int] = {}  # of subscriptions, and how many have each
        self._found: list[str] = []

    def everything(self) -> bool:
        return super().everything() and (self._wanted.is_plain or "ALL" in self.command.wanted)

    def step(self, kernel: Kernel, link: Link) -> bool:
        if self._subjects is None and self._type != "PUB":
            pubsub = pubsub_of(kernel)
            if not self._look_at_subscriptions(pubsub) or not self._look_at_nodes(pubsub):
                link.again = True
                return False
        return super().step(kernel, link)

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        wanted = self._wanted
        if self._type == "PUB":
            return [
                f"{number} {handle.handle_id}"
                for number, connection in kernel.connections.items()
                for handle in connection.handles.values()
                if handle.topic is not None and wanted.fits(handle.topic.topic_string)
            ]
        return self._found

    # ---- what there is

    def _look_at_subscriptions(self, pubsub: PublishSubscribe) -> bool:
        """At some more of them; True when all were."""
        left = self._subscriptions
        if left is None:
            left = list(pubsub.by_id.values())
            left.reverse()
            self._subscriptions = left
        budget = SUBSCRIPTIONS_A_STEP
        while left and budget > 0:
            one = left.pop()
            budget -= 1 + len(one.topic_string) // _CHARACTERS
            if one.is_removed or not self._wanted.fits(one.topic_string):
                continue
            if self._type == "SUB":
                self._found.append(one.sub_id.hex())
            elif one.node is None:
                self._patterns[one.topic_string] = self._patterns.get(one.topic_string, 0) + 1
        return not left

    def _look_at_nodes(self, pubsub: PublishSubscribe) -> bool:
        """At some more of them; True when all were."""
        if self._type != "TOPIC":
            return True
        tree = pubsub.tree
        wanted = self._wanted
        walk = self._walk
        if walk is None:
            walk = PatternWalk(tree, wanted.text, False, None if wanted.is_system else tree.system)
            self._walk = walk
            if wanted.is_everything:
                self._found.append("")
        for _ in range(STEP_OBJECTS):
            if walk.is_done():
                self._found.extend(self._patterns)
                return True
            node = walk.look()
            if node is not None:
                topic_string = node.topic_string()
                if topic_string:
                    self._found.append(topic_string)
        return False

    # ---- what is shown

    def allowed(self, kernel: Kernel, link: Link, subject: str) -> bool:
        if link.privileged:
            return True
        names = attributes_at(pubsub_of(kernel).tree, self._topic_of(kernel, subject)).names
        authority = kernel.authority
        return any(authority.granted(link.user, mq.MQOT_TOPIC, name) & auth.DSP for name in names)

    def _topic_of(self, kernel: Kernel, subject: str) -> str:
        if self._type == "SUB":
            found = pubsub_of(kernel).by_id.get(bytes.fromhex(subject))
            return "" if found is None else _prefix_of(found)
        if self._type == "PUB":
            handle = _handle_of(kernel, subject)
            return "" if handle is None or handle.topic is None else handle.topic.topic_string
        return literal_prefix(subject, False) if subject in self._patterns else subject

    def guard(self, kernel: Kernel, subject: str) -> str:
        names = attributes_at(pubsub_of(kernel).tree, self._topic_of(kernel, subject)).names
        return names[0] if names else subject

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        pubsub = pubsub_of(kernel)
        if self._type == "SUB":
            subscription = pubsub.by_id.get(bytes.fromhex(subject))
            if subscription is None:
                return []
            return [_of_subscriber(subscription, pubsub.handles.get(subscription.sub_id))]
        if self._type == "PUB":
            handle = _handle_of(kernel, subject)
            return [] if handle is None else _of_publisher(handle)
        attributes = attributes_at(pubsub.tree, self._topic_of(kernel, subject))
        node = pubsub.tree.find(subject)
        if node is None and subject not in self._patterns:
            return []  # gone since
        values = _of_topic(subject, attributes)
        if node is not None:
            values["ADMIN"] = "" if node.definition is None else node.definition.name
            values["RETAINED"] = yes(pubsub.retained.current(node) is not None)
            values["PUBCOUNT"] = int(node.publishers)
            values["SUBCOUNT"] = int(node.subscribers)
        values["SUBCOUNT"] = int(str(values["SUBCOUNT"])) + self._patterns.get(subject, 0)
        return [values]


def _prefix_of(subscription: Subscription) -> str:
    return literal_prefix(subscription.topic_string, subscription.terms.by_character)


def _handle_of(kernel: Kernel, subject: str) -> Handle | None:
    number, _, handle_id = subject.partition(" ")
    connection = kernel.connections.get(int(number))
    return None if connection is None else connection.handles.get(int(handle_id))


def _of_topic(topic_string: str, attributes: TopicAttributes) -> Values:
    return {
        "TOPICSTR": topic_string,
        "TYPE": "TOPIC",
        "ADMIN": "",
        "CLUSTER": "",
        "COMMINFO": attributes.communication,
        "MDURMDL": attributes.durable_model,
        "MNDURMDL": attributes.nondurable_model,
        "CLROUTE": "NONE",
        "DEFPSIST": yes(attributes.default_persistence == mq.MQPER_PERSISTENT),
        "DEFPRTY": int(attributes.default_priority),
        "DEFPRESP": _response(attributes),
        "DURSUB": yes(attributes.durable_allowed),
        "PUB": "ENABLED" if attributes.publish else "DISABLED",
        "SUB": "ENABLED" if attributes.subscribe else "DISABLED",
        "PMSGDLV": _DELIVERY[int(attributes.persistent_delivery)],
        "NPMSGDLV": _DELIVERY[int(attributes.nonpersistent_delivery)],
        "RETAINED": "NO",
        "PUBCOUNT": 0,
        "SUBCOUNT": 0,
        "PUBSCOPE": _scope(int(attributes.publish_scope)),
        "SUBSCOPE": _scope(int(attributes.subscribe_scope)),
        "MCAST": _MULTICAST[int(attributes.multicast)],
        "USEDLQ": yes(attributes.use_dead_letter),
    }


def _response(attributes: TopicAttributes) -> str:
    return "ASYNC" if attributes.default_response == mq.MQPRT_ASYNC_RESPONSE else "SYNC"


def _scope(number: int) -> str:
    return "QMGR" if number == mq.MQSCOPE_QMGR else "ALL"


def _of_subscriber(subscription: Subscription, handle: Handle | None) -> Values:
    return {
        "TOPICSTR": subscription.topic_string,
        "TYPE": "SUB",
        "SUBID": subscription.sub_id.hex().upper(),
        "SUBUSER": subscription.terms.user,
        "RESMDATE": date_of(int(subscription.resumed_ns)),
        "RESMTIME": time_of(int(subscription.resumed_ns)),
        "LMSGDATE": date_of(int(subscription.last_ns)),
        "LMSGTIME": time_of(int(subscription.last_ns)),
        "ACTCONN": _NO_CONNECTION if handle is None else full_connection_id(handle.connection),
        "DURABLE": yes(subscription.terms.is_durable),
        "MCASTREL": _reliability(handle),
        "NUMMSGS": int(subscription.messages),
        "SUBTYPE": "ADMIN" if subscription.terms.sub_type == ADMIN else "API",
    }


def _reliability(handle: Handle | None) -> str:
    """Of a subscription that receives by multicast: now and at large, in percent."""
    in_use = None if handle is None else handle.subscription
    return in_use.reliability if isinstance(in_use, SubscriptionInUse) else ""


def _of_publisher(handle: Handle) -> list[Values]:
    topic = handle.topic
    if not isinstance(topic, TopicInUse):
        return []
    return [
        {
            "TOPICSTR": topic.topic_string,
            "TYPE": "PUB",
            "LPUBDATE": date_of(int(topic.last_ns)),
            "LPUBTIME": time_of(int(topic.last_ns)),
            "ACTCONN": full_connection_id(handle.connection),
            "MCASTREL": topic.reliability,
            "NUMPUBS": int(topic.published),
        }
    ]


@final
class ClearTopicString(Execution):
    """CLEAR TOPICSTR: the retained publication goes, if there is one. Needs clr on a topic object
    at or above it."""

    def step(self, kernel: Kernel, link: Link) -> bool:
        pubsub = pubsub_of(kernel)
        if self.command.given.get("SCOPE", "LOCAL") != "LOCAL":
            return not_here(self)
        node = pubsub.tree.find(self.command.name)
        if node is not None and not clear_retained(pubsub, link, node, self.verb):
            return False
        return self.succeed()
