"""The attributes of queues and of the queue manager, one row each, in the order in which DISPLAY
shows them. `attributes` says what the columns mean."""

from typing import Final

QUEUES: Final = """
accounting           ACCTQ    IA_ACCOUNTING_Q         @queue_switch      QMGR     LM..
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        LMAR s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        LMAR s
backout_queue        BOQNAME  CA_BACKOUT_REQ_Q_NAME   name48             -        LM..
backout_threshold    BOTHRESH IA_BACKOUT_THRESHOLD    0..999999999       0        LM..
cap_expiry           CAPEXPRY IA_CAP_EXPIRY           1..999999999|@nolimit NOLIMIT LMAR
cluster_namelist     CLUSNL   CA_CLUSTER_NAMELIST     name48             -        L.AR i
cluster              CLUSTER  CA_CLUSTER_NAME         name48             -        L.AR i
cluster_channels     CLCHNAME CA_CLUS_CHL_NAME        20                 -        L... i
cluster_priority     CLWLPRTY IA_CLWL_Q_PRIORITY      0..9               0        L.AR i
cluster_rank         CLWLRANK IA_CLWL_Q_RANK          0..9               0        L.AR i
cluster_use          CLWLUSEQ IA_CLWL_USEQ            @cluster_use       QMGR     L... i
created_date         CRDATE   CA_CREATION_DATE        12                 -        LM.. s
created_time         CRTIME   CA_CREATION_TIME        8                  -        LM.. s
current_depth        CURDEPTH IA_CURRENT_Q_DEPTH      0..999999999       0        L... s
custom               CUSTOM   CA_CUSTOM               128                -        LMAR
default_bind         DEFBIND  IA_DEF_BIND             @bind              OPEN     L.AR i
default_priority     DEFPRTY  IA_DEF_PRIORITY         0..9               0        LMAR
default_persistence  DEFPSIST IA_DEF_PERSISTENCE      @yes               NO       LMAR
default_response     DEFPRESP IA_DEF_PUT_RESPONSE_TYPE @response         SYNC     LMAR
default_read_ahead   DEFREADA IA_DEF_READ_AHEAD       @read_ahead        NO       LMA.
default_input_open   DEFSOPT  IA_DEF_INPUT_OPEN_OPTION @input_open       SHARED   L...
default_input_open   DEFSOPT  IA_DEF_INPUT_OPEN_OPTION @input_open       EXCL     .M..
definition_type      DEFTYPE  IA_DEFINITION_TYPE      @definition        PREDEFINED L... s
definition_type      DEFTYPE  IA_DEFINITION_TYPE      @dynamic           TEMPDYN  .M..
description          DESCR    CA_Q_DESC               64                 -        LMAR
distribution_lists   DISTL    IA_DIST_LISTS           @yes               NO       LM.. m
get                  GET      IA_INHIBIT_GET          @enabled           ENABLED  LMA. m
harden_backout       HARDENBO IA_HARDEN_GET_BACKOUT   bare@harden        HARDENBO LM..
image_recover        IMGRCOVQ IA_MEDIA_IMAGE_RECOVER_Q @image            QMGR     LM..
initiation_queue     INITQ    CA_INITIATION_Q_NAME    name48             -        LM..
open_input_count     IPPROCS  IA_OPEN_INPUT_COUNT     0..999999999       0        L... s
max_depth            MAXDEPTH IA_MAX_Q_DEPTH          0..999999999       5000     LM..
max_file_megabytes   MAXFSIZE IA_MAX_Q_FILE_SIZE      20..267386880|@file_size DEFAULT LM..
max_message_length   MAXMSGL  IA_MAX_MSG_LENGTH       0..104857600       4194304  LM..
monitoring           MONQ     IA_MONITORING_Q         @monitoring        QMGR     LM..
delivery             MSGDLVSQ IA_MSG_DELIVERY_SEQUENCE @delivery         PRIORITY LM..
trigger              TRIGGER  IA_TRIGGER_CONTROL      bare@trigger       NOTRIGGER LM.. m
nonpersistent_buffer NPBUFFER -                       65536..1099511627776 1048576 LM..
nonpersistent_class  NPMCLASS IA_NPM_CLASS            @np_class          NORMAL   LM..
open_output_count    OPPROCS  IA_OPEN_OUTPUT_COUNT    0..999999999       0        L... s
telemetry_context    OTELPCTL IA_OTEL_PROPAGATION_CONTROL @otel_context  QMGR     LMAR i
telemetry            OTELTRAC IA_OTEL_TRACE           @otel              QMGR     LMAR i
persistent_buffer    PBUFFER  -                       65536..1099511627776 1048576 LM..
process              PROCESS  CA_PROCESS_NAME         name48             -        LM..
put                  PUT      IA_INHIBIT_PUT          @enabled           ENABLED  LMAR m
property_control     PROPCTL  IA_PROPERTY_CONTROL     @properties        COMPAT   LMA.
depth_high           QDEPTHHI IA_Q_DEPTH_HIGH_LIMIT   0..100             80       LM..
depth_low            QDEPTHLO IA_Q_DEPTH_LOW_LIMIT    0..100             20       LM..
depth_high_event     QDPHIEV  IA_Q_DEPTH_HIGH_EVENT   @switch            DISABLED LM..
depth_low_event      QDPLOEV  IA_Q_DEPTH_LOW_EVENT    @switch            DISABLED LM..
depth_max_event      QDPMAXEV IA_Q_DEPTH_MAX_EVENT    @switch            ENABLED  LM..
service_event        QSVCIEV  IA_Q_SERVICE_INTERVAL_EVENT @service_event NONE     LM..
service_interval     QSVCINT  IA_Q_SERVICE_INTERVAL   0..999999999       999999999 LM..
retain_age_s         RETAGE   -                       0..999999999       0        LM..
retain               RETAIN   -                       @retain            NONE     LM..
retention_hours      RETINTVL IA_RETENTION_INTERVAL   0..999999999       999999999 LM..
retain_megabytes     RETSIZE  -                       0..999999999       0        LM..
remote_queue         RNAME    CA_REMOTE_Q_NAME        name48             -        ...R u
remote_qmgr          RQMNAME  CA_REMOTE_Q_MGR_NAME    name48             -        ...R u
scope                SCOPE    IA_SCOPE                @scope             QMGR     L.AR i
selector             SELECTOR CACF_SUB_SELECTOR       10240              -        ..A.
shareable            SHARE    IA_SHAREABILITY         bare@share         SHARE    L... u
shareable            SHARE    IA_SHAREABILITY         bare@share         NOSHARE  .M..
statistics           STATQ    IA_STATISTICS_Q         @queue_switch      QMGR     LM..
stream_queue         STREAMQ  CA_STREAM_QUEUE_NAME    name48             -        LM..
stream_onward        STRMCHN  -                       @yes               NO       LM..
stream_quality       STRMQOS  IA_STREAM_QUEUE_QOS     @stream            BESTEF   LM..
target               TARGET   CA_BASE_OBJECT_NAME     name48             -        ..A. u
target_type          TARGTYPE IA_BASE_TYPE            @target            QUEUE    ..A. u
trigger_data         TRIGDATA CA_TRIGGER_DATA         64                 -        LM.. m
trigger_depth        TRIGDPTH IA_TRIGGER_DEPTH        1..999999999       1        LM.. m
trigger_priority     TRIGMPRI IA_TRIGGER_MSG_PRIORITY 0..9               0        LM.. m
trigger_type         TRIGTYPE IA_TRIGGER_TYPE         @trigger_type      FIRST    LM.. m
usage                USAGE    IA_USAGE                @usage             NORMAL   LM.. u
transmission_queue   XMITQ    CA_XMIT_Q_NAME          name48             -        ...R u
"""

