"""Goal: a pipeline that is followed again after it was killed has its views as its streams are.

Method: following without Spark; what makes a view is replaced by a note of its name.
"""

from typing import Any

import pytest

from ternmq.spark import pipeline_follow
from ternmq.spark.pipeline_flows import Flow


def test_views_when_following_begins_then_they_are_made_though_nothing_has_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []

    def make_view(_: Any, flow: Flow) -> None:
        made.append(flow.name)

    monkeypatch.setattr(pipeline_follow, "make_view", make_view)
    view = Flow("tasks", "", False, (), lambda read: read[0])
    looks = iter((False, False, False, True))
    nothing: Any = None
    following = pipeline_follow.Following(nothing, nothing, [view], 0.0)
    following.until(lambda: next(looks, True), None)
    assert made == ["tasks"]
