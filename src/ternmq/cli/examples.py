"""Examples of every command, as `--help` shows them: a line to type, then what it does.

What stands before a | makes the input. Tests parse each line by its command's own options.
"""

from __future__ import annotations

from typing import Final

_TABLE: Final = """
crtmqm --dev QM1 ; create a queue manager with queues and channels to try things out
crtmqm -q -lp 10 QM1 ; create the default queue manager, with ten primary log files
dltmqm QM1 ; delete a queue manager that has ended
strmqm QM1 ; start it
strmqm --metrics-port 9157 QM1 ; start it, with metrics for Prometheus
endmqm QM1 ; end it when all applications have disconnected
endmqm -w QM1 ; the same, and wait until it has ended
endmqm -i QM1 ; end it now
ternmq run QM1 ; run it in the foreground, for containers and systemd
dspmq ; show all queue managers
dspmq -m QM1 -o all --json ; everything about one, as JSON
dspmqver ; show the version
dspmqver -b -f 2 ; only the number
dspmqinf QM1 ; show where it is and how it is configured
dspmqinf -o command QM1 ; the addmqinf command that another machine needs
addmqinf -s QueueManager -v Name=QM1 -v Directory=QM1 -v DataPath=/shared/QM1 ; make one known here
rmvmqinf QM1 ; forget it on this machine, its data stays
dspmqinst ; show installations
setmqm -m QM1 -n Installation1 ; give a queue manager to an installation
setmqaut -m QM1 -n 'DEV.**' -t queue -p app +get +put ; let a user get and put
setmqaut -m QM1 -t qmgr -g staff +connect +inq ; let a group connect
dspmqaut -m QM1 -n DEV.QUEUE.1 -t queue -p app ; what a user may do with a queue
dmpmqaut -m QM1 ; list all authority records
dmpmqaut -m QM1 -a ; list them as setmqaut commands
ternmq top QM1 ; watch queues, connections and channels
ternmq top QM1 --json ; print them once
ternmq groups -m QM1 INVOICES --incomplete ; show groups that lack a message
ternmq groups -m QM1 INVOICES --remove 414D51 ; remove the group whose identifier begins so
ternmq passwd -m QM1 app ; set the password of a user, which is asked for
ternmq passwd -m QM1 -l ; list users
echo 'DISPLAY QLOCAL(*) CURDEPTH' | runmqsc QM1 ; run a command
runmqsc -f objects.mqsc QM1 ; run the commands of a file
runmqsc -v -f objects.mqsc QM1 ; only check them
dmpmqcfg -m QM1 -a ; write all definitions as MQSC
dmpmqcfg -m QM1 -t queue -n 'ORDERS*' -o 1line ; those of some queues, one on a line
strmqcsv QM1 ; start the command server
endmqcsv -i QM1 ; end it now
dspmqcsv QM1 ; show whether it runs
runmqlsr -m QM1 -p 1414 ; listen for clients and channels until Ctrl-C
endmqlsr -m QM1 ; end what runmqlsr started
mqrc 2035 ; what a reason code means
mqrc AMQ8147 ; what a message means
dmpmqmsg -m QM1 -i ORDERS -f orders.txt ; copy messages to a file
dmpmqmsg -m QM1 -I ORDERS -o ORDERS.OLD ; move messages to another queue
dmpmqmsg -m QM1 -f orders.txt -o ORDERS ; put the messages of a file
qtune -m QM1 ; show the buffers of queues
qtune -m QM1 -p 1M ORDERS ; let a queue keep more persistent messages in memory
dmpmqlog -m QM1 --count 20 --brief ; show log records of a queue manager that has ended
rcdmqimg -m QM1 -t ql 'ORDERS*' ; write media images of queues to a linear log
rcrmqobj -m QM1 -t ql ORDERS ; recreate a queue from its image
dspmqfls -m QM1 ORDERS ; show the files of a queue
dspmqtrn -m QM1 ; show units of work in doubt
rsvmqtrn -m QM1 -c 1234 ; commit one of them
rsvmqtrn -m QM1 -b --user app ; back out all of a user
dspmqrte -m QM1 -q ORDERS ; show the way of a message to a queue
runmqdlq -f rules.txt QM1.DLQ QM1 ; work through a dead-letter queue by rules
runmqchi -m QM1 ; start channels when messages for them arrive
runmqchl -m QM1 -c TO.QM2 ; run a channel until it ends
runmqtrm -m QM1 -q INIT.QUEUE ; start programs when messages arrive
strmqtrc -m QM1 ; trace a queue manager
endmqtrc -m QM1 ; end the trace
dspmqtrc -o trace.txt trace.TRC ; format a trace for people
ternmq smf dump records.smf ; show SMF records
ternmq smf csv records.smf -o tables ; write them as CSV files
ternmq pipeline init project ; make a project for the pipeline
ternmq pipeline run project --smf dumps ; make tables of SMF dumps
ternmq lake find warehouse -q ORDERS --text chair ; find messages
ternmq replay warehouse --to ORDERS -m QM1 --dry-run ; see what would be put back
ternmq report html dumps -o report.html ; a page about queue managers
ternmq perf run --quick ; a short run of the regression suite
ternmq perf compare runs/new runs/old ; compare two runs
echo 'a chair' | amqsput ORDERS QM1 ; put a message
echo 'a chair' | amqsputc ORDERS QM1 ; put a message over the network, by MQSERVER
amqsget ORDERS QM1 ; get messages
amqsgetc ORDERS QM1 ; get messages over the network
amqsbcg ORDERS QM1 ; show messages with all fields, and leave them
amqsbcgc ORDERS QM1 ; the same over the network
amqsgbr ORDERS QM1 ; show the data of messages, and leave them
amqsgbrc ORDERS QM1 ; the same over the network
echo 'how much?' | amqsreq PRICES QM1 ; send a request and show its reply
amqsech "$MQTMC2" ; a trigger monitor starts it with this argument
amqsinq "$MQTMC2" ; a trigger monitor starts it with this argument
amqsset "$MQTMC2" ; a trigger monitor starts it with this argument
echo 'rain' | amqspub weather/oslo QM1 ; publish
echo 'rain' | amqspubc weather/oslo QM1 ; publish over the network
amqssub 'weather/#' QM1 ; show publications
amqssubc 'weather/#' QM1 ; show publications over the network
amqsrua -m QM1 -c CPU -t SystemSummary -n 1 ; show one publication about the processors
amqsevt -m QM1 -q SYSTEM.ADMIN.QMGR.EVENT ; show event messages
amqsmon -m QM1 -t statistics -q ORDERS ; show statistics of a queue
"""


def _by_command() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for row in _TABLE.strip().splitlines():
        line, _, about = row.partition(" ; ")
        found.setdefault(command_of(line)[0], []).append((line, about))
    return found


def command_of(line: str) -> tuple[str, str]:
    """The name of the command in an example, and its arguments as written."""
    name, _, rest = line.rpartition("| ")[2].removeprefix("ternmq ").partition(" ")
    return name, rest


EXAMPLES: Final[dict[str, list[tuple[str, str]]]] = _by_command()


def examples_text(name: str) -> str:
    """The end of a command's help."""
    rows = EXAMPLES.get(name, [])
    if not rows:
        return ""
    width = max(len(line) for line, _ in rows)
    head = "example:" if len(rows) == 1 else "examples:"
    return "\n".join([head, *(f"  {line:<{width}}  {about}" for line, about in rows)])