QUEUE_MANAGER: Final = """
accounting_override  ACCTCONO IA_ACCOUNTING_CONN_OVERRIDE @switch        DISABLED *
accounting_interval_s ACCTINT IA_ACCOUNTING_INTERVAL  1..604800          1800     *
accounting_mqi       ACCTMQI  IA_ACCOUNTING_MQI       @off_on            OFF      *
accounting           ACCTQ    IA_ACCOUNTING_Q         @off_on_none       OFF      *
activity_recording   ACTIVREC IA_ACTIVITY_RECORDING   @recording         MSG      *
activity_override    ACTVCONO IA_ACTIVITY_CONN_OVERRIDE @switch          DISABLED *
activity_trace       ACTVTRC  IA_ACTIVITY_TRACE       @off_on            OFF      * i
advanced_capability  ADVCAP   IA_ADVANCED_CAPABILITY  @switch            DISABLED * s
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        * s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        * s
amqp_capability      AMQPCAP  IA_AMQP_CAPABILITY      @yes               NO       * s
authority_event      AUTHOREV IA_AUTHORITY_EVENT      @switch            DISABLED *
ccsid                CCSID    IA_CODED_CHAR_SET_ID    1..65535           1208     *
certificate_label    CERTLABL CA_CERT_LABEL           64                 -        *
certificate_policy   CERTVPOL IA_CERT_VAL_POLICY      @cert_policy       ANY      * i
auto_define          CHAD     IA_CHANNEL_AUTO_DEF     @switch            DISABLED *
auto_define_event    CHADEV   IA_CHANNEL_AUTO_DEF_EVENT @switch          DISABLED *
auto_define_exit     CHADEXIT CA_CHANNEL_AUTO_DEF_EXIT 128               -        *
channel_event        CHLEV    IA_CHANNEL_EVENT        @exception         DISABLED *
channel_rules        CHLAUTH  IA_CHLAUTH_RECORDS      @switch            ENABLED  *
workload_data        CLWLDATA CA_CLUSTER_WORKLOAD_DATA 32                -        * i
workload_exit        CLWLEXIT CA_CLUSTER_WORKLOAD_EXIT 128               -        * i
workload_length      CLWLLEN  IA_CLUSTER_WORKLOAD_LENGTH 0..999999999    100      * i
workload_channels    CLWLMRUC IA_CLWL_MRU_CHANNELS    1..999999999       999999999 * i
cluster_use          CLWLUSEQ IA_CLWL_USEQ            @use               LOCAL    * i
command_event        CMDEV    IA_COMMAND_EVENT        @nodisplay         DISABLED *
command_level        CMDLEVEL IA_COMMAND_LEVEL        0..999999999       940      * s
command_queue        COMMANDQ CA_COMMAND_INPUT_Q_NAME name48  SYSTEM.ADMIN.COMMAND.QUEUE * s
configuration_event  CONFIGEV IA_CONFIGURATION_EVENT  @switch            DISABLED *
authentication       CONNAUTH CA_CONN_AUTH  name48  SYSTEM.DEFAULT.AUTHINFO.IDPWOS *
created_date         CRDATE   CA_CREATION_DATE        12                 -        * s
created_time         CRTIME   CA_CREATION_TIME        8                  -        * s
custom               CUSTOM   CA_CUSTOM               128                -        *
dead_letter_queue    DEADQ    CA_DEAD_LETTER_Q_NAME   name48             -        *
default_cluster_transmission DEFCLXQ IA_DEF_CLUSTER_XMIT_Q_TYPE @cluster_queue SCTQ * i
default_transmission_queue DEFXMITQ CA_DEF_XMIT_Q_NAME name48            -        *
description          DESCR    CA_Q_MGR_DESC           64                 -        *
distribution_lists   DISTL    IA_DIST_LISTS           @yes               YES      * s
expiry_interval_s    EXPRYINT IA_EXPIRY_INTERVAL      1..99999999|@off   300      *
image_interval_minutes IMGINTVL IA_MEDIA_IMAGE_INTERVAL 1..999999999|@off 60      *
image_log_megabytes  IMGLOGLN IA_MEDIA_IMAGE_LOG_LENGTH 1..999999999|@off OFF     *
image_recover_objects IMGRCOVO IA_MEDIA_IMAGE_RECOVER_OBJ @yes           YES      *
image_recover_queues IMGRCOVQ IA_MEDIA_IMAGE_RECOVER_Q @yes              YES      *
image_schedule       IMGSCHED IA_MEDIA_IMAGE_SCHEDULING @schedule        MANUAL   *
inhibit_event        INHIBTEV IA_INHIBIT_EVENT        @switch            DISABLED *
initial_key          INITKEY  CA_INITIAL_KEY          256                -        * ix
address_version      IPADDRV  IA_IP_ADDRESS_VERSION   @address           IPV4     * i
local_event          LOCALEV  IA_LOCAL_EVENT          @switch            DISABLED *
logger_event         LOGGEREV IA_LOGGER_EVENT         @switch            DISABLED *
mark_interval_ms     MARKINT  IA_MSG_MARK_BROWSE_INTERVAL 0..999999999|@nolimit 5000 *
max_handles          MAXHANDS IA_MAX_HANDLES          1..999999999       256      *
max_message_length   MAXMSGL  IA_MAX_MSG_LENGTH       32768..104857600   4194304  *
max_properties_length MAXPROPL IA_MAX_PROPERTIES_LENGTH 0..104857600|@nolimit NOLIMIT *
max_priority         MAXPRTY  IA_MAX_PRIORITY         0..9               9        * s
max_uncommitted      MAXUMSGS IA_MAX_UNCOMMITTED_MSGS 1..999999999       10000    *
monitoring_clusters  MONACLS  IA_MONITORING_AUTO_CLUSSDR @cluster_monitoring QMGR * i
monitoring_channels  MONCHL   IA_MONITORING_CHANNEL   @level             OFF      *
monitoring           MONQ     IA_MONITORING_Q         @level             OFF      *
telemetry_context    OTELPCTL IA_OTEL_PROPAGATION_CONTROL @otel_qmgr_context MANUAL * i
telemetry            OTELTRAC IA_OTEL_TRACE           @otel_qmgr         OFF      * i
parent               PARENT   CA_PARENT               name48             -        * i
performance_event    PERFMEV  IA_PERFORMANCE_EVENT    @switch            DISABLED *
platform             PLATFORM IA_PLATFORM             @platform          UNIX     * s
pubsub_mode          PSMODE   IA_PUBSUB_MODE          @pubsub            ENABLED  *
pubsub_cluster       PSCLUS   IA_PUBSUB_CLUSTER       @switch            ENABLED  * i
pubsub_undelivered   PSNPMSG  IA_PUBSUB_NP_MSG        @undelivered       DISCARD  *
pubsub_responses     PSNPRES  IA_PUBSUB_NP_RESP       @responses         NORMAL   *
pubsub_retries       PSRTYCNT IA_PUBSUB_MAXMSG_RETRY_COUNT 0..999999999  5        *
pubsub_syncpoint     PSSYNCPT IA_PUBSUB_SYNC_PT       @syncpoint_use     IFPER    *
identity             QMID     CA_Q_MGR_IDENTIFIER     48                 -        * s
remote_event         REMOTEEV IA_REMOTE_EVENT         @switch            DISABLED *
repository           REPOS    CA_REPOSITORY_NAME      name48             -        * i
repository_namelist  REPOSNL  CA_REPOSITORY_NAMELIST  name48             -        * i
reverse_lookup       REVDNS   IA_REVERSE_DNS_LOOKUP   @enabled           ENABLED  *
route_recording      ROUTEREC IA_TRACE_ROUTE_RECORDING @recording        MSG      *
initiator_control    SCHINIT  IA_CHINIT_CONTROL       @qmgr_control      QMGR     *
command_server_control SCMDSERV IA_CMD_SERVER_CONTROL @qmgr_control      QMGR     *
protection_capability SPLCAP  IA_PROT_POLICY_CAPABILITY @switch          DISABLED * s
revocation_namelist  SSLCRLNL CA_SSL_CRL_NAMELIST     name48             -        * i
crypto_hardware      SSLCRYP  CA_SSL_CRYPTO_HARDWARE  256                -        * i
ssl_event            SSLEV    IA_SSL_EVENT            @switch            DISABLED *
fips_required        SSLFIPS  IA_SSL_FIPS_REQUIRED    @yes               NO       * i
key_repository_password KEYRPWD CA_SSL_KEY_REPO_PASSWORD 256             -        * x
key_repository       SSLKEYR  CA_SSL_KEY_REPOSITORY   256                -        *
key_reset_bytes      SSLRKEYC IA_SSL_RESET_COUNT      0..999999999       0        *
statistics_clusters  STATACLS IA_STATISTICS_AUTO_CLUSSDR @cluster_monitoring QMGR * i
statistics_channels  STATCHL  IA_STATISTICS_CHANNEL   @level             OFF      *
statistics_interval_s STATINT IA_STATISTICS_INTERVAL  0..604800          1800     *
statistics_mqi       STATMQI  IA_STATISTICS_MQI       @off_on            OFF      *
statistics           STATQ    IA_STATISTICS_Q         @off_on_none       OFF      *
start_stop_event     STRSTPEV IA_START_STOP_EVENT     @switch            ENABLED  *
suite_b              SUITEB   IA_SUITE_B_STRENGTH     words@suite_b      NONE     * i
syncpoint            SYNCPT   IA_SYNCPOINT            bare@syncpoint     SYNCPT   * s
tree_life_s          TREELIFE IA_TREE_LIFE_TIME       0..604000          1800     *
trigger_interval_ms  TRIGINT  IA_TRIGGER_INTERVAL     0..999999999       999999999 *
version              VERSION  CA_VERSION              8                  09040000 * s
telemetry_capability XRCAP    IA_XR_CAPABILITY        @yes               NO       * s
"""
