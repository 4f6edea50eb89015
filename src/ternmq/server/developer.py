"""`crtmqm --dev`: the objects, users and rules that developers know from the MQ container.

`app` and `admin` have the passwords of MQ_APP_PASSWORD and MQ_ADMIN_PASSWORD, else the one that
every tutorial uses; then it is marked in the password file, and said.
"""

from __future__ import annotations

import hashlib
import os
from typing import Final

from ternmq.ports.disk import Disk
from ternmq.security.password_file import (
    COST,
    HASH_BYTES,
    PATH,
    SALT_BYTES,
    Account,
    text_of,
)

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
    "DESCR('Back-stop rule') ACTION(REPLACE)",
    "SET CHLAUTH('DEV.APP.SVRCONN') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) "
    "CHCKCLNT(REQUIRED) DESCR('Applications') ACTION(REPLACE)",
    "SET CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(BLOCKUSER) USERLIST('nobody') "
    "DESCR('Administrators are allowed') ACTION(REPLACE)",
    "SET CHLAUTH('DEV.ADMIN.SVRCONN') TYPE(USERMAP) CLNTUSER('admin') USERSRC(MAP) "
    "MCAUSER('mqm') DESCR('The administrator') ACTION(REPLACE)",
    f"SET AUTHREC OBJTYPE(QMGR) {_APP} AUTHADD(CONNECT,INQ)",
    f"SET AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE) {_APP} AUTHADD(BROWSE,GET,INQ,PUT)",
    f"SET AUTHREC PROFILE('DEV.**') OBJTYPE(TOPIC) {_APP} AUTHADD(PUB,SUB)",
)


def script() -> list[str]:
    """The MQSC of it."""
    return list(_SCRIPT)


def make_accounts(disk: Disk) -> list[str]:
    """Write the password file; what is to be said about it."""
    accounts: dict[str, Account] = {}
    warnings: list[str] = []
    for user, groups, variable in _USERS:
        given = os.environ.get(variable, "")
        password = given or DEFAULT_PASSWORD
        salt = os.urandom(SALT_BYTES)
        n, r, p = COST
        digest = hashlib.scrypt(
            password.encode("utf-8"), salt=salt, n=n, r=r, p=p, maxmem=1 << 26, dklen=HASH_BYTES
        )
        accounts[user] = Account(user, groups, COST, salt, digest, not given)
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
