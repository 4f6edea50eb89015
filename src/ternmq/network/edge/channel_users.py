"""As whom a client works: CONNAUTH, CHLAUTH and MCAUSER, in one order.

    1. a password that came is checked, if CHCKCLNT looks at passwords at all; with ADOPTCTX(YES)
       the client is from then on the user whose password it was
    2. CHLAUTH (`security/chlauth`): the rule that maps it, then the blocked users. Without a rule
       that maps, it is the user it has adopted, else the channel's MCAUSER or what a security exit
       has set in its place, else whom it says it is
    3. CHCKCLNT, of the rule or else of CONNAUTH: a client that brought no password and needs one is
       refused

With ChlauthEarlyAdopt=N in qm.ini the rules see whom the client says it is, and the adopted user
counts in the end. A wrong password is answered after FAILDLAY seconds. A client that ends up
without a user is refused: IBM MQ would let it work as the queue manager's own user.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.attributes import BY_NAME
from ternmq.base.errors import MQError, mq_error
from ternmq.base.limits import LOOKUP_S_MAX
from ternmq.base.object_types import CHLAUTH, QMGR
from ternmq.base.reasons import MQRC_MAX_CONNS_LIMIT_REACHED, MQRC_NOT_AUTHORIZED
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.security.chlauth import Partner, Rule, Verdict, address_block, judge, rules_of
from ternmq.security.connauth import CHECK, REFUSE, WORDS, Authentication, in_force
from ternmq.security.connauth import decide as connauth_decides
from ternmq.security.patterns import is_host_pattern
from ternmq.store.catalog import Definition

if TYPE_CHECKING:
    from ternmq.network.edge.admission import Peer
    from ternmq.network.edge.network_host import NetworkHost

LogMessage = Callable[..., None]
_NO_LOOKUP: Final = BY_NAME[QMGR]["REVDNS"].words["DISABLED"]


class Users:
    """Finds out as whom clients work. Used in the loop's thread."""

    def __init__(
        self, host: NetworkHost, log_message: LogMessage, adopts_early: bool = True
    ) -> None:
        self._host = host
        self._shell = host.shell
        self._lock = host.shell.lock
        self._kernel = host.engine.kernel
        self._identity = host.identity
        self._log_message = log_message
        self._adopts_early = adopts_early

    # ---- addresses

    def rules(self) -> list[Rule]:
        """The rules of channel authentication; none if they are switched off."""
        with self._lock:
            catalog = self._kernel.catalog
            if catalog.qmgr.get("channel_rules") == mq.MQCHLA_DISABLED:
                return []
            return rules_of(catalog.table_of(CHLAUTH).values())

    def is_blocked(self, address: str) -> bool:
        """Whether an address is blocked, before anything else is known of the client."""
        rule = address_block(self.rules(), address)
        if rule is None:
            return False
        partner = Partner("", address)
        self._blocked(mq.MQRQ_CHANNEL_BLOCKED_ADDRESS, partner, "", "", rule)
        return not rule.warn

    # ---- users

    async def user(
        self,
        instance: ChannelInstance,
        peer: Peer,
        client_user: str,
        csp_user: str,
        csp_password: str | None,
        application: str,
        exit_user: str | None = None,
    ) -> str:
        """The user that a conversation runs as; MQError if there is none. A security exit may have
        set another one than MCAUSER."""
        mca_user = instance.channel.text("mca_user") if exit_user is None else exit_user
        with self._lock:
            authentication = in_force(self._kernel.catalog)
        adopted = ""
        is_checked = False
        mode = authentication.mode(True)
        claimed = csp_user or client_user
        if csp_password is not None and mode != mq.MQCHK_NONE:
            await self._check(
                peer, claimed, csp_password, application, authentication, "AMQ5542E", mode
            )
            is_checked = True
            adopted = claimed if authentication.adopt_context else ""
        rules = self.rules()
        await self._look_up(peer, rules)
        early = adopted if self._adopts_early else ""
        partner = Partner(
            instance.name,
            peer.address,
            host=peer.host,
            client_user=early or client_user,
            ssl_peer=peer.certificate_subject,
            ssl_issuer=peer.certificate_issuer,
            channel_user="" if early else mca_user,
        )
        verdict = judge(rules, partner, self._kernel.authority.is_administrator)
        self._obey(verdict, partner, application)
        user = verdict.user if self._adopts_early else adopted or verdict.user
        if not is_checked:
            await self._check_late(
                peer, verdict, user, claimed, csp_password, application, authentication
            )
        if not user:
            raise self._refusal(instance.name, "there is no user for it to work as")
        return user

    async def partner(self, channel: Definition, peer: Peer, qmgr_name: str) -> str:
        """The user that a message channel runs as for a partner; "": the queue manager's own.
        MQError if a rule refuses it. Rules that block users are about clients."""
        rules = [one for one in self.rules() if one.rule_type != mq.MQCAUT_BLOCKUSER]
        await self._look_up(peer, rules)
        partner = Partner(
            channel.name,
            peer.address,
            host=peer.host,
            qmgr_name=qmgr_name,
            ssl_peer=peer.certificate_subject,
            ssl_issuer=peer.certificate_issuer,
            channel_user=channel.text("mca_user"),
        )
        verdict = judge(rules, partner, self._kernel.authority.is_administrator)
        self._obey(verdict, partner, "")
        return verdict.user

    async def _check_late(
        self,
        peer: Peer,
        verdict: Verdict,
        user: str,
        claimed: str,
        password: str | None,
        application: str,
        authentication: Authentication,
    ) -> None:
        """What the rule that counts wants of a client whose password was not checked."""
        mode = verdict.check_clients
        message_id = "AMQ5543E"
        if mode == mq.MQCHK_AS_Q_MGR:
            mode = authentication.mode(True)
            message_id = "AMQ5542E"
        is_administrator = self._kernel.authority.is_administrator(user)
        decision = connauth_decides(mode, password is not None, is_administrator)
        if decision == REFUSE:
            self._log_message("AMQ5540E", application)
            self._log_message(message_id, WORDS.get(mode, str(mode)))
            self._log_message("AMQ9557E", user or claimed, mq.MQCC_FAILED, MQRC_NOT_AUTHORIZED)
            self._identity.report_refused(user or claimed, application)
            raise self._refusal(user or claimed, "a user and a password are needed")
        if decision == CHECK and password is not None:
            await self._check(
                peer, claimed, password, application, authentication, message_id, mode
            )

    async def _check(
        self,
        peer: Peer,
        user: str,
        password: str,
        application: str,
        authentication: Authentication,
        message_id: str,
        mode: int,
    ) -> None:
        try:
            if await self._identity.is_right(user, password, peer.origin):
                return
        except MQError as error:
            if error.reason == MQRC_MAX_CONNS_LIMIT_REACHED:
                self._log_message("AMQ9513E")
            raise
        self._log_message("AMQ5534E", user)
        self._log_message(message_id, WORDS.get(mode, str(mode)))
        self._log_message("AMQ9557E", user, mq.MQCC_FAILED, MQRC_NOT_AUTHORIZED)
        self._identity.report_refused(user, application)
        await asyncio.sleep(authentication.failure_delay_s)
        raise self._refusal(user, f"user {user} or its password is not right")

    def _obey(self, verdict: Verdict, partner: Partner, application: str) -> None:
        """Report what rules say, and refuse whom they refuse."""
        for rule in verdict.warnings:
            if rule.rule_type == mq.MQCAUT_BLOCKADDR:
                continue  # reported when it came
            self._blocked(_qualifier(rule), partner, verdict.user, application, rule)
        rule_against = verdict.blocked_by
        if rule_against is None:
            return
        qualifier = _qualifier(rule_against)
        self._blocked(qualifier, partner, verdict.user, application, rule_against)
        raise self._refusal(partner.channel, "a rule of channel authentication refuses it")

    def _blocked(
        self, qualifier: int, partner: Partner, user: str, application: str, rule: Rule
    ) -> None:
        if qualifier == mq.MQRQ_CHANNEL_BLOCKED_USERID:
            self._log_message("AMQ9776E", partner.channel, user, partner.address)
        else:
            self._log_message("AMQ9777E", partner.channel or "????", partner.address)
        with self._lock:
            sink = self._kernel.event_sink
            sink.channel_blocked(qualifier, partner, user, application, rule.warn)
            self._shell.settle()

    async def _look_up(self, peer: Peer, rules: list[Rule]) -> None:
        """The host name of a partner, if a rule has host names and REVDNS allows to ask."""
        if peer.host or not any(is_host_pattern(rule.address) for rule in rules):
            return
        if self._kernel.catalog.qmgr.get("reverse_lookup") == _NO_LOOKUP:
            return
        loop = asyncio.get_running_loop()
        try:
            place = (peer.address, peer.port)
            asked = loop.getnameinfo(place, socket.NI_NAMEREQD)
            peer.host, _ = await asyncio.wait_for(asked, LOOKUP_S_MAX)
        except TimeoutError:
            self._log_message("AMQ9788W", peer.address, int(LOOKUP_S_MAX))
        except OSError:
            pass  # it has no name, and rules with names do not match it

    def _refusal(self, name: str, detail: str) -> MQError:
        return mq_error(MQRC_NOT_AUTHORIZED, verb="MQCONN", object=name, detail=detail)


def _qualifier(rule: Rule) -> int:
    if rule.rule_type == mq.MQCAUT_BLOCKUSER:
        return mq.MQRQ_CHANNEL_BLOCKED_USERID
    if rule.rule_type == mq.MQCAUT_BLOCKADDR:
        return mq.MQRQ_CHANNEL_BLOCKED_ADDRESS
    return mq.MQRQ_CHANNEL_BLOCKED_NOACCESS
