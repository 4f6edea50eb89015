"""The attributes of all other objects and of security records, one row each, in the order in which
DISPLAY shows them. `attributes` says what the columns mean."""

from typing import Final

TOPICS: Final = """
topic_string         TOPICSTR CA_TOPIC_STRING         10240              -        * f
description          DESCR    CA_TOPIC_DESC           64                 -        *
cluster              CLUSTER  CA_CLUSTER_NAME         name48             -        * i
cluster_route        CLROUTE  IA_CLUSTER_PUB_ROUTE    @cluster_route     DIRECT   * i
durable_allowed      DURSUB   IA_DURABLE_SUB          @durable_parent    ASPARENT *
publish              PUB      IA_INHIBIT_PUB          @inhibit_parent    ASPARENT *
subscribe            SUB      IA_INHIBIT_SUB          @inhibit_parent    ASPARENT *
default_persistence  DEFPSIST IA_TOPIC_DEF_PERSISTENCE @persistence_parent ASPARENT *
default_priority     DEFPRTY  IA_DEF_PRIORITY         0..9|@priority_parent ASPARENT *
default_response     DEFPRESP IA_DEF_PUT_RESPONSE_TYPE @response_parent  ASPARENT *
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        * s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        * s
persistent_delivery  PMSGDLV  IA_PM_DELIVERY          @deliver           ASPARENT *
nonpersistent_delivery NPMSGDLV IA_NPM_DELIVERY       @deliver           ASPARENT *
publish_scope        PUBSCOPE IA_PUB_SCOPE            @scope_parent      ASPARENT * i
subscribe_scope      SUBSCOPE IA_SUB_SCOPE            @scope_parent      ASPARENT * i
proxy_subscriptions  PROXYSUB IA_PROXY_SUB            @proxy             FIRSTUSE * i
wildcard             WILDCARD IA_WILDCARD_OPERATION   @wildcard          PASSTHRU *
durable_model        MDURMDL  CA_MODEL_DURABLE_Q      name48             -        *
nondurable_model     MNDURMDL CA_MODEL_NON_DURABLE_Q  name48             -        *
multicast            MCAST    IA_MULTICAST            @multicast         ASPARENT *
communication        COMMINFO CA_COMM_INFO_NAME       name48             -        *
use_dead_letter      USEDLQ   IA_USE_DEAD_LETTER_Q    @use_dlq           ASPARENT *
custom               CUSTOM   CA_CUSTOM               128                -        *
cap_expiry           CAPEXPRY IA_CAP_EXPIRY           0..999999999|@cap_parent ASPARENT *
telemetry_context    OTELPCTL IA_OTEL_PROPAGATION_CONTROL @otel_parent_context ASPARENT * i
telemetry            OTELTRAC IA_OTEL_TRACE           @otel_parent       ASPARENT * i
"""

SUBSCRIPTIONS: Final = """
subscription_id      SUBID    BACF_SUB_ID             hex48              -        * s
topic_string         TOPICSTR CA_TOPIC_STRING         10240              -        * f
topic_object         TOPICOBJ CA_TOPIC_NAME           name48             -        * f
destination          DEST     CACF_DESTINATION        name48             -        *
destination_qmgr     DESTQMGR CACF_DESTINATION_Q_MGR  name48             -        *
destination_correlation DESTCORL BACF_DESTINATION_CORREL_ID hex48        -        *
destination_class    DESTCLAS IACF_DESTINATION_CLASS  @destination       PROVIDED * f
durable              DURABLE  IACF_DURABLE_SUBSCRIPTION @durable         YES      * s
subscribe_scope      SUBSCOPE IACF_SUBSCRIPTION_SCOPE @subscription_scope ALL     * fi
selector             SELECTOR CACF_SUB_SELECTOR       10240              -        * f
selector_type        SELTYPE  IACF_SELECTOR_TYPE      @selector          NONE     * s
user_data            USERDATA CACF_SUB_USER_DATA      10240              -        *
publish_accounting   PUBACCT  BACF_ACCOUNTING_TOKEN   hex64              -        *
publish_identity     PUBAPPID CACF_APPL_IDENTITY_DATA 32                 -        *
subscription_user    SUBUSER  CACF_SUB_USER_ID        12                 -        *
level                SUBLEVEL IACF_SUB_LEVEL          0..9               1        * f
wildcard_schema      WSCHEMA  IACF_WILDCARD_SCHEMA    @wildcard_schema   TOPIC    * f
subscription_type    SUBTYPE  IACF_SUB_TYPE           @subscription      ADMIN    * s
variable_user        VARUSER  IACF_VARIABLE_USER_ID   @variable_user     ANY      *
publish_priority     PUBPRTY  IACF_PUB_PRIORITY       0..9|@publish_priority ASPUB *
properties           PSPROP   IACF_PUBSUB_PROPERTIES  @pubsub_properties MSGPROP  *
expiry               EXPIRY   IACF_EXPIRY             0..999999999|@unlimited UNLIMITED *
on_request           REQONLY  IACF_REQUEST_ONLY       @on_request        NO       *
created_date         CRDATE   CA_CREATION_DATE        12                 -        * s
created_time         CRTIME   CA_CREATION_TIME        8                  -        * s
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        * s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        * s
"""

