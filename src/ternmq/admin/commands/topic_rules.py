"""What a topic object may be: one for each topic string, in no cluster while there are none, and
the branch $SYS/MQ closed to wildcards from above."""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.command_reasons import (
    MQRCCF_ATTR_VALUE_FIXED,
    MQRCCF_FUNCTION_RESTRICTED,
    MQRCCF_PSCLUS_DISABLED_TOPDEF,
    MQRCCF_TOPIC_RESTRICTED,
    MQRCCF_TOPICSTR_ALREADY_EXISTS,
)
from ternmq.base.object_types import TOPIC
from ternmq.pubsub.topic_tree import SYSTEM_TOPICS
from ternmq.store.catalog import Catalog

_DISABLED: Final = 0


def topic_fault(catalog: Catalog, name: str, values: dict[str, Value]) -> tuple[int, str] | None:
    """The reason why an object cannot be like this, and what to say of it."""
    text = str(values.get("topic_string", ""))
    existing = catalog.find(TOPIC, name)
    if existing is not None and existing.text("topic_string") != text:
        detail = f"TOPICSTR of {name} is '{existing.text('topic_string')}' and cannot be changed; "
        return MQRCCF_ATTR_VALUE_FIXED, detail + "delete the object and define it again"
    for other in catalog.table_of(TOPIC).values():
        if text and other.name != name and other.text("topic_string") == text:
            return (
                MQRCCF_TOPICSTR_ALREADY_EXISTS,
                f"TOPICSTR({text}) is that of topic object {other.name}",
            )
    cluster = str(values.get("cluster", ""))
    if cluster:
        if catalog.qmgr.get("pubsub_cluster") == _DISABLED:
            detail = f"CLUSTER({cluster}) with PSCLUS(DISABLED) of the queue manager"
            return MQRCCF_PSCLUS_DISABLED_TOPDEF, detail
        detail = f"CLUSTER({cluster}): there are no clusters in this version, leave it blank"
        return MQRCCF_FUNCTION_RESTRICTED, detail
    if text == SYSTEM_TOPICS and values.get("wildcard") != mq.MQTA_BLOCK:
        return MQRCCF_TOPIC_RESTRICTED, f"WILDCARD of {SYSTEM_TOPICS} is always BLOCK"
    return None
