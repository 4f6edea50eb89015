"""Goal: authority records by command: set, taken away, shown, refused; and what they let users do.

Method: MQSC on a queue manager that checks, by its owner and by users, and what is answered.
"""

from collections.abc import Callable

import pytest

import ternmq
from ternmq import NotAuthorized
from ternmq.admin.inquiries import queue_type
from ternmq.base import constants as mq
from ternmq.base.reason_lookup import reason as reason_row
from ternmq.base.reasons import MQRC_UNKNOWN_ENTITY
from ternmq.ports.users import GroupTable
from ternmq.values.command import Answer, Command
from tests.mqi import mqi
from tests.security.granting import USERS, connected, grant, secured

pytestmark = pytest.mark.core


def ids(answers: list[Answer]) -> list[str]:
    return [answer.message for answer in answers]


def records(connection: ternmq.Connection, text: str = "DISPLAY AUTHREC") -> list[dict[str, str]]:
    shown = [answer for answer in connection.mqsc(text) if answer.items]
    return [{item.keyword: str(item.value) for item in answer.items} for answer in shown]


def test_set_adds_and_removes_authorities() -> None:
    with secured() as qm:
        text = "SET AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE) PRINCIPAL('fred')"
        assert ids(qm.mqsc(f"{text} AUTHADD(GET,PUT,INQ)")) == ["AMQ8862I"]
        assert ids(qm.mqsc(f"{text} AUTHRMV(INQ) AUTHADD(BROWSE)")) == ["AMQ8862I"]
        assert records(qm) == [
            {
                "PROFILE": "DEV.**",
                "ENTITY": "fred",
                "ENTTYPE": "PRINCIPAL",
                "OBJTYPE": "QUEUE",
                "AUTHLIST": "BROWSE,GET,PUT",
            }
        ]
        assert ids(qm.mqsc(f"{text} AUTHRMV(ALL)")) == ["AMQ8862I"]
        assert records(qm)[0]["AUTHLIST"] == "NONE"
        deleted = qm.mqsc("DELETE AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE) PRINCIPAL('fred')")
        assert ids(deleted) == ["AMQ8863I"]
        assert records(qm) == []


