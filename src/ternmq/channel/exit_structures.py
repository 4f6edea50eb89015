"""MQCXP and MQCD as Python objects, for channel exits: fields and values as in IBM's headers.

Text has no blanks at its end. What is a pointer with a length in C is the value itself here, under
the name of the pointer. Of MQCD an auto-definition exit may change what `MQCD_ATTRIBUTES` lists;
other exits get a copy.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.attributes import Value

USER_AREA_BYTES: Final = 16
NO_USER_AREA: Final = bytes(USER_AREA_BYTES)
EXIT_DATA_CHARACTERS: Final = 32
MQCXP_BYTES: Final = 240
MQCD_BYTES: Final = 2000
_COMPRESSIONS_MAX: Final = 16


@final
class MQCSP:
    """User and password of a client, which a security exit may look at and change."""

    def __init__(self, user: str = "", password: str | None = None) -> None:
        self.StrucId = "CSP "
        self.Version = mq.MQCSP_VERSION_1
        self.AuthenticationType = mq.MQCSP_AUTH_NONE
        if password is not None:
            self.AuthenticationType = mq.MQCSP_AUTH_USER_ID_AND_PWD
        self.CSPUserIdPtr = user
        self.CSPPasswordPtr = password or ""

    @property
    def password(self) -> str | None:
        """None if there is none."""
        if self.AuthenticationType != mq.MQCSP_AUTH_USER_ID_AND_PWD:
            return None
        return str(self.CSPPasswordPtr)


@final
class MQCXP:
    """What an exit is called for, and what it answers. Made new for each call, but for what the
    comments call kept."""

    def __init__(self) -> None:
        self.StrucId = "CXP "
        self.Version = mq.MQCXP_VERSION_9
        self.StrucLength = MQCXP_BYTES
        self.ExitId = 0  # MQXT_
        self.ExitReason = 0  # MQXR_
        self.ExitResponse = mq.MQXCC_OK  # answer: MQXCC_
        self.ExitResponse2 = mq.MQXR2_DEFAULT_CONTINUATION  # answer: MQXR2_
        self.Feedback = 0  # answer of a message exit that suppresses: MQFB_ or MQRC_
        self.MaxSegmentLength = 0
        self.ExitUserArea = NO_USER_AREA  # answer, kept
        self.ExitData = ""
        self.MsgRetryCount = 0
        self.MsgRetryInterval = 0  # answer of a message-retry exit
        self.MsgRetryReason = 0
        self.HeaderLength = 0
        self.PartnerName = ""
        self.FAPLevel = 0
        self.CapabilityFlags = 0  # MQCF_
        self.ExitNumber = 0
        self.ExitSpace = 0  # answer of a send exit at MQXR_INIT
        self.SSLCertUserid = ""
        self.SSLRemCertIssNamePtr = ""
        self.CurHdrCompression = mq.MQCOMPRESS_NONE  # answer of a message exit that sends
        self.CurMsgCompression = mq.MQCOMPRESS_NONE  # likewise
        self.Hconn = 0
        self.SharingConversations = False
        self.MCAUserSource = mq.MQUSRC_CHANNEL
        self.SecurityParms: MQCSP | None = None  # at MQXR_SEC_PARMS
        self.RemoteProduct = ""
        self.RemoteVersion = ""


class _MQCD1:
    """The fields that version 1 of MQCD has."""

    def __init__(self) -> None:
        self.ChannelName = ""
        self.Version = mq.MQCD_VERSION_13
        self.StrucLength = MQCD_BYTES
        self.ChannelType = 0  # MQCHT_
        self.TransportType = mq.MQXPT_TCP
        self.Desc = ""
        self.QMgrName = ""
        self.XmitQName = ""
        self.ShortConnectionName = ""
        self.MCAName = ""
        self.ModeName = ""
        self.TpName = ""
        self.BatchSize = 0
        self.DiscInterval = 0
        self.ShortRetryCount = 0
        self.ShortRetryInterval = 0
        self.LongRetryCount = 0
        self.LongRetryInterval = 0
        self.SecurityExit = ""
        self.MsgExit = ""  # the first
        self.SendExit = ""
        self.ReceiveExit = ""
        self.SeqNumberWrap = 0
        self.MaxMsgLength = 0
        self.PutAuthority = mq.MQPA_DEFAULT
        self.DataConversion = mq.MQCDC_NO_SENDER_CONVERSION
        self.SecurityUserData = ""
        self.MsgUserData = ""
        self.SendUserData = ""
        self.ReceiveUserData = ""


@final
class MQCD(_MQCD1):
    """The definition of a channel."""

    def __init__(self) -> None:
        super().__init__()
        self.UserIdentifier = ""
        self.MCAUserIdentifier = ""
        self.MCAType = mq.MQMCAT_PROCESS
        self.ConnectionName = ""
        self.RemoteUserIdentifier = ""
        self.MsgRetryExit = ""
        self.MsgRetryUserData = ""
        self.MsgRetryCount = 0
        self.MsgRetryInterval = 0
        self.HeartbeatInterval = 0
        self.BatchInterval = 0
        self.NonPersistentMsgSpeed = mq.MQNPMS_FAST
        self.ExitNameLength = mq.MQ_EXIT_NAME_LENGTH
        self.ExitDataLength = EXIT_DATA_CHARACTERS
        self.MsgExitsDefined = 0
        self.SendExitsDefined = 0
        self.ReceiveExitsDefined = 0
        self.MsgExitPtr: list[str] = []
        self.MsgUserDataPtr: list[str] = []
        self.SendExitPtr: list[str] = []
        self.SendUserDataPtr: list[str] = []
        self.ReceiveExitPtr: list[str] = []
        self.ReceiveUserDataPtr: list[str] = []
        self.NetworkPriority = 0
        self.LongMCAUserIdPtr = ""
        self.LongRemoteUserIdPtr = ""
        self.SSLCipherSpec = ""
        self.SSLPeerNamePtr = ""
        self.SSLClientAuth = 0
        self.KeepAliveInterval = -1
        self.LocalAddress = ""
        self.BatchHeartbeat = 0
        self.HdrCompList: list[int] = []
        self.MsgCompList: list[int] = []
        self.ChannelMonitoring = 0
        self.ChannelStatistics = 0
        self.SharingConversations = 0
        self.PropertyControl = 0
        self.MaxInstances = 0
        self.MaxInstancesPerClient = 0
        self.BatchDataLimit = 0
        self.UseDLQ = 0
        self.CertificateLabel = ""


# The field of MQCD and the attribute of the channel that it is.
MQCD_ATTRIBUTES: Final[dict[str, str]] = {
    "TransportType": "transport",
    "Desc": "description",
    "XmitQName": "transmission_queue",
    "MCAName": "mca_name",
    "ModeName": "mode_name",
    "TpName": "tp_name",
    "BatchSize": "batch_messages",
    "DiscInterval": "disconnect_s",
    "ShortRetryCount": "short_retries",
    "ShortRetryInterval": "short_retry_s",
    "LongRetryCount": "long_retries",
    "LongRetryInterval": "long_retry_s",
    "SecurityExit": "security_exit",
    "SecurityUserData": "security_exit_data",
    "SeqNumberWrap": "sequence_wrap",
    "MaxMsgLength": "max_message_length",
    "PutAuthority": "put_authority",
    "DataConversion": "convert",
    "UserIdentifier": "user",
    "MCAUserIdentifier": "mca_user",
    "MCAType": "mca_type",
    "ConnectionName": "connection_name",
    "MsgRetryExit": "retry_exit",
    "MsgRetryUserData": "retry_exit_data",
    "MsgRetryCount": "message_retries",
    "MsgRetryInterval": "message_retry_ms",
    "HeartbeatInterval": "heartbeat_s",
    "BatchInterval": "batch_interval_ms",
    "NonPersistentMsgSpeed": "nonpersistent_speed",
    "NetworkPriority": "network_priority",
    "SSLCipherSpec": "cipher",
    "SSLPeerNamePtr": "ssl_peer",
    "SSLClientAuth": "client_authentication",
    "KeepAliveInterval": "keep_alive_s",
    "LocalAddress": "local_address",
    "BatchHeartbeat": "batch_heartbeat_ms",
    "ChannelMonitoring": "monitoring",
    "ChannelStatistics": "statistics",
    "SharingConversations": "shared_conversations",
    "PropertyControl": "property_control",
    "MaxInstances": "max_instances",
    "MaxInstancesPerClient": "max_client_instances",
    "BatchDataLimit": "batch_kilobytes",
    "UseDLQ": "use_dead_letter",
    "CertificateLabel": "certificate_label",
}
_LISTS: Final = (
    ("MsgExit", "message_exit", "MsgUserData", "message_exit_data"),
    ("SendExit", "send_exit", "SendUserData", "send_exit_data"),
    ("ReceiveExit", "receive_exit", "ReceiveUserData", "receive_exit_data"),
)


def names_in(listed: Value | None) -> list[str]:
    """A list of names of exits or of their data, as an attribute keeps it."""
    return [one.strip() for one in str(listed or "").split(",") if one.strip()]


def data_in(listed: Value | None, entries: int) -> list[str]:
    """The data of that many exits: what has none is empty."""
    found = [one.strip() for one in str(listed or "").split(",")][:entries]
    return found + [""] * (entries - len(found))


def definition_of(
    name: str,
    channel_type: int,
    qmgr_name: str,
    attributes: dict[str, Value],
    header_compressions: list[int],
    message_compressions: list[int],
) -> MQCD:
    """The MQCD of a channel with these attributes."""
    made = MQCD()
    made.ChannelName = name
    made.ChannelType = channel_type
    made.QMgrName = qmgr_name
    for field, attribute in MQCD_ATTRIBUTES.items():
        value = attributes.get(attribute)
        if value is not None:
            setattr(made, field, value)
    made.ShortConnectionName = made.ConnectionName[: mq.MQ_SHORT_CONN_NAME_LENGTH]
    made.LongMCAUserIdPtr = made.MCAUserIdentifier
    for exit_field, exits, data_field, data in _LISTS:
        names = names_in(attributes.get(exits))
        values = data_in(attributes.get(data), len(names))
        setattr(made, exit_field, names[0] if names else "")
        setattr(made, data_field, values[0] if values else "")
        setattr(made, exit_field + "Ptr", names)
        setattr(made, data_field + "Ptr", values)
        setattr(made, exit_field + "sDefined", len(names))
    made.HdrCompList = header_compressions
    made.MsgCompList = message_compressions[:_COMPRESSIONS_MAX]
    return made


def changed_attributes(before: MQCD, after: MQCD) -> dict[str, object]:
    """Attributes that an exit has changed, by name; they are not checked."""
    found: dict[str, object] = {}
    for field, attribute in MQCD_ATTRIBUTES.items():
        value = getattr(after, field)
        if value != getattr(before, field):
            found[attribute] = value
    return found
