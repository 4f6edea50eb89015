"""The words that stand for numbers in attributes: a set of them a row, as MQSC writes them, with
the numbers of MQINQ and PCF. Several sets say the same word of different numbers."""

from typing import Final

WORD_SETS: Final = """
address              IPV4=0 IPV6=1
affinity             NONE=0 PREFERRED=1
application          UNIX=6 AIX=6 DEF=6 CICS=1 MVS=2 IMS=3 OS2=4 DOS=5 OS400=8 WINDOWS=9
application          WINDOWSNT=11 VMS=12 NSK=13 VOS=14 NOTESAGENT=22 USER=25
authenticate         OS=0 PAM=1
authority            NONE=0 ALTUSR=1 BROWSE=2 CHG=3 CLR=4 CONNECT=5 CRT=6 DLT=7 DSP=8 GET=9 INQ=10
authority            PUT=11 PASSALL=12 PASSID=13 SET=14 SETALL=15 SETID=16 CTRL=17 CTRLX=18 PUB=19
authority            SUB=20 RESUME=21 SYSTEM=22 ALL=-1 ALLADM=-2 ALLMQI=-3
authorize            OS=0 SEARCHGRP=1 SEARCHUSR=2 SRCHGRPSN=3
auto                 AUTO=-1
bind                 OPEN=0 NOTFIXED=1 GROUP=2
cap_parent           NOLIMIT=-1 ASPARENT=-2
ccsid                ASPUB=-4
cert_policy          ANY=0 RFC5280=1 NONE=2
channel_dlq          NO=1 YES=2
channel_properties   COMPAT=0 NONE=1 ALL=2
check                OPTIONAL=0 NONE=1 REQDADM=2 REQUIRED=3
check_local          OPTIONAL=0 NONE=1 REQDADM=2 REQUIRED=3
client_auth          REQUIRED=0 OPTIONAL=1
cluster_monitoring   NONE=-1 QMGR=-3 OFF=0 LOW=17 MEDIUM=33 HIGH=65
cluster_queue        SCTQ=0 CHANNEL=1
cluster_route        DIRECT=0 TOPICHOST=1 NONE=2
cluster_use          QMGR=-3 LOCAL=0 ANY=1
compression          NONE=0 RLE=1 ZLIBFAST=2 ZLIBHIGH=4 LZ4FAST=16 LZ4HIGH=32 ANY=268435455
control              QMGR=0 STARTONLY=1 MANUAL=2
definition           PREDEFINED=1 PERMDYN=2 TEMPDYN=3
deliver              ASPARENT=0 ALL=1 ALLDUR=2 ALLAVAIL=3
delivery             PRIORITY=0 FIFO=1
destination          MANAGED=1 PROVIDED=2
durable              YES=1 NO=2
durable_parent       ASPARENT=0 YES=1 NO=2
dynamic              PERMDYN=2 TEMPDYN=3
enabled              ENABLED=0 DISABLED=1
encoding             ASPUB=-1 NORMAL=273 REVERSED=546 S390=785 TNS=1041
entity               PRINCIPAL=1 GROUP=2
exception            DISABLED=0 ENABLED=1 EXCEPTION=2
file_size            DEFAULT=-1
harden               NOHARDENBO=0 HARDENBO=1
header_compression   NONE=0 SYSTEM=8
history              NONE=0 ALL=-1
image                NO=0 YES=1 QMGR=2
inhibit_parent       ASPARENT=0 DISABLED=1 ENABLED=2
input_open           SHARED=2 EXCL=4
level                NONE=-1 OFF=0 LOW=17 MEDIUM=33 HIGH=65
listener_transport   TCP=2
mca_type             PROCESS=1 THREAD=2
monitoring           QMGR=-3 OFF=0 LOW=17 MEDIUM=33 HIGH=65
multicast            ASPARENT=0 ENABLED=1 DISABLED=2 ONLY=3
multicast_properties ALL=-1 NONE=0 USER=1 REPLY=2 COMPAT=-2
nodisplay            DISABLED=0 ENABLED=1 NODISPLAY=3
nolimit              NOLIMIT=-1
np_class             NORMAL=0 HIGH=10
object               QUEUE=1 NAMELIST=2 PROCESS=3 QMGR=5 CHANNEL=6 AUTHINFO=7 TOPIC=8 COMMINFO=9
object               LISTENER=11 SERVICE=12 CLNTCONN=1014 RQMNAME=1017
off                  OFF=0
off_on               OFF=0 ON=1
off_on_none          OFF=0 ON=1 NONE=-1
on_request           YES=1 NO=2
otel                 QMGR=0 OFF=1 ON=2 NONE=3
otel_context         QMGR=0 MANUAL=1 AUTO=2
otel_parent          OFF=1 ON=2 NONE=3 ASPARENT=4
otel_parent_context  MANUAL=1 AUTO=2 ASPARENT=3
otel_qmgr            OFF=1 ON=2 NONE=3
otel_qmgr_context    MANUAL=1 AUTO=2
persistence_parent   ASPARENT=-1 NO=0 YES=1
platform             UNIX=3 WINDOWSNT=11 OS400=4 MVS=1 APPLIANCE=28
priority_parent      ASPARENT=-2
properties           COMPAT=0 NONE=1 ALL=2 FORCE=3 V6COMPAT=4
proxy                FORCE=1 FIRSTUSE=2
publish_priority     ASPUB=-3 ASQDEF=-1
pubsub               DISABLED=0 COMPAT=1 ENABLED=2
pubsub_properties    NONE=0 COMPAT=1 RFH2=2 MSGPROP=3
put_authority        DEF=1 CTX=2
qmgr_control         QMGR=0 MANUAL=2
queue_switch         QMGR=-3 OFF=0 ON=1
read_ahead           NO=0 YES=1 DISABLED=2
reconnect            NO=0 YES=1 QMGR=2 DISABLED=3
recording            DISABLED=0 QUEUE=1 MSG=2
reset                NO=0
response             SYNC=1 ASYNC=2
response_parent      ASPARENT=0 SYNC=1 ASYNC=2
responses            NORMAL=0 SAFE=1 DISCARD=2 KEEP=3
retain               NONE=0 CURSORS=1 AGE=2 SIZE=3
rule                 BLOCKUSER=1 BLOCKADDR=2 SSLPEERMAP=3 ADDRESSMAP=4 USERMAP=5 QMGRMAP=6
rule_check           NONE=1 REQDADM=2 REQUIRED=3 ASQMGR=4
schedule             MANUAL=0 AUTO=1
scope                QMGR=1 CELL=2
scope_parent         ALL=0 ASPARENT=1 QMGR=4
secure               NO=0 YES=1 ANON=2
selector             NONE=0 STANDARD=1 EXTENDED=2
service              COMMAND=0 SERVER=1
service_event        NONE=0 HIGH=1 OK=2
share                NOSHARE=0 SHARE=1
speed                NORMAL=1 FAST=2
stream               BESTEF=0 MUSTDUP=1
subscription         API=1 ADMIN=2 PROXY=3
subscription_scope   QMGR=1 ALL=2
suite_b              NONE=1 128_BIT=2 192_BIT=4
switch               DISABLED=0 ENABLED=1
syncpoint            NOSYNCPT=0 SYNCPT=1
syncpoint_use        YES=0 IFPER=1
target               QUEUE=1 TOPIC=8
transport            LU62=1 TCP=2 NETBIOS=3 SPX=4
trigger              NOTRIGGER=0 TRIGGER=1
trigger_type         NONE=0 FIRST=1 EVERY=2 DEPTH=3
undelivered          DISCARD=2 KEEP=3
unlimited            UNLIMITED=-1
usage                NORMAL=0 XMITQ=1
use                  LOCAL=0 ANY=1
use_dlq              ASPARENT=0 NO=1 YES=2
user_source          MAP=0 NOACCESS=1 CHANNEL=2
variable_user        FIXED=1 ANY=2
wildcard             BLOCK=1 PASSTHRU=2
wildcard_schema      CHAR=1 TOPIC=2
yes                  NO=0 YES=1
"""
