"""The checker of crash walks and simulated worlds compares properties as exactly as bodies."""

from collections import Counter

import pytest

from ternmq.base import constants as mq
from ternmq.codec.property import Property
from ternmq.codec.property_area import pack_area
from ternmq.log.parameters import CIRCULAR, LogParameters
from ternmq.testing.crash_walk import compare
from ternmq.testing.machine import Machine, create
from ternmq.testing.model import Disagreement, Snapshot, body_of, name_of_message
from ternmq.testing.second_part import HEADER, LARGE, NOTHING, SMALL, kind_for
from ternmq.testing.sim_disk import SimDisk
from ternmq.values.entry import Entry

pytestmark = pytest.mark.core

PARAMETERS = LogParameters(CIRCULAR, 3, 2, 8, False)
KINDS = {"none": NOTHING, "small": SMALL, "large": LARGE, "header": HEADER}


def put_one(kind: int) -> Entry:
    disk = SimDisk()
    create(disk, PARAMETERS)
    machine = Machine(disk)
    machine.define("A")
    machine.put("A", body_of("m1A0", 300, kind))
    found = machine.get("A")
    assert found is not None
    return found


def test_names_then_every_kind_of_second_part_has_its_share() -> None:
    counts = Counter(kind_for(f"m{number}A0") for number in range(1000))
    assert all(counts[kind] > 50 for kind in KINDS.values()), counts
    assert counts[NOTHING] > 500


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_message_when_its_second_part_is_another_then_found(kind: int) -> None:
    entry = put_one(kind)
    assert name_of_message(entry) == "m1A0"
    others = [put_one(other).properties for other in KINDS.values() if other != kind]
    more = pack_area([Property("number", mq.MQTYPE_INT32, 1)])
    for area in (*others, more):
        entry.properties = area
        with pytest.raises(Disagreement):
            name_of_message(entry)


def test_message_when_one_byte_of_its_original_header_changed_then_found() -> None:
    entry = put_one(HEADER)
    entry.properties = entry.properties.replace(b"<mcd>", b"<mce>")
    with pytest.raises(Disagreement, match="as put"):
        name_of_message(entry)


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("checkpoint", [True, False])
def test_messages_when_restarted_then_both_parts_are_what_was_put(
    fast: bool, checkpoint: bool
) -> None:
    disk = SimDisk()
    create(disk, PARAMETERS)
    machine = Machine(disk, fast=fast)
    machine.define("A", 6_000)
    names = [f"m{number}A0" for number in range(40)]
    for name in names:
        machine.put("A", body_of(name, 100, kind_for(name)))
    if checkpoint:
        machine.checkpoint(full=True)
    compare(Machine(disk.settled()), [Snapshot.of(({"A": names}, {}))])
