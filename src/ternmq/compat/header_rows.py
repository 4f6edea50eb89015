"""The structures that stand in messages: headers, triggers, the fixed ones of PCF.

Rows of `member_table`; see there for the columns.
"""

from typing import Final

ROWS: Final = """
RFH2
    _StrucId                 4s    'RFH '
    Version                  i     2
    StrucLength              i     0
    Encoding                 i     546
    CodedCharSetId           i     0
    Format                   8s    '        '
    Flags                    i     0
    NameValueCCSID           i     0
DLH
    _StrucId                 4s    'DLH '
    Version                  i     1
    Reason                   i     0
    DestQName                48s   ''
    DestQMgrName             48s   ''
    Encoding                 i     0
    CodedCharSetId           i     0
    Format                   8s    '        '
    PutApplType              i     0
    PutApplName              28s   ''
    PutDate                  8s    ''
    PutTime                  8s    ''
XQH
    _StrucId                 4s    'XQH '
    Version                  i     1
    RemoteQName              48s   ''
    RemoteQMgrName           48s   ''
MDE
    _StrucId                 4s    'MDE '
    Version                  i     2
    StrucLength              i     72
    Encoding                 i     546
    CodedCharSetId           i     0
    Format                   8s    ''
    Flags                    i     0
    GroupId                  24s   ''
    MsgSeqNumber             i     1
    Offset                   i     0
    MsgFlags                 i     0
    OriginalLength           i     -1
TM
    _StrucId                 4s    'TM  '
    Version                  i     1
    QName                    48s   ''
    ProcessName              48s   ''
    TriggerData              64s   ''
    ApplType                 i     0
    ApplId                   256s  ''
    EnvData                  128s  ''
    UserData                 128s  ''
TMC2
    _StrucId                 4s    'TMC '
    Version                  4s    '   2'
    QName                    48s   ''
    ProcessName              48s   ''
    TriggerData              64s   ''
    ApplType                 4s    ''
    ApplId                   256s  ''
    EnvData                  128s  ''
    UserData                 128s  ''
    QMgrName                 48s   ''
IIH
    _StrucId                 4s    'IIH '
    Version                  i     1
    StrucLength              i     84
    Encoding                 i     0
    CodedCharSetId           i     0
    Format                   8s    '        '
    Flags                    i     0
    LTermOverride            8s    ' '
    MFSMapName               8s    ' '
    ReplyToFormat            8s    '        '
    Authenticator            8s    '        '
    TranInstanceId           16s   zeros
    TranState                b     32
    CommitMode               b     48
    SecurityScope            b     67
    _Reserved                b     0
CIH
    _StrucId                 4s    'CIH '
    Version                  i     2
    StrucLength              i     180
    Encoding                 i     0
    CodedCharSetId           i     0
    Format                   8s    '        '
    Flags                    i     0
    ReturnCode               i     0
    CompCode                 i     0
    Reason                   i     0
    UOWControl               i     273
    GetWaitInterval          i     -2
    LinkType                 i     1
    OutputDataLength         i     -1
    FacilityKeepTime         i     0
    ADSDescriptor            i     0
    ConversationalTask       i     0
    TaskEndStatus            i     0
    Facility                 8s    zeros
    Function                 4s    '    '
    AbendCode                4s    ' '
    Authenticator            8s    ' '
    _Reserved1               8s    ' '
    ReplyToFormat            8s    '        '
    RemoteSysId              4s    ' '
    RemoteTransId            4s    ' '
    TransactionId            4s    ' '
    FacilityLike             4s    ' '
    AttentionId              4s    ' '
    StartCode                4s    '    '
    CancelCode               4s    ' '
    NextTransactionId        4s    ' '
    _Reserved2               8s    ' '
    _Reserved3               8s    ' '
    CursorPosition           i     0
    ErrorOffset              i     0
    InputItem                i     0
    _Reserved4               i     0
CFH
    Type                     i     1
    StrucLength              i     36
    Version                  i     1 | 3
    Command                  i     0
    MsgSeqNumber             i     1
    Control                  i     1
    CompCode                 i     0
    Reason                   i     0
    ParameterCount           i     0
CFGR
    Type                     i     20
    StrucLength              i     16
    Parameter                i     0
    ParameterCount           i     0
CFIN
    Type                     i     3
    StrucLength              i     16
    Parameter                i     0
    Value                    i     0
CFIN64
    Type                     i     23
    StrucLength              i     24
    Parameter                i     0
    Value                    q     0
CFIF
    Type                     i     13
    StrucLength              i     20
    Parameter                i     0
    Operator                 i     0
    FilterValue              i     0
"""