PROCESSES: Final = """
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        * s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        * s
application          APPLICID CA_APPL_ID              256                -        *
application_type     APPLTYPE IA_APPL_TYPE            0..999999999|@application UNIX *
description          DESCR    CA_PROCESS_DESC         64                 -        *
environment_data     ENVRDATA CA_ENV_DATA             128                -        *
user_data            USERDATA CA_USER_DATA            128                -        *
"""

NAMELISTS: Final = """
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        * s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        * s
description          DESCR    CA_NAMELIST_DESC        64                 -        *
name_count           NAMCOUNT IA_NAME_COUNT           0..256             0        * s
names                NAMES    CA_NAMES                list48x256         -        *
"""

LISTENERS: Final = """
control              CONTROL  IACH_LISTENER_CONTROL   @control           MANUAL   *
transport            TRPTYPE  IACH_XMIT_PROTOCOL_TYPE @listener_transport TCP     * f
port                 PORT     IACH_PORT               0..65535           0        *
address              IPADDR   CACH_IP_ADDRESS         48                 -        *
backlog              BACKLOG  IACH_BACKLOG            0..999999999       0        *
description          DESCR    CACH_LISTENER_DESC      64                 -        *
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        * s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        * s
"""

SERVICES: Final = """
control              CONTROL  IA_SERVICE_CONTROL      @control           MANUAL   *
service_type         SERVTYPE IA_SERVICE_TYPE         @service           COMMAND  *
start_command        STARTCMD CA_SERVICE_START_COMMAND 255               -        *
start_arguments      STARTARG CA_SERVICE_START_ARGS   255                -        *
stop_command         STOPCMD  CA_SERVICE_STOP_COMMAND 255                -        *
stop_arguments       STOPARG  CA_SERVICE_STOP_ARGS    255                -        *
standard_output      STDOUT   CA_STDOUT_DESTINATION   255                -        *
standard_error       STDERR   CA_STDERR_DESTINATION   255                -        *
description          DESCR    CA_SERVICE_DESC         64                 -        *
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        * s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        * s
"""

# the types are, in the order of their column, CRLLDAP, OCSP, IDPWOS and IDPWLDAP
AUTHENTICATION: Final = """
adopt_context        ADOPTCTX IA_ADOPT_CONTEXT        @yes               YES      ..I.
adopt_context        ADOPTCTX IA_ADOPT_CONTEXT        @yes               NO       ...L i
description          DESCR    CA_AUTH_INFO_DESC       64                 -        COIL
connection_name      CONNAME  CA_AUTH_INFO_CONN_NAME  264                -        C..L i
check_clients        CHCKCLNT IA_CHECK_CLIENT_BINDING @check             REQDADM  ..I.
check_clients        CHCKCLNT IA_CHECK_CLIENT_BINDING @check             REQUIRED ...L i
check_local          CHCKLOCL IA_CHECK_LOCAL_BINDING  @check_local       OPTIONAL ..I.
check_local          CHCKLOCL IA_CHECK_LOCAL_BINDING  @check_local       OPTIONAL ...L i
group_class          CLASSGRP CA_LDAP_GROUP_OBJECT_CLASS 128             -        ...L i
user_class           CLASSUSR CA_LDAP_USER_OBJECT_CLASS 128              -        ...L i
failure_delay_s      FAILDLAY IA_AUTHENTICATION_FAIL_DELAY 0..60         1        ..I.
failure_delay_s      FAILDLAY IA_AUTHENTICATION_FAIL_DELAY 0..60         1        ...L i
authentication_method AUTHENMD IA_AUTHENTICATION_METHOD @authenticate    OS       ..I. i
find_group           FINDGRP  CA_LDAP_FIND_GROUP_FIELD 128               -        ...L i
group_base           BASEDNG  CA_LDAP_BASE_DN_GROUPS  1024               -        ...L i
user_base            BASEDNU  CA_LDAP_BASE_DN_USERS   1024               -        ...L i
ldap_user            LDAPUSER CA_LDAP_USER_NAME       1024               -        C..L i
ldap_password        LDAPPWD  CA_LDAP_PASSWORD        256                -        C..L ix
short_user           SHORTUSR CA_LDAP_SHORT_USER_FIELD 128               -        ...L i
group_field          GRPFIELD CA_LDAP_GROUP_ATTR_FIELD 128               -        ...L i
user_field           USRFIELD CA_LDAP_USER_ATTR_FIELD 128                -        ...L i
authorization_method AUTHORMD IA_LDAP_AUTHORMD        @authorize         OS       ...L i
nested_groups        NESTGRP  IA_LDAP_NESTGRP         @yes               NO       ...L i
secure               SECCOMM  IA_LDAP_SECURE_COMM     @secure            NO       ...L i
responder            OCSPURL  CA_AUTH_INFO_OCSP_URL   256                -        .O.. i
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        COIL s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        COIL s
"""

