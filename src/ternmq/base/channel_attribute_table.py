"""The attributes of channels, of every type, one row each, in the order in which DISPLAY shows
them. `attributes` says what the columns mean; the types are, in the order of their column, sender,
server, receiver, requester, client connection, server connection, cluster sender, cluster receiver
and AMQP."""

from typing import Final

CHANNELS: Final = """
affinity             AFFINITY IACH_CONNECTION_AFFINITY @affinity         PREFERRED ....c.... i
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        svrqcnSRa s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        svrqcnSRa s
batch_heartbeat_ms   BATCHHB  IACH_BATCH_HB           0..999999          0        sv....SR. i
batch_interval_ms    BATCHINT IACH_BATCH_INTERVAL     0..999999999       0        sv....SR. i
batch_kilobytes      BATCHLIM IACH_BATCH_DATA_LIMIT   0..999999          5000     sv....SR. i
batch_messages       BATCHSZ  IACH_BATCH_SIZE         1..9999            50       svrq..SR. i
certificate_label    CERTLABL CA_CERT_LABEL           64                 -        svrqc..Ra i
certificate_label    CERTLABL CA_CERT_LABEL           64                 -        .....n...
client_weight        CLNTWGHT IACH_CLIENT_CHANNEL_WEIGHT 0..99           0        ....c.... i
cluster_namelist     CLUSNL   CA_CLUSTER_NAMELIST     name48             -        ......SR. i
cluster              CLUSTER  CA_CLUSTER_NAME         name48             -        ......SR. i
cluster_priority     CLWLPRTY IACH_CLWL_CHANNEL_PRIORITY 0..9            0        ......SR. i
cluster_rank         CLWLRANK IACH_CLWL_CHANNEL_RANK  0..9               0        ......SR. i
cluster_weight       CLWLWGHT IACH_CLWL_CHANNEL_WEIGHT 1..99             50       ......SR. i
header_compression   COMPHDR  IACH_HDR_COMPRESSION    words@header_compression NONE svrqcnSR. i
message_compression  COMPMSG  IACH_MSG_COMPRESSION    words@compression  NONE     svrqcnSR. i
connection_name      CONNAME  CACH_CONNECTION_NAME    264                -        sv.qc.SR. i
convert              CONVERT  IACH_DATA_CONVERSION    @yes               NO       sv....SR. i
reconnect            DEFRECON IACH_DEF_RECONNECT      @reconnect         NO       ....c.... i
description          DESCR    CACH_DESC               64                 -        svrqcnSRa
amqp_keep_alive_ms   AMQPKA   IACH_AMQP_KEEP_ALIVE    0..99999|@auto     AUTO     ........a i
disconnect_s         DISCINT  IACH_DISC_INTERVAL      0..999999          6000     sv....SR. i
disconnect_s         DISCINT  IACH_DISC_INTERVAL      0..999999          0        .....n...
heartbeat_s          HBINT    IACH_HB_INTERVAL        0..999999          300      svrqc.SR. i
heartbeat_s          HBINT    IACH_HB_INTERVAL        0..999999          300      .....n...
keep_alive_s         KAINT    IACH_KEEP_ALIVE_INTERVAL 0..99999|@auto    AUTO     svrqc.SR. i
keep_alive_s         KAINT    IACH_KEEP_ALIVE_INTERVAL 0..99999|@auto    AUTO     .....n...
local_address        LOCLADDR CACH_LOCAL_ADDRESS      48                 -        sv.qc.SRa i
long_retries         LONGRTY  IACH_LONG_RETRY         0..999999999       999999999 sv....SR. i
long_retry_s         LONGTMR  IACH_LONG_TIMER         0..999999999       1200     sv....SR. i
max_instances        MAXINST  IACH_MAX_INSTANCES      0..999999999       999999999 ........a i
max_instances        MAXINST  IACH_MAX_INSTANCES      0..999999999       999999999 .....n...
max_client_instances MAXINSTC IACH_MAX_INSTS_PER_CLIENT 0..999999999     999999999 .....n...
max_message_length   MAXMSGL  IACH_MAX_MSG_LENGTH     0..104857600       4194304  svrqc.SRa i
max_message_length   MAXMSGL  IACH_MAX_MSG_LENGTH     0..104857600       4194304  .....n...
mca_name             MCANAME  CACH_MCA_NAME           20                 -        sv.q..SR. i
mca_type             MCATYPE  IACH_MCA_TYPE           @mca_type          PROCESS  sv.q..... i
mca_type             MCATYPE  IACH_MCA_TYPE           @mca_type          THREAD   ......SR. i
mca_user             MCAUSER  CACH_MCA_USER_ID        64                 -        svrq..SRa i
mca_user             MCAUSER  CACH_MCA_USER_ID        64                 -        .....n...
mode_name            MODENAME CACH_MODE_NAME          8                  -        sv.qc.SR. i
monitoring           MONCHL   IA_MONITORING_CHANNEL   @monitoring        QMGR     svrq..SR. i
monitoring           MONCHL   IA_MONITORING_CHANNEL   @monitoring        QMGR     .....n...
retry_exit_data      MRDATA   CACH_MR_EXIT_USER_DATA  32                 -        ..rq...R. i
retry_exit           MREXIT   CACH_MR_EXIT_NAME       128                -        ..rq...R. i
message_retries      MRRTY    IACH_MR_COUNT           0..999999999       10       ..rq...R. i
message_retry_ms     MRTMR    IACH_MR_INTERVAL        0..999999999       1000     ..rq...R. i
message_exit_data    MSGDATA  CACH_MSG_EXIT_USER_DATA list32x8           -        svrq..SR. i
message_exit         MSGEXIT  CACH_MSG_EXIT_NAME      list128x8          -        svrq..SR. i
network_priority     NETPRTY  IACH_NETWORK_PRIORITY   0..9               0        .......R. i
nonpersistent_speed  NPMSPEED IACH_NPM_SPEED          @speed             FAST     svrq..SR. i
password             PASSWORD CACH_PASSWORD           12                 -        sv.qc.S.. ix
port                 PORT     IACH_PORT               1..65535           5672     ........a i
property_control     PROPCTL  IA_PROPERTY_CONTROL     @channel_properties COMPAT  sv....SR. i
put_authority        PUTAUT   IACH_PUT_AUTHORITY      @put_authority     DEF      ..rq...R. i
qmgr_name            QMNAME   CA_Q_MGR_NAME           48                 -        ....c.... i
receive_exit_data    RCVDATA  CACH_RCV_EXIT_USER_DATA list32x8           -        svrqcnSR. i
receive_exit         RCVEXIT  CACH_RCV_EXIT_NAME      list128x8          -        svrqcnSR. i
reset_sequence       RESETSEQ IACH_RESET_REQUESTED    0..999999999|@reset NO    svrq..SR. s
security_exit_data   SCYDATA  CACH_SEC_EXIT_USER_DATA 32                 -        svrqcnSR. i
security_exit        SCYEXIT  CACH_SEC_EXIT_NAME      128                -        svrqcnSR. i
send_exit_data       SENDDATA CACH_SEND_EXIT_USER_DATA list32x8          -        svrqcnSR. i
send_exit            SENDEXIT CACH_SEND_EXIT_NAME     list128x8          -        svrqcnSR. i
sequence_wrap        SEQWRAP  IACH_SEQUENCE_NUMBER_WRAP 100..999999999   999999999 svrq..SR. i
shared_conversations SHARECNV IACH_SHARING_CONVERSATIONS 0..999999999    10       ....c.... i
shared_conversations SHARECNV IACH_SHARING_CONVERSATIONS 0..999999999    10       .....n...
short_retries        SHORTRTY IACH_SHORT_RETRY        0..999999999       10       sv....SR. i
short_retry_s        SHORTTMR IACH_SHORT_TIMER        0..999999999       60       sv....SR. i
client_authentication SSLCAUTH IACH_SSL_CLIENT_AUTH   @client_auth       REQUIRED .vrq...Ra i
client_authentication SSLCAUTH IACH_SSL_CLIENT_AUTH   @client_auth       REQUIRED .....n...
cipher               SSLCIPH  CACH_SSL_CIPHER_SPEC    64                 -        svrqc.SRa i
cipher               SSLCIPH  CACH_SSL_CIPHER_SPEC    64                 -        .....n...
ssl_peer             SSLPEER  CACH_SSL_PEER_NAME      1024               -        svrqc.SRa i
ssl_peer             SSLPEER  CACH_SSL_PEER_NAME      1024               -        .....n...
statistics           STATCHL  IA_STATISTICS_CHANNEL   @monitoring        QMGR     svrq..SR. i
topic_root           TPROOT   CACH_TOPIC_ROOT         128  SYSTEM.BASE.TOPIC  ........a i
temporary_model      TMPMODEL CACH_TEMPORARY_MODEL_Q  name48  SYSTEM.DEFAULT.MODEL.QUEUE ........a i
temporary_prefix     TMPQPRFX CACH_TEMPORARY_Q_PREFIX 33                 AMQP.*   ........a i
tp_name              TPNAME   CACH_TP_NAME            64                 -        sv.qc.SR. i
transport            TRPTYPE  IACH_XMIT_PROTOCOL_TYPE @transport         TCP      svrqcnSR. i
use_client_id        USECLTID IACH_USE_CLIENT_ID      @yes               NO       ........a i
use_dead_letter      USEDLQ   IA_USE_DEAD_LETTER_Q    @channel_dlq       YES      svrq..SR. i
user                 USERID   CACH_USER_ID            12                 -        sv.qc.S.. i
transmission_queue   XMITQ    CACH_XMIT_Q_NAME        name48             -        sv....... i
"""
