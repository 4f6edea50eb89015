"""The structures that go with calls: descriptors and options.

Rows of `member_table`; see there for the columns.
"""

from typing import Final

ROWS: Final = """
MD
    _StrucId                 4s    'MD  '
    Version                  i     1 | 2
    Report                   i     0
    MsgType                  i     8
    Expiry                   i     -1
    Feedback                 i     0
    Encoding                 i     546
    CodedCharSetId           i     0
    Format                   8s    ''
    Priority                 i     -1
    Persistence              i     2
    MsgId                    24s   ''
    CorrelId                 24s   ''
    BackoutCount             i     0
    ReplyToQ                 48s   ''
    ReplyToQMgr              48s   ''
    UserIdentifier           12s   ''
    AccountingToken          32s   ''
    ApplIdentityData         32s   ''
    PutApplType              i     0
    PutApplName              28s   ''
    PutDate                  8s    ''
    PutTime                  8s    ''
    ApplOriginData           4s    ''
    GroupId                  24s   ''
    MsgSeqNumber             i     1
    Offset                   i     0
    MsgFlags                 i     0
    OriginalLength           i     -1
OD
    _StrucId                 4s    'OD  '
    Version                  i     1 | 4
    ObjectType               i     1
    ObjectName               48s   ''
    ObjectQMgrName           48s   ''
    DynamicQName             48s   'AMQ.*'
    AlternateUserId          12s   ''
    RecsPresent              i     0
    KnownDestCount           i     0
    UnknownDestCount         i     0
    InvalidDestCount         i     0
    ObjectRecOffset          i     0
    ResponseRecOffset        i     0
    ObjectRecPtr             P     0
    ResponseRecPtr           P     0
    AlternateSecurityId      40s   ''
    ResolvedQName            48s   ''
    ResolvedQMgrName         48s   ''
    ObjectString             charv
    SelectionString          charv
    ResObjectString          charv
    ResolvedType             i     -3
    pad                      4s    ''
GMO
    _StrucId                 4s    'GMO '
    Version                  i     1 | 4
    Options                  i     0
    WaitInterval             i     0
    Signal1                  i     0
    Signal2                  i     0
    ResolvedQName            48s   ''
    MatchOptions             i     3
    GroupStatus              b     32
    SegmentStatus            b     32
    Segmentation             b     32
    _Reserved1               c     ' '
    MsgToken                 16s   ''
    ReturnedLength           i     -1
    _Reserved2               i     0
    MsgHandle                q     0
PMO
    _StrucId                 4s    'PMO '
    Version                  i     1 | 3
    Options                  i     0
    Timeout                  i     -1
    Context                  i     0
    KnownDestCount           i     0
    UnknownDestCount         i     0
    InvalidDestCount         i     0
    ResolvedQName            48s   ''
    ResolvedQMgrName         48s   ''
    RecsPresent              i     0
    PutMsgRecFields          i     0
    PutMsgRecOffset          i     0
    ResponseRecOffset        i     0
    PutMsgRecPtr             P     0
    ResponseRecPtr           P     0
    OriginalMsgHandle        q     0
    NewMsgHandle             q     0
    Action                   i     0
    PubLevel                 i     0 | 9
SD
    _StrucId                 4s    'SD  '
    Version                  i     1
    Options                  i     0
    ObjectName               48s   ''
    AlternateUserId          12s   ''
    AlternateSecurityId      40s   zeros
    SubExpiry                i     -1
    ObjectString             charv
    SubName                  charv
    SubUserData              charv
    SubCorrelId              24s   zeros
    PubPriority              i     -1
    PubAccountingToken       32s   zeros
    PubApplIdentityData      32s   ''
    SelectionString          charv
    SubLevel                 i     0 | 1
    ResObjectString          charv
SRO
    _StrucId                 4s    'SRO '
    Version                  i     1
    Options                  i     8192
    NumPubs                  i     0
STS
    _StrucId                 4s    'STAT'
    Version                  i     2
    CompCode                 i     0
    Reason                   i     0
    PutSuccessCount          i     0
    PutWarningCount          i     0
    PutFailureCount          i     0
    ObjectType               i     1
    ObjectName               48s   ''
    ObjectQMgrName           48s   ''
    ResolvedObjectName       48s   ''
    ResolvedQMgrName         48s   ''
    ObjectString             charv
    SubName                  charv
    OpenOptions              i     0
    SubOptions               i     0
CBD
    _StrucId                 4s    'CBD '
    Version                  i     1
    CallbackType             i     1
    Options                  i     0
    CallbackArea             P     0
    CallbackFunction         P     0
    CallbackName             128s  ''
    MaxMsgLength             i     -1
    _Reserved1               i     0
CBC
    _StrucId                 4s    'CBC '
    Version                  i     2
    CallType                 i     0
    Hobj                     i     0
    CallbackArea             P     0
    ConnectionArea           P     0
    CompCode                 i     0
    Reason                   i     0
    State                    i     0
    DataLength               i     0
    BufferLength             i     0
    Flags                    i     0
    ReconnectDelay           i     0
    _Reserved1               i     0
CTLO
    _StrucId                 4s    'CTLO'
    Version                  i     1
    Options                  i     0
    _Reserved                i     0
    ConnectionArea           P     0
CMHO
    _StrucId                 4s    'CMHO'
    Version                  i     1
    Options                  i     0
DMHO
    _StrucId                 4s    'DMHO'
    Version                  i     1
    Options                  i     0
SMPO
    _StrucId                 4s    'SMPO'
    Version                  i     1
    Options                  i     0
    ValueEncoding            i     546
    ValueCCSID               i     -3
DMPO
    _StrucId                 4s    'DMPO'
    Version                  i     1
    Options                  i     0
IMPO
    _StrucId                 4s    'IMPO'
    Version                  i     1
    Options                  i     0
    RequestedEncoding        i     546
    RequestedCCSID           i     -3
    ReturnedEncoding         i     546
    ReturnedCCSID            i     0
    _Reserved1               i     0
    ReturnedName             charv
    TypeString               8s    ''
PD
    _StrucId                 4s    'PD  '
    Version                  i     1
    Options                  i     0
    Support                  i     1
    Context                  i     0
    CopyOptions              i     22
"""