def test_crt_goes_to_the_class_and_all_has_none() -> None:
    with secured() as qm:
        qm.mqsc("SET AUTHREC PROFILE('A') OBJTYPE(QUEUE) GROUP('staff') AUTHADD(ALL)")
        assert "CRT" not in records(qm)[0]["AUTHLIST"].split(",")
        qm.mqsc("SET AUTHREC PROFILE('A') OBJTYPE(QUEUE) GROUP('staff') AUTHADD(CRT)")
        found = {one["PROFILE"]: one["AUTHLIST"] for one in records(qm)}
        assert found["@class"] == "CRT"
        assert "CRT" not in found["A"].split(",")
        qm.mqsc("SET AUTHREC PROFILE('A') OBJTYPE(QUEUE) GROUP('staff') AUTHRMV(CRT)")
        found = {one["PROFILE"]: one["AUTHLIST"] for one in records(qm)}
        assert found["@class"] == "NONE"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("OBJTYPE(QUEUE) PRINCIPAL(a) AUTHADD(GET)", "MQRCCF_PROFILE_NAME_MISSING"),
        ("PROFILE('A..**.**') OBJTYPE(QUEUE) GROUP(a) AUTHADD(GET)", "MQRCCF_PROFILE_NAME_ERROR"),
        ("PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL(a) AUTHADD(CONNECT)", "MQRCCF_AUTH_VALUE_ERROR"),
        ("PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL(a) AUTHADD(FLY)", "MQRCCF_AUTH_VALUE_ERROR"),
        ("PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL(a)", "MQRCCF_AUTH_VALUE_MISSING"),
        ("PROFILE(A) OBJTYPE(PLANE) PRINCIPAL(a) AUTHADD(GET)", "MQRC_OBJECT_TYPE_ERROR"),
        (
            "PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL(a) GROUP(b) AUTHADD(GET)",
            "MQRCCF_PARM_SYNTAX_ERROR",
        ),
        ("PROFILE('OTHER') OBJTYPE(QMGR) PRINCIPAL(a) AUTHADD(INQ)", "MQRCCF_PROFILE_NAME_ERROR"),
        ("PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('a b') AUTHADD(GET)", "MQRC_UNKNOWN_ENTITY"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_set(text: str, reason: str) -> None:
    with secured() as qm:
        answer = qm.mqsc(f"SET AUTHREC {text}")[0]
        assert answer.comp == mq.MQCC_FAILED
        assert reason_row(answer.reason).name == reason
        assert records(qm) == []


def test_delete_of_what_is_not_there() -> None:
    with secured() as qm:
        text = "DELETE AUTHREC PROFILE('A') OBJTYPE(QUEUE) PRINCIPAL('fred')"
        assert qm.mqsc(text)[0].comp == mq.MQCC_FAILED
        assert ids(qm.mqsc(f"{text} IGNSTATE(YES)")) == ["AMQ8863I"]


def test_display_chooses_by_profile_entity_and_match() -> None:
    with secured() as qm:
        grant(qm, "queue", "AB.C", "fred", "get")
        grant(qm, "queue", "AB.*", "fred", "put")
        grant(qm, "queue", "**", "staff", "inq", group=True)
        grant(qm, "topic", "AB.C", "ann", "pub")
        shown = "DISPLAY AUTHREC PROFILE('AB.C') OBJTYPE(QUEUE)"
        assert [one["PROFILE"] for one in records(qm, shown)] == ["**", "AB.*", "AB.C"]
        assert [one["PROFILE"] for one in records(qm, f"{shown} MATCH(EXACT)")] == ["AB.C"]
        of_fred = f"{shown} PRINCIPAL('fred')"
        assert [one["PROFILE"] for one in records(qm, of_fred)] == ["AB.*", "AB.C"]
        both = records(qm, f"{of_fred} MATCH(MEMBERSHIP)")
        assert [one["ENTITY"] for one in both] == ["staff", "fred", "fred"]
        assert len(records(qm, "DISPLAY AUTHREC OBJTYPE(TOPIC)")) == 1
        assert records(qm, "DISPLAY AUTHREC GROUP('staff') AUTHLIST")[0]["AUTHLIST"] == "INQ"
        where = "DISPLAY AUTHREC WHERE(AUTHLIST CT PUT)"
        assert [one["PROFILE"] for one in records(qm, where)] == ["AB.*"]


def test_entauth_takes_everything_together() -> None:
    with secured() as qm:
        grant(qm, "queue", "Q", "fred", "get")
        grant(qm, "queue", "**", "staff", "inq", group=True)
        text = "DISPLAY ENTAUTH OBJNAME('Q') OBJTYPE(QUEUE)"
        assert records(qm, f"{text} PRINCIPAL('fred')")[0]["AUTHLIST"] == "GET,INQ"
        assert records(qm, f"{text} PRINCIPAL('ann')")[0]["AUTHLIST"] == "INQ"
        assert records(qm, f"{text} GROUP('staff')")[0]["AUTHLIST"] == "INQ"
        assert records(qm, f"{text} PRINCIPAL('stranger')")[0]["AUTHLIST"] == "NONE"
        assert "SYSTEM" in records(qm, "DISPLAY ENTAUTH OBJTYPE(QMGR) GROUP('mqm')")[0]["AUTHLIST"]
        service = records(qm, "DISPLAY AUTHSERV ALL")[0]
        assert service["UIDSUPP"] == "YES"


def test_refresh_security_finds_new_groups_and_new_administrators() -> None:
    table: dict[str, tuple[str, ...]] = dict(USERS)
    with ternmq.memory("QM1", security=table) as qm:
        fred = connected(qm, "fred")
        authority = qm.started.shell.engine.kernel.authority
        users = authority.users
        assert isinstance(users, GroupTable)
        users.table["fred"] = ("mqm",)
        assert ids(fred.mqsc("DEFINE QLOCAL(NEW)")) == ["AMQ8135E"]
        assert ids(qm.mqsc("REFRESH SECURITY TYPE(AUTHSERV)")) == ["AMQ8560I"]
        assert ids(fred.mqsc("DEFINE QLOCAL(NEW)")) == ["AMQ8006I"]
        users.table["fred"] = ()
        qm.mqsc("REFRESH SECURITY")
        assert ids(fred.mqsc("DELETE QLOCAL(NEW)")) == ["AMQ8135E"]


def test_the_maker_of_an_object_may_do_everything_with_it() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        grant(qm, "queue", "@class", "fred", "crt")
        assert ids(fred.mqsc("DEFINE QLOCAL(MINE)")) == ["AMQ8135E"]  # no dsp on the default object
        grant(qm, "queue", "SYSTEM.DEFAULT.LOCAL.QUEUE", "fred", "dsp")
        assert ids(fred.mqsc("DEFINE QLOCAL(MINE)")) == ["AMQ8006I"]
        assert ids(fred.mqsc("ALTER QLOCAL(MINE) DESCR('x')")) == ["AMQ8008I"]
        with fred.queue("MINE") as queue:
            queue.put(b"x")
        assert ids(fred.mqsc("CLEAR QLOCAL(MINE)")) == ["AMQ8022I"]
        assert ids(fred.mqsc("ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) DESCR('x')")) == ["AMQ8135E"]
        mine = [one for one in records(qm) if one["PROFILE"] == "MINE"]
        assert [one["ENTITY"] for one in mine] == ["fred"]
        assert ids(fred.mqsc("DELETE QLOCAL(MINE)")) == ["AMQ8007I"]
        assert [one for one in records(qm) if one["PROFILE"] == "MINE"] == []


def test_replace_like_another_object_then_that_one_must_be_visible() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        qm.mqsc("DEFINE QLOCAL(MINE)")
        qm.mqsc("DEFINE QLOCAL(SECRET) DESCR('what fred must not know')")
        grant(qm, "queue", "MINE", "fred", "chg dsp")
        refused = fred.mqsc("DEFINE QLOCAL(MINE) LIKE(SECRET) REPLACE")
        assert ids(refused) == ["AMQ8135E"]
        assert refused[0].inserts == ("fred", "SECRET")  # both that the text speaks of
        assert fred.mqsc("DISPLAY QLOCAL(MINE) DESCR")[0]["DESCR"] == ""
        grant(qm, "queue", "SECRET", "fred", "dsp")
        assert ids(fred.mqsc("DEFINE QLOCAL(MINE) LIKE(SECRET) REPLACE")) == ["AMQ8006I"]


def test_channel_of_clients_then_its_own_authority_counts() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        qm.mqsc("DEFINE CHANNEL(C) CHLTYPE(CLNTCONN) CONNAME('h')")
        grant(qm, "channel", "C", "fred", "dlt")
        for more in ("", "CHLTABLE(CLNTTBL)", "CHLTYPE(CLNTCONN)"):
            assert ids(fred.mqsc(f"DELETE CHANNEL(C) {more}")) == ["AMQ8135E"]
        asked = Command("DELETE", "CHANNEL", "C")
        asked.given.update({"CHLTYPE": "SDR", "CHLTABLE": "CLNTTBL"})
        assert ids(fred.command(asked)) == ["AMQ8135E"]
        asked.given = {"CHLTYPE": "SVRCONN"}
        assert ids(fred.command(asked)) == ["AMQ8227E"]  # there is none of that type
        assert ids(qm.mqsc("DISPLAY CHANNEL(C)")) == ["AMQ8414I"]
        grant(qm, "clntconn", "C", "fred", "dlt")
        assert ids(fred.mqsc("DELETE CHANNEL(C)")) == ["AMQ8015I"]


def test_subscription_of_another_topic_then_naming_ones_own_does_not_help() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        qm.mqsc("DEFINE TOPIC(MINE) TOPICSTR('mine')")
        qm.mqsc("DEFINE TOPIC(THEIRS) TOPICSTR('theirs')")
        qm.define_queue("Q")
        assert ids(qm.mqsc("DEFINE SUB(S) TOPICOBJ(THEIRS) DEST(Q)"))[0] == "AMQ8094I"
        grant(qm, "topic", "MINE", "fred", "sub")
        for action in ("DELETE", "ALTER", "DEFINE"):
            asked = Command(action, "SUB", "S")
            asked.given.update({"TOPICOBJ": "MINE", "DEST": "Q"})
            if action == "DEFINE":
                asked.given["REPLACE"] = ""
            assert ids(fred.command(asked)) == ["AMQ8135E"], action
        assert ids(qm.mqsc("DISPLAY SUB(S)")) == ["AMQ8096I"]
        assert ids(fred.mqsc("DEFINE SUB(T) TOPICOBJ(MINE) DEST(Q)"))[0] == "AMQ8094I"


def test_reset_of_many_queues_then_only_those_that_may_be_changed() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        for name in ("A1", "A.SECRET"):
            qm.define_queue(name)
            qm.put(name, b"x")
        grant(qm, "queue", "A.**", "fred", "dsp")
        grant(qm, "queue", "A*", "fred", "chg dsp")  # one qualifier: not A.SECRET
        answers = fred.mqsc("RESET QSTATS(A*)")
        assert [one["QSTATS"] for one in answers] == ["A1"]
        assert qm.mqsc("RESET QSTATS(A.SECRET)")[0]["MSGSIN"] == 1  # nobody has reset it
        assert ids(fred.mqsc("RESET QSTATS(A.SECRET)")) == ["AMQ8135E"]
        assert ids(fred.mqsc("RESET QSTATS(A.*)")) == ["AMQ8135E"]


def test_records_stay_if_the_delete_says_so() -> None:
    with secured() as qm:
        qm.define_queue("Q")
        grant(qm, "queue", "Q", "fred", "get")
        qm.mqsc("DELETE QLOCAL(Q) AUTHREC(NO)")
        assert [one["PROFILE"] for one in records(qm)] == ["Q"]
        qm.define_queue("Q")
        qm.mqsc("DELETE QLOCAL(Q)")
        assert records(qm) == []


def test_display_shows_what_may_be_seen() -> None:
    with secured() as qm:
        for name in ("A.1", "A.2", "B.1"):
            qm.define_queue(name)
        fred = connected(qm, "fred")
        assert ids(fred.mqsc("DISPLAY QLOCAL(A.1)")) == ["AMQ8135E"]
        assert ids(fred.mqsc("DISPLAY QLOCAL(*)")) == ["AMQ8135E"]
        grant(qm, "queue", "A.*", "fred", "dsp")
        shown = [str(answer["QUEUE"]) for answer in fred.mqsc("DISPLAY QLOCAL(*)")]
        assert shown == ["A.1", "A.2"]
        assert ids(fred.mqsc("DISPLAY QSTATUS(A.1)")) == ["AMQ8450I"]
        assert ids(fred.mqsc("DISPLAY QSTATUS(B.1)")) == ["AMQ8135E"]
        notices = qm.started.shell.engine.kernel.notices.take()
        assert ("AMQ8245W", "fred") in [(one.message_id, one.inserts[0]) for one in notices]


def test_definitions_by_the_api_are_checked_as_commands_are() -> None:
    with secured() as qm:
        qm.define_queue("Q")
        fred = connected(qm, "fred")
        changes: list[Callable[[], None]] = [
            lambda: fred.define_queue("NEW"),
            lambda: fred.define_queue("Q", replace=True),
            lambda: fred.alter_queue("Q", description="x"),
            lambda: fred.alter_qmgr(description="x"),
            lambda: fred.clear_queue("Q"),
            lambda: fred.delete_queue("Q"),
        ]
        for change in changes:
            with pytest.raises(NotAuthorized):
                change()
        grant(qm, "queue", "Q", "fred", "chg")
        fred.alter_queue("Q", description="x")
        fred.define_queue("Q", replace=True)
        assert qm.queue_names().count("Q") == 1


def test_the_rules_of_channels_say_who_would_be_who() -> None:
    with secured() as qm:
        for text in (
            "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)",
            "SET CHLAUTH('APP.*') TYPE(ADDRESSMAP) ADDRESS('192.0.2.*') MCAUSER('app')",
            "SET CHLAUTH('APP.*') TYPE(USERMAP) CLNTUSER('admin') MCAUSER('mqm')",
            "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN')",
        ):
            assert ids(qm.mqsc(f"{text} ACTION(REPLACE)"))[0] == "AMQ8877I", text

        def check(more: str) -> dict[str, str]:
            return records(qm, f"DISPLAY CHLAUTH('APP.ONE') MATCH(RUNCHECK) {more} ALL")[0]

        assert check("ADDRESS('192.0.2.7') CLNTUSER('fred')")["MCAUSER"] == "app"
        assert check("ADDRESS('198.51.100.7') CLNTUSER('fred')")["USERSRC"] == "NOACCESS"
        assert check("ADDRESS('192.0.2.7') CLNTUSER('admin')")["TYPE"] == "BLOCKUSER"
        bad = qm.mqsc("DISPLAY CHLAUTH('APP.*') MATCH(RUNCHECK) ADDRESS('192.0.2.7')")
        assert bad[0].comp == mq.MQCC_FAILED
        bad = qm.mqsc("SET CHLAUTH('A') TYPE(ADDRESSMAP) ADDRESS('192.0.2.300') MCAUSER('x')")
        assert ids(bad) == ["AMQ8889E"]


def test_runcheck_when_a_queue_manager_is_asked_about_then_its_map_and_no_blocked_user() -> None:
    with secured() as qm:
        for text in (
            "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN', 'app')",
            "SET CHLAUTH('B.TO.*') TYPE(QMGRMAP) QMNAME('QMB') MCAUSER('app')",
            "SET CHLAUTH('B.TO.*') TYPE(QMGRMAP) QMNAME('QMX') USERSRC(NOACCESS)",
            "SET CHLAUTH('B.TO.*') TYPE(ADDRESSMAP) ADDRESS('192.0.2.*') MCAUSER('app')",
            "SET CHLAUTH('B.TO.*') TYPE(SSLPEERMAP) SSLPEER('CN=QMS') MCAUSER('app')",
        ):
            assert ids(qm.mqsc(f"{text} ACTION(REPLACE)"))[0] == "AMQ8877I", text
        assert qm.mqsc("DEFINE CHANNEL(B.TO.A) CHLTYPE(RCVR) MCAUSER('admin')")[0].ok

        def check(more: str, channel: str = "B.TO.A") -> tuple[str, str]:
            text = f"DISPLAY CHLAUTH({channel}) MATCH(RUNCHECK) ADDRESS('192.0.2.7') {more} ALL"
            found = records(qm, text)[0]
            return found["TYPE"], found.get("QMNAME", "") or found.get("SSLPEER", "")

        assert check("QMNAME(QMB)") == ("QMGRMAP", "QMB")
        assert check("QMNAME(QMX)") == ("QMGRMAP", "QMX")
        assert check("QMNAME(QMC)") == ("ADDRESSMAP", "")
        assert check("QMNAME(QMB) SSLPEER('CN=QMS')") == ("SSLPEERMAP", "CN=QMS")
        assert check("") == ("ADDRESSMAP", "")
        # A client that came to the same user is blocked.
        assert check("CLNTUSER('fred')", "B.TO.C")[0] == "BLOCKUSER"


def test_client_channels_are_a_kind_of_their_own() -> None:
    with secured() as qm:
        fred = connected(qm, "fred")
        for kind, chltype, default, more in (
            ("clntconn", "CLNTCONN", "SYSTEM.DEF.CLNTCONN", "CONNAME('host')"),
            ("channel", "SVRCONN", "SYSTEM.DEF.SVRCONN", ""),
        ):
            other = "channel" if kind == "clntconn" else "clntconn"
            text = {
                "DEFINE": f"DEFINE CHANNEL(C) CHLTYPE({chltype}) {more}",
                "ALTER": f"ALTER CHANNEL(C) CHLTYPE({chltype}) DESCR('x')",
                "DISPLAY": "DISPLAY CHANNEL(C)",
                "DELETE": "DELETE CHANNEL(C)",
            }
            grant(qm, other, "@class", "fred", "crt")
            grant(qm, other, "**", "fred", "all")
            assert ids(fred.mqsc(text["DEFINE"])) == ["AMQ8135E"]
            grant(qm, kind, "@class", "fred", "crt")
            grant(qm, kind, default, "fred", "dsp")
            assert ids(fred.mqsc(text["DEFINE"]))[0] == "AMQ8014I"
            grant(qm, kind, "C", "fred", "none")
            for action in ("ALTER", "DISPLAY", "DELETE"):
                assert ids(fred.mqsc(text[action])) == ["AMQ8135E"], (kind, action)
            grant(qm, kind, "C", "fred", "chg dsp dlt")
            assert ids(fred.mqsc(text["ALTER"])) == ["AMQ8016I"]
            assert ids(fred.mqsc(text["DISPLAY"])) == ["AMQ8414I"]
            assert ids(fred.mqsc(text["DELETE"])) == ["AMQ8015I"]
            grant(qm, kind, "@class", "fred", "none")
            grant(qm, other, "@class", "fred", "none")
            grant(qm, kind, "**", "fred", "none")
            grant(qm, other, "**", "fred", "none")


def test_names_and_attributes_are_shown_to_who_may_see_them() -> None:
    with secured() as qm:
        qm.define_queue("A.1")
        qm.define_queue("B.1")
        fred = connected(qm, "fred")
        assert fred.queue_names() == []
        with pytest.raises(NotAuthorized):
            fred.attributes("A.1")
        with pytest.raises(NotAuthorized):
            fred.qmgr_attributes()
        grant(qm, "queue", "A.*", "fred", "dsp")
        grant(qm, "qmgr", "self", "fred", "connect dsp")
        assert fred.queue_names() == ["A.1"]
        assert fred.attributes("A.1")["max_depth"] == 5000
        assert fred.qmgr_attributes()["max_handles"] == 256
        with pytest.raises(NotAuthorized):
            fred.attributes("B.1")
        assert {"A.1", "B.1"} <= set(qm.queue_names())


def test_where_messages_lie_and_what_a_queue_is_are_reported_to_who_may_see_it() -> None:
    with secured() as qm:
        qm.define_queue("A")
        grant(qm, "queue", "A", "fred", "inq")
        kernel = qm.started.shell.engine.kernel
        with connected(qm, "fred") as fred, fred.queue("A") as queue:
            link = mqi(fred).link
            assert queue_type(kernel, link, "A") == 0
            with pytest.raises(NotAuthorized):
                queue.storage_status()
            grant(qm, "queue", "A", "fred", "inq dsp")
            assert queue_type(kernel, link, "A") == mq.MQQT_LOCAL
            assert queue.storage_status().queue == "A"
            assert queue_type(kernel, link, "B") == 0


def test_by_group_authority_for_a_user_goes_to_its_primary_group() -> None:
    with secured() as qm:
        qm.started.shell.engine.kernel.authority.set_policy("Group")
        qm.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('fred') AUTHADD(CONNECT)")
        assert [(one["ENTITY"], one["ENTTYPE"]) for one in records(qm)] == [("staff", "GROUP")]
        qm.connect(user="ann").disconnect()  # of the same group
        grant(qm, "queue", "@class", "staff", "crt", group=True)
        grant(qm, "queue", "SYSTEM.DEFAULT.LOCAL.QUEUE", "staff", "dsp", group=True)
        with qm.connect(user="fred") as fred:
            assert ids(fred.mqsc("DEFINE QLOCAL(OURS)")) == ["AMQ8006I"]
        with qm.connect(user="ann") as ann:
            assert ids(ann.mqsc("DELETE QLOCAL(OURS)")) == ["AMQ8007I"]
        deleted = qm.mqsc("DELETE AUTHREC OBJTYPE(QMGR) PRINCIPAL('ann')")
        assert ids(deleted) == ["AMQ8863I"]
        with pytest.raises(NotAuthorized):
            qm.connect(user="fred")


def test_authority_for_who_is_not_known_then_refused_unless_the_policy_allows() -> None:
    with secured() as qm:
        authority = qm.started.shell.engine.kernel.authority
        text = "SET AUTHREC PROFILE('A') OBJTYPE(QUEUE) {} AUTHADD(GET)"
        for policy, wanted in (
            ("", ["AMQ8862I", "AMQ8871E", "AMQ8862I", "AMQ8871E", "AMQ8862I", "AMQ8862I"]),
            ("Group", ["AMQ8862I", "AMQ8871E", "AMQ8862I", "AMQ8871E", "AMQ8862I", "AMQ8862I"]),
            ("UserExternal", ["AMQ8862I"] * 6),
        ):
            authority.set_policy(policy)
            entities = [
                "PRINCIPAL('fred')",
                "PRINCIPAL('nobody.knows')",
                "GROUP('staff')",
                "GROUP('nobody.knows')",
                "GROUP('nobody')",
                "PRINCIPAL('mqm')",
            ]
            found = [qm.mqsc(text.format(entity))[0].message for entity in entities]
            assert found == wanted, policy


def test_authority_of_a_user_whom_nobody_knows_is_refused_and_not_shown_as_none() -> None:
    with secured() as qm:
        qm.started.shell.engine.kernel.authority.set_policy("user")  # as in a running one
        for entity, comp in (
            ("PRINCIPAL('fred')", mq.MQCC_OK),
            ("PRINCIPAL('nosuch')", mq.MQCC_FAILED),
            ("GROUP('staff')", mq.MQCC_OK),
            ("GROUP('nosuch')", mq.MQCC_FAILED),
        ):
            answer = qm.mqsc(f"DISPLAY ENTAUTH {entity} OBJTYPE(QMGR)")[0]
            assert answer.comp == comp, entity
            if comp:
                assert answer.reason == MQRC_UNKNOWN_ENTITY
