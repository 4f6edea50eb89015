"""The structures that go with connecting.

Rows of `member_table`; see there for the columns.
"""

from typing import Final

ROWS: Final = """
CNO
    _StrucId                 4s    'CNO '
    Version                  i     5
    Options                  i     0
    _ClientConnOffset        i     0
    _ClientConnPtr           P     0
    ConnTag                  128s  ''
    _SSLConfigPtr            P     0
    _SSLConfigOffset         i     0
    ConnectionId             24s   ''
    _SecurityParmsOffset     i     0
    _SecurityParmsPtr        P     0
    CCDTUrl                  P     0
    _CCDTUrlOffset           i     0
    _CCDTUrlLength           i     0
    _Reserved                q     0
    ApplName                 28s   '                            '
    _Reserved2               i     0
    _BalanceParmsPtr         P     0
    _BalanceParmsOffset      i     0
    _Reserved3               i     0
CSP
    _StrucId                 4s    'CSP '
    Version                  i     1
    AuthenticationType       i     0
    _Reserved1               i     0
    CSPUserId                P     0
    _CSPUserIdOffset         i     0
    _CSPUserIdLength         i     0
    _Reserved2               q     0
    CSPPassword              P     0
    _CSPPasswordOffset       i     0
    _CSPPasswordLength       i     0
    _Reserved3               q     0
    InitialKey               P     0
    _InitialKeyOffset        i     0
    _InitialKeyLength        i     0
    _Reserved4               q     0
    Token                    P     0
    _TokenOffset             i     0
    _TokenLength             i     0
BNO
    _StrucId                 4s    'BNO '
    Version                  i     1
    ApplType                 i     0
    Timeout                  i     -1
    Options                  i     0
SCO
    _StrucId                 4s    'SCO '
    Version                  i     5
    KeyRepository            256s  ''
    CryptoHardware           256s  ''
    AuthInfoRecCount         i     0
    AuthInfoRecOffset        i     0
    AuthInfoRecPtr           P     0
    KeyResetCount            i     0
    FipsRequired             i     0
    EncryptionPolicySuiteB   4i    1,0,0,0
    CertificateValPolicy     i     0
    CertificateLabel         64s   ''
    +KeyRepoPassword         P     0
    +_KeyRepoPasswordOffset  i     0
    +_KeyRepoPasswordLength  i     0
    +HTTPSCertValidation     i     0
    +HTTPSCertRevocation     i     0
    +HTTPSKeyStore           P     0
    +_HTTPSKeyStoreOffset    i     0
    +_HTTPSKeyStoreLength    i     0
CD
    ChannelName              20s   ''
    Version                  i     6 | 11
    ChannelType              i     6
    TransportType            i     2
    Desc                     64s   ''
    QMgrName                 48s   ''
    XmitQName                48s   ''
    ShortConnectionName      20s   ''
    MCAName                  20s   ''
    ModeName                 8s    ''
    TpName                   64s   ''
    BatchSize                i     50
    DiscInterval             i     6000
    ShortRetryCount          i     10
    ShortRetryInterval       i     60
    LongRetryCount           i     999999999
    LongRetryInterval        i     1200
    SecurityExit             128s  ''
    MsgExit                  128s  ''
    SendExit                 128s  ''
    ReceiveExit              128s  ''
    SeqNumberWrap            i     999999999
    MaxMsgLength             i     4194304
    PutAuthority             i     1
    DataConversion           i     0
    SecurityUserData         32s   ''
    MsgUserData              32s   ''
    SendUserData             32s   ''
    ReceiveUserData          32s   ''
    UserIdentifier           12s   ''
    Password                 12s   ''
    MCAUserIdentifier        12s   ''
    MCAType                  i     1
    ConnectionName           264s  ''
    RemoteUserIdentifier     12s   ''
    RemotePassword           12s   ''
    MsgRetryExit             128s  ''
    MsgRetryUserData         32s   ''
    MsgRetryCount            i     10
    MsgRetryInterval         i     1000
    HeartbeatInterval        i     300
    BatchInterval            i     0
    NonPersistentMsgSpeed    i     2
    StrucLength              i     1992 | 2000
    ExitNameLength           i     128
    ExitDataLength           i     32
    MsgExitsDefined          i     0
    SendExitsDefined         i     0
    ReceiveExitsDefined      i     0
    MsgExitPtr               P     0
    MsgUserDataPtr           P     0
    SendExitPtr              P     0
    SendUserDataPtr          P     0
    ReceiveExitPtr           P     0
    ReceiveUserDataPtr       P     0
    ClusterPtr               P     0
    ClustersDefined          i     0
    NetworkPriority          i     0
    LongMCAUserIdLength      i     0
    LongRemoteUserIdLength   i     0
    LongMCAUserIdPtr         P     0
    LongRemoteUserIdPtr      P     0
    MCASecurityId            40s   ''
    RemoteSecurityId         40s   ''
    SSLCipherSpec            32s   ''
    SSLPeerNamePtr           P     0
    SSLPeerNameLength        i     0
    SSLClientAuth            i     0
    KeepAliveInterval        i     -1
    LocalAddress             48s   ''
    BatchHeartbeat           i     0
    HdrCompList              2i    0,-1
    MsgCompList              16i   0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1
    CLWLChannelRank          i     0
    CLWLChannelPriority      i     0
    CLWLChannelWeight        i     50
    ChannelMonitoring        i     0
    ChannelStatistics        i     0
    SharingConversations     i     10
    PropertyControl          i     0
    MaxInstances             i     999999999
    MaxInstancesPerClient    i     999999999
    ClientChannelWeight      i     0
    ConnectionAffinity       i     1
    BatchDataLimit           i     5000
    UseDLQ                   i     2
    DefReconnect             i     0
    CertificateLabel         64s   ''
    SPLProtection            i     0
    +_pad                    4s    ''
    +QuantumSafeAlgorithm    i     0
    +QuantumSafeRequired     i     0
"""
