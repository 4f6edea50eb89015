"""The table of `ternmq top`: which command each view asks, what each column shows of the answers.

    [name of the view] title | the command | keywords that identify a row | first order
    column  title  kind  source ; what it is

The order is a column, with - in front for the largest first. A source is a keyword of the answers;
A+B is their sum, A/B a share of B. The view of the queue manager has more sources than its command
answers: `log.` what InquireLogStatus answers, `total.` sums over the other views. Kinds: text,
count, share, age (seconds), megabytes; rate, bytes (both a second, of a counter that only grows).
"""

from __future__ import annotations

from typing import Final, NamedTuple

TEXT: Final = "text"
COUNT: Final = "count"
SHARE: Final = "share"
AGE: Final = "age"
MEGABYTES: Final = "megabytes"
RATE: Final = "rate"
BYTES: Final = "bytes"
DESCENDING: Final = "-"

_TABLE: Final = """
[queues] Queues | DISPLAY QSTATUS(*) TYPE(QUEUE) CURDEPTH CURFSIZE IPPROCS OPPROCS UNCOM TOTALIN
    TOTALOUT OLDAGE | QUEUE | -depth
queue        Queue        text       QUEUE             ; name of a local queue
depth        Depth        count      CURDEPTH          ; messages, those of open units of work too
full         Full         share      CURDEPTH/MAXDEPTH ; depth as a share of MAXDEPTH
put_rate     Put/s        rate       TOTALIN           ; messages that arrived, a second
get_rate     Get/s        rate       TOTALOUT          ; messages that left, a second
oldest       Oldest       age        OLDAGE            ; how long the oldest message has waited
input        In           count      IPPROCS           ; handles open for input
output       Out          count      OPPROCS           ; handles open for output
uncommitted  Uncommitted  text       UNCOM             ; whether a unit of work is open on it
file_size    Files        megabytes  CURFSIZE          ; size of its messages
[connections] Connections | DISPLAY CONN(*) TYPE(CONN) APPLTAG USERID CHANNEL CONNAME PID UOWSTATE
    CALLS HANDLES | EXTCONN CONN | -call_rate
application  Application  text       APPLTAG           ; name that the application has given
user         User         text       USERID            ; user that it acts for
channel      Channel      text       CHANNEL           ; channel that a client came by
address      Address      text       CONNAME           ; where the client is
handles      Handles      count      HANDLES           ; objects that it has open
calls        Calls        count      CALLS             ; MQI calls, while accounting is on
call_rate    Calls/s      rate       CALLS             ; MQI calls a second
unit         Unit         text       UOWSTATE          ; state of its unit of work
process      Process      text       PID               ; number of its process
connection   Connection   text       CONN              ; identifier, as STOP CONN takes it
[channels] Channels | DISPLAY CHSTATUS(*) ALL | CHANNEL CONNAME JOBNAME CHSTADA CHSTATI | channel
channel      Channel      text       CHANNEL           ; name
type         Type         text       CHLTYPE           ; type of channel
status       Status       text       STATUS            ; status of this instance
substate     Doing        text       SUBSTATE          ; what it does at this moment
partner      Partner      text       RQMNAME           ; queue manager at the other end
address      Address      text       CONNAME           ; where the other end is
messages     Messages     count      MSGS              ; messages, or MQI calls of clients
message_rate Messages/s   rate       MSGS              ; the same, a second
sent         Sent/s       bytes      BYTSSENT          ; bytes sent, a second
received     Received/s   bytes      BYTSRCVD          ; bytes received, a second
queue        Queue        text       XMITQ             ; transmission queue
[queue_manager] Queue manager | DISPLAY QMSTATUS ALL | QMNAME | name
name         Name         text       QMNAME            ; queue manager
status       Status       text       STATUS            ; status of the queue manager
started      Started      text       STARTDA+STARTTI   ; when it was started
queues       Queues       count      total.queues      ; local queues that are shown
messages     Messages     count      total.depth       ; messages on them
put_rate     Put/s        rate       total.arrived     ; messages that arrived, a second
get_rate     Get/s        rate       total.left        ; messages that left, a second
connections  Connections  count      CONNS             ; connections
channels     Channels     count      total.channels    ; instances of channels that run
log_type     Log          text       LOGTYPE           ; circular or linear
log_used     Log used     share      log.used          ; what restart needs, of the primary files
log_records  Records/s    rate       log.records       ; records written to the log, a second
log_forces   Forces/s     rate       log.forces        ; times that the log was forced, a second
log_bytes    Written/s    bytes      log.written_bytes ; bytes written to the log, a second
commits      Commits/s    rate       log.commits       ; units of work committed, a second
backouts     Backouts/s   rate       log.backouts      ; units of work backed out, a second
checkpoints  Checkpoints  count      log.checkpoints   ; since the start
queue_files  Message size megabytes  total.megabytes   ; size of the messages on queues
data_disk    Data disk    megabytes  DATFSSZ           ; size of the file system with the queues
data_used    Data used    share      DATFSUSE          ; what of it is in use
log_disk     Log disk     megabytes  LOGFSSZ           ; size of the file system with the log
log_disk_used Log disk used share    LOGFSUSE          ; what of it is in use
"""


class Column(NamedTuple):
    """One figure of a view."""

    key: str
    title: str
    kind: str
    source: str
    about: str

    @property
    def is_rate(self) -> bool:
        """Whether it takes two samples."""
        return self.kind in (RATE, BYTES)

    @property
    def is_text(self) -> bool:
        """Whether it is compared and aligned as words."""
        return self.kind == TEXT


class View(NamedTuple):
    """One of the tables."""

    name: str
    title: str
    command: str
    identity: tuple[str, ...]  # keywords
    order: str  # key of a column
    descending: bool
    columns: tuple[Column, ...]

    def column(self, key: str) -> Column:
        """The column that has this key."""
        return next(one for one in self.columns if one.key == key)


def _column(line: str) -> Column:
    words, _, about = line.partition(";")
    key, *title, kind, source = words.split()
    return Column(key, " ".join(title), kind, source, about.strip())


def _view(text: str) -> View:
    head, *lines = text.replace("\n    ", " ").strip().splitlines()
    name, _, rest = head.partition("] ")
    title, command, identity, order = (part.strip() for part in rest.split("|"))
    return View(
        name,
        title,
        command,
        tuple(identity.split()),
        order.lstrip(DESCENDING),
        order.startswith(DESCENDING),
        tuple(_column(line) for line in lines),
    )


VIEWS: Final[tuple[View, ...]] = tuple(_view(text) for text in _TABLE.split("\n[")[1:])
BY_NAME: Final[dict[str, View]] = {view.name: view for view in VIEWS}
QUEUES, CONNECTIONS, CHANNELS, QUEUE_MANAGER = VIEWS
