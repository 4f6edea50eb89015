"""Who may do what: users, groups, a generic profile, and what an unauthorized put gets."""

import ternmq


def main() -> None:
    users = {"clerk": ["staff"], "auditor": ["audit"]}
    with ternmq.memory("QM1", security=users) as qmgr:
        qmgr.define_queue("ORDERS.NEW")
        for command in (
            "SET AUTHREC OBJTYPE(QMGR) GROUP('staff') AUTHADD(CONNECT)",
            "SET AUTHREC OBJTYPE(QMGR) GROUP('audit') AUTHADD(CONNECT)",
            "SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) GROUP('staff') AUTHADD(PUT)",
            "SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) GROUP('audit') AUTHADD(BROWSE,INQ)",
        ):
            print(qmgr.mqsc(command)[0].message, command)
        with qmgr.connect(user="clerk") as clerk:
            clerk.put("ORDERS.NEW", "10 chairs")
        with qmgr.connect(user="auditor") as auditor, auditor.queue("ORDERS.NEW") as orders:
            print("the auditor sees:", [message.text for message in orders.browse()])
            try:
                auditor.put("ORDERS.NEW", "11 chairs")
            except ternmq.NotAuthorized as refused:
                print("the auditor may not put:", refused.detail)
        answer = qmgr.mqsc("DISPLAY ENTAUTH PRINCIPAL('clerk') OBJTYPE(QUEUE) OBJNAME(ORDERS.NEW)")
        print("clerk on ORDERS.NEW:", answer[0]["AUTHLIST"])


if __name__ == "__main__":
    main()
