"""Section H, PCF of subscriptions: rows H18 and H20."""

from __future__ import annotations

from ternmq.base import constants as mq
from tests.conformance.pubsub.bed import Bed
