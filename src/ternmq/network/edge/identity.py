"""The user of an application: the one that the system says, or one whose password it brings.

CONNAUTH decides whether a password is looked at or needed (`security/connauth`). A password is
checked in a thread, in the turn that `password_checks` gives it. The
queue manager's own user and root may speak for others without one.
"""

from __future__ import annotations

import asyncio
import os
from functools import partial
from typing import Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NOT_AUTHORIZED, MQRC_SECURITY_ERROR
from ternmq.host.shell import Shell
from ternmq.kernel.connection import Connection as Link
from ternmq.network.edge.password_checks import PasswordChecks
from ternmq.security.connauth import CHECK, REFUSE, WORDS, in_force
from ternmq.security.connauth import decide as connauth_decides
from ternmq.security.password_file import PasswordFileError, read_accounts
from ternmq.security.passwords import is_password

ROOT: Final = 0


class Identity:
    """Finds out which user wants to connect. One for all connections of a queue manager."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._engine = shell.engine
        self._disk = shell.disk
        self.checks = PasswordChecks()

    async def user(self, uid: int, name: str, asked: str, password: str | None, who: str) -> str:
        """The user that a connection is of; MQRC_NOT_AUTHORIZED if it may not be.

        `name` is the system's name of `uid`, `asked` whom the application wants to be, `who` the
        application, for messages.
        """
        kernel = self._engine.kernel
        rules = in_force(kernel.catalog)
        mode = rules.mode(False)
        administrator = kernel.authority.is_administrator(name)
        decision = connauth_decides(mode, password is not None, administrator)
        if decision == REFUSE:
            kernel.notices.add("AMQ5540E", (who,))
            kernel.notices.add("AMQ5541E", (WORDS[mode],))
            self.report_refused(asked or name, who)
            raise self._refusal(f"CHCKLOCL({WORDS[mode]}): a user and a password are needed")
        if decision == CHECK and password is not None:
            if not await self.is_right(asked or name, password, f"user {uid}"):
                kernel.notices.add("AMQ5534E", (asked or name,))
                kernel.notices.add("AMQ5541E", (WORDS[mode],))
                self.report_refused(asked or name, who)
                await asyncio.sleep(rules.failure_delay_s)
                raise self._refusal(f"user {asked or name} or its password is not right")
            return (asked or name) if rules.adopt_context else name
        if not asked or asked == name or uid in (ROOT, os.getuid()):
            return asked or name
        raise self._refusal(f"user {name} asked to be {asked}")

    async def is_right(self, user: str, password: str, origin: str) -> bool:
        """Whether it is the user's password; `origin` is where the question comes from."""
        return await self.checks.is_right(origin, partial(self._check, user, password))

    def _check(self, user: str, password: str) -> bool:
        try:
            account = read_accounts(self._disk).get(user)
        except (PasswordFileError, OSError) as error:
            raise mq_error(MQRC_SECURITY_ERROR, verb="MQCONN", detail=str(error)) from error
        return is_password(account, password)

    def report_refused(self, user: str, application: str) -> None:
        """The event, if such events are on."""
        link = Link(0, b"", user, application)
        qualifier = mq.MQRQ_CSP_NOT_AUTHORIZED
        with self._shell.lock:
            self._engine.kernel.event_sink.not_authorized(link, qualifier, mq.MQOT_Q_MGR, "", 0)
            self._shell.settle()

    def _refusal(self, detail: str) -> MQError:
        return mq_error(MQRC_NOT_AUTHORIZED, verb="MQCONN", object=self._engine.name, detail=detail)
