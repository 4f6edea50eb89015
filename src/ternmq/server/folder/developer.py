"""`crtmqm --dev`: the objects, users and rules that developers know from the MQ container.

`app` and `admin` have the passwords of MQ_APP_PASSWORD and MQ_ADMIN_PASSWORD, else the one that
every tutorial uses; then it is marked in the password file, and said.
"""

from __future__ import annotations

import os
from typing import Final

from ternmq.ports.disk import Disk
from ternmq.security.password_file import PATH, SALT_BYTES, Account, text_of
from ternmq.security.passwords import make_account

DEFAULT_PASSWORD: Final = "passw0rd"
_USERS: Final = (("app", (), "MQ_APP_PASSWORD"), ("admin", ("mqm",), "MQ_ADMIN_PASSWORD"))


_APP: Final = "PRINCIPAL('app')"
_SCRIPT: Final = (
    "DEFINE QLOCAL('DEV.QUEUE.1') REPLACE",
    "DEFINE QLOCAL('DEV.QUEUE.2') REPLACE",
    "DEFINE QLOCAL('DEV.QUEUE.3') REPLACE",
    "DEFINE QLOCAL('DEV.DEAD.LETTER.QUEUE') REPLACE",
    "DEFINE QMODEL('DEV.APP.MODEL.QUEUE') REPLACE",
    "ALTER QMGR DEADQ('DEV.DEAD.LETTER.QUEUE')",
    "DEFINE TOPIC('DEV.BASE.TOPIC') TOPICSTR('dev/') REPLACE",
    "DEFINE AUTHINFO('DEV.AUTHINFO') AUTHTYPE(IDPWOS) CHCKCLNT(REQDADM) CHCKLOCL(OPTIONAL) "
    "ADOPTCTX(YES) REPLACE",
    "ALTER QMGR CONNAUTH('DEV.AUTHINFO')",
    "REFRESH SECURITY TYPE(CONNAUTH)",
    "DEFINE CHANNEL('DEV.ADMIN.SVRCONN') CHLTYPE(SVRCONN) REPLACE",
    "DEFINE CHANNEL('DEV.APP.SVRCONN') CHLTYPE(SVRCONN) MCAUSER('app') REPLACE",
    "SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) "
    "DESCR('Back-stop: nobody comes in without a rule') ACTION(REPLACE)",
    "SET CHLAUTH('DEV.APP.SVRCONN') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) "
    "CHCKCLNT(REQUIRED) DESCR('Applications come in') ACTION(REPLACE)",
    "SET CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(BLOCKUSER) USERLIST('nobody') "
    "DESCR('Administrators may come in here') ACTION(REPLACE)",
    "SET CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(USERMAP) CLNTUSER('admin') USERSRC(MAP) "
    "MCAUSER('mqm') DESCR('The user admin is an administrator') ACTION(REPLACE)",
    f"SET AUTHREC {_APP} OBJTYPE(QMGR) AUTHADD(CONNECT,INQ)",
    f"SET AUTHREC PROFILE('DEV.**') {_APP} OBJTYPE(QUEUE) AUTHADD(BROWSE,GET,INQ,PUT)",
    f"SET AUTHREC PROFILE('DEV.**') {_APP} OBJTYPE(TOPIC) AUTHADD(PUB,SUB)",
    f"SET AUTHREC PROFILE('DEV.APP.MODEL.QUEUE') {_APP} OBJTYPE(QUEUE) AUTHADD(DSP,GET,INQ,PUT)",
)


def script() -> list[str]:
    """The MQSC of it, which may be run again."""
    return list(_SCRIPT)


def make_accounts(disk: Disk) -> list[str]:
    """Write the password file; what is to be said about it."""
    accounts: dict[str, Account] = {}
    warnings: list[str] = []
    for user, groups, variable in _USERS:
        given = os.environ.get(variable, "")
        salt = os.urandom(SALT_BYTES)
        accounts[user] = make_account(
            user, groups, given or DEFAULT_PASSWORD, salt, is_default=not given
        )
        if not given:
            warnings.append(
                f"User '{user}' has the default password that everybody knows; {variable} sets "
                "another. While it stands, listeners accept connections from this machine alone."
            )
    file = disk.create(PATH)
    try:
        file.pwritev(0, [text_of(accounts).encode("utf-8")])
        file.datasync()
    finally:
        file.close()
    return warnings