COMMUNICATION: Final = """
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        * s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        * s
bridge               BRIDGE   IA_MCAST_BRIDGE         @switch            ENABLED  *
ccsid                CCSID    IA_CODED_CHAR_SET_ID    1..65535|@ccsid    ASPUB    *
communication_event  COMMEV   IA_COMM_EVENT           @exception         DISABLED *
description          DESCR    CA_COMM_INFO_DESC       64                 -        *
encoding             ENCODING IACF_ENCODING           0..999999999|@encoding ASPUB *
group_address        GRPADDR  CACH_GROUP_ADDRESS      264                239.0.0.0 *
heartbeat_ms         MCHBINT  IACH_MC_HB_INTERVAL     0..999999          2000     *
properties           MCPROP   IACH_MULTICAST_PROPERTIES @multicast_properties ALL *
monitor_s            MONINT   IA_MONITOR_INTERVAL     0..999999          60       *
history              MSGHIST  IACH_MSG_HISTORY        0..999999999       100      *
new_history          NSUBHIST IACH_NEW_SUBSCRIBER_HISTORY @history       NONE     *
port                 PORT     IACH_PORT               0..65535           1414     *
"""

CHANNEL_RULES: Final = """
profile              CHLAUTH  CACH_CHANNEL_NAME       20                 -        * f
rule_type            TYPE     IACF_CHLAUTH_TYPE       @rule              ADDRESSMAP * f
description          DESCR    CA_CHLAUTH_DESC         64                 -        *
custom               CUSTOM   CA_CUSTOM               128                -        *
ssl_peer             SSLPEER  CACH_SSL_PEER_NAME      1024               -        * f
ssl_issuer           SSLCERTI CA_SSL_CERT_ISSUER_NAME 1024               -        * f
address              ADDRESS  CACH_CONNECTION_NAME    264                -        * f
client_user          CLNTUSER CACH_CLIENT_USER_ID     64                 -        * f
qmgr_name            QMNAME   CA_Q_MGR_NAME           48                 -        * f
address_list         ADDRLIST CACH_CONNECTION_NAME_LIST list264x1000     -        *
user_list            USERLIST CACH_MCA_USER_ID_LIST   list64x100         -        *
mca_user             MCAUSER  CACH_MCA_USER_ID        64                 -        *
user_source          USERSRC  IACH_USER_SOURCE        @user_source       MAP      *
check_clients        CHCKCLNT IA_CHECK_CLIENT_BINDING @rule_check        ASQMGR   *
warn                 WARN     IACH_WARNING            @yes               NO       *
altered_date         ALTDATE  CA_ALTERATION_DATE      12                 -        * s
altered_time         ALTTIME  CA_ALTERATION_TIME      8                  -        * s
"""

AUTHORITIES: Final = """
profile              PROFILE  CACF_AUTH_PROFILE_NAME  48                 -        * f
entity               ENTITY   CACF_ENTITY_NAME        64                 -        * f
entity_type          ENTTYPE  IACF_ENTITY_TYPE        @entity            GROUP    * f
object_type          OBJTYPE  IACF_OBJECT_TYPE        @object            QUEUE    * f
authorities          AUTHLIST IACF_AUTHORIZATION_LIST words@authority    NONE     *
"""
