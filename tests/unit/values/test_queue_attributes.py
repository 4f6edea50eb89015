"""Goal: editors offer the attributes that define_queue and its like accept, and no others.

Method: the keys of the generated classes against the schema that the calls check values with; the
calls below are read by mypy, which reports an ignore that is not needed.
"""

from __future__ import annotations

from typing import Unpack, get_args, get_type_hints

import pytest

from ternmq.base.attributes import attributes_of, checked_attributes, row_of
from ternmq.base.object_types import ALIAS, LOCAL, MODEL, QMGR, REMOTE
from ternmq.values import queue_attributes as made
from ternmq.values.queue_attributes import LocalAttributes

CLASSES = {
    "LocalAttributes": (LOCAL,),
    "ModelAttributes": (MODEL,),
    "AliasAttributes": (ALIAS,),
    "QueueAttributes": (LOCAL, MODEL, ALIAS, REMOTE),
    "QueueManagerAttributes": (QMGR,),
}


def given(**attributes: Unpack[LocalAttributes]) -> dict[str, object]:
    return {**attributes}


def test_call_when_typed_then_names_and_keywords_are_known_and_others_not() -> None:
    assert checked_attributes(LOCAL, given(max_depth=5, DESCR="a")) == {
        "max_depth": 5,
        "description": "a",
    }
    with pytest.raises(ValueError, match="has no attribute 'max_dept'"):
        checked_attributes(LOCAL, given(max_dept=5))  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="takes text"):
        checked_attributes(LOCAL, given(description=5))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CLASSES)
def test_keys_of_class_when_compared_with_the_schema_then_all_that_can_be_set(name: str) -> None:
    keys = set(get_type_hints(getattr(made, name)))
    rows = [row for kind in CLASSES[name] for row in attributes_of(kind) if not row.shown_only]
    is_alter = name in ("QueueAttributes", "QueueManagerAttributes")
    settable = [row for row in rows if not (is_alter and row.fixed)]
    wanted = {row.name for row in settable} | {row.keyword for row in settable}
    if name == "AliasAttributes":
        wanted -= {"target", "TARGET"}  # an argument of define_alias
    assert keys == wanted
    assert all(any(row_of(kind, key) for kind in CLASSES[name]) for key in keys)


def test_types_of_values_when_compared_with_stored_ones_then_numbers_allow_int() -> None:
    hints = get_type_hints(LocalAttributes)
    for row in attributes_of(LOCAL):
        if not row.shown_only:
            kinds = get_args(hints[row.name]) or (hints[row.name],)
            assert type(row.checked(row.default)) in kinds, row.name
            assert row.checked(row.shown(row.default)) == row.default  # as text, always
            assert str in kinds
