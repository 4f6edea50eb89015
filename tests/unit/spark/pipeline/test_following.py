"""Goal: following makes views as streams have changed, and goes on when only its events cannot.

Method: following without Spark; what makes a view is replaced by a note of its name, queries are
objects that say what a test wants them to say.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from ternmq.spark.pipeline import following as pipeline_follow
from ternmq.spark.pipeline.flows import Flow
from ternmq.spark.pipeline.following import Following, Update

if TYPE_CHECKING:
    from ternmq.spark.pipeline.project import Project


class Query:
    """A streaming query, as far as following looks at one."""

    def __init__(self, failed: Exception | None = None) -> None:
        self.recentProgress: list[dict[str, Any]] = []
        self.failed = failed
        self.is_stopped = False

    def batch(self, number: int, rows: int, is_done: bool = True) -> None:
        did = {"addBatch": 1} if is_done else {"latestOffset": 1}
        self.recentProgress.append({"batchId": number, "numInputRows": rows, "durationMs": did})

    def exception(self) -> Exception | None:
        return self.failed

    def stop(self) -> None:
        self.is_stopped = True


def flow(name: str, *reads: str, is_stream: bool = False) -> Flow:
    return Flow(name, "", is_stream, reads, lambda read: read[0])


@pytest.fixture
def project(tmp_path: Path) -> "Project":
    from ternmq.spark.pipeline.project import create, find

    create(tmp_path, "tests", {"mq.queue": "ORDERS"})
    return find(tmp_path)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The views that were made."""
    names: list[str] = []

    def make_view(_: Any, flow: Flow, __: str) -> None:
        names.append(flow.name)

    monkeypatch.setattr(pipeline_follow, "make_view", make_view)
    return names


class Looks:
    """Ends following after so many looks, and does something at some of them."""

    def __init__(self, *doings: Any) -> None:
        self.doings = list(doings)

    def __call__(self) -> bool:
        if not self.doings:
            return True
        doing = self.doings.pop(0)
        if doing is not None:
            doing()
        return False


def following(project: "Project", *flows: Flow) -> Following:
    nothing: Any = None
    return Following(nothing, project, list(flows), 0.0)


def test_views_when_following_begins_then_they_are_made_though_nothing_has_come(
    project: "Project", made: list[str]
) -> None:
    following(project, flow("tasks", "smf_wtid")).until(Looks(None, None, None), None)
    assert made == ["tasks"]


def test_views_when_something_came_then_those_are_made_that_are_made_of_it(
    project: "Project", made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = {"smf_wtid": Query(), "messages": Query()}
    monkeypatch.setattr(pipeline_follow, "started", lambda _, __, flow, ___: queries[flow.name])
    begun = following(
        project,
        *(flow(name, is_stream=True) for name in queries),
        flow("tasks", "smf_wtid"),
        flow("chargeback", "tasks"),
        flow("exchanges", "messages"),
    )
    reported: list[Update] = []
    begun.until(
        Looks(
            None,
            lambda: queries["smf_wtid"].batch(0, 5),
            None,
            lambda: queries["messages"].batch(0, 0, is_done=False),  # it only looked
            lambda: queries["messages"].batch(0, 0),  # time went on, and rows may be there
            None,
        ),
        reported.append,
    )
    assert made == ["tasks", "chargeback", "exchanges", "tasks", "chargeback", "exchanges"]
    assert reported[-1] == Update({"smf_wtid": 5}, 3)
    assert all(query.is_stopped for query in queries.values())


def test_events_when_they_cannot_be_put_then_following_goes_on_and_reports_it_once(
    project: "Project", made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline_follow, "started", lambda *_: Query())
    queries: list[Query] = []

    def raising(*_: Any) -> Query:
        queries.append(Query(RuntimeError("MQRC_Q_FULL") if len(queries) < 5 else None))
        return queries[-1]

    monkeypatch.setattr(Following, "_raising", raising)
    reported: list[Update] = []
    begun = following(project, flow("seen_in_messages", is_stream=True))
    looks = Looks(*[None] * 6, lambda: queries[-1].batch(0, 1), None)
    begun.until(looks, reported.append)
    assert len(queries) == 6
    assert [update.trouble for update in reported] == ["MQRC_Q_FULL", ""]


def test_stream_when_it_fails_again_and_again_then_following_ends_with_its_error(
    project: "Project", made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline_follow, "started", lambda *_: Query(RuntimeError("gone")))
    with pytest.raises(RuntimeError, match="gone"):
        following(project, flow("messages", is_stream=True)).until(Looks(*[None] * 9), None)


def test_run_when_a_view_was_not_completed_then_it_is_as_it_was(tmp_path: Path) -> None:
    from ternmq.spark.pipeline.project import create, find
    from ternmq.spark.pipeline.triggered_run import COMPLETED, Choice, versions
    from ternmq.spark.pipeline.view_versions import current

    create(tmp_path, "tests", {"smf.path": "x"})
    project = find(tmp_path)
    conf: dict[str, str] = {}
    session: Any = SimpleNamespace(conf=conf)
    for number, states in enumerate(
        ({"tasks": COMPLETED, "findings": COMPLETED}, {"tasks": COMPLETED, "findings": "FAILED"})
    ):
        with versions(session, project, Choice(), states) as reported:
            for name in states:
                place = Path(reported.settings.path(name))
                assert place != Path(project.settings.path(name))
                (place / str(number)).touch()

    def files(name: str) -> list[str]:
        return [path.name for path in Path(current(project.settings.path(name))).iterdir()]

    assert files("tasks") == ["1"]
    assert files("findings") == ["0"]
    for choice in (Choice(is_dry=True), Choice(refresh=["findings"])):
        with versions(session, project, choice, {}) as reported:
            assert reported.settings.path("tasks") == project.settings.path("tasks")
    conf["spark.sql.catalogImplementation"] = "hive"
    with versions(session, project, Choice(), {}) as reported:
        assert reported == project
