"""Which counter stands in which field of which SMF section: the one table.

    section  field  source, as in `source`; ROOTS names the class that it starts from

Fields that begin a section (identifier, length, eyecatcher) are the codec's. A field that has no
row has no counterpart here and is zero; docs/operations/smf.md lists those, from this table. A
number that a field has no room for is the largest it can hold.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ternmq.telemetry.source import Source

# What a section is made from, for readers of the table: names of `counter_views` and `snapshot`.
ROOTS: Final[dict[str, str]] = {
    "QSST": "StatisticsInterval",
    "QJST": "LogCounts",
    "QMST": "QmgrFigures",
    "QIST": "QmgrFigures",
    "QLST": "QmgrFigures",
    "Q5ST": "StatisticsInterval",
    "QEST": "StatisticsInterval",
    "QTST": "StatisticsInterval",
    "QSPH": "PoolView",
    "QSGM": "StorageView",
    "QSRS": "StorageView",
    "QPST": "StorageView",
    "QIS1": "StorageView",
    "QQST": "QueueView",
    "QCCT": "InitiatorView",
    "QCTDSP": "InitiatorSample",
    "QWHC": "TaskView",
    "QWAC": "TaskView",
    "QMAC": "TaskView",
    "WTID": "TaskView",
    "WTAS": "TaskView",
    "WQ": "TaskQueueView",
    "QCST": "ChannelView",
}

_TABLE: Final = """
QJST qjstwrnw records
QJST qjstwrf force_requests
QJST qjstwtb space_waits
QJST qjstbffl blocks
QJST qjstbfwr writes
QJST qjstllcp checkpoints
QJST qjstlogw writes
QJST qjstciwr blocks
QJST qjstio[0].qjstiocount one_block_writes
QJST qjstio[0].qjstioci one_block_writes
QJST qjstio[0].qjstiototio one_block_ns :tod
QJST qjstio[0].qjstiomaxio one_block_longest_ns :tod
QJST qjstio[0].qjstiomaxioT one_block_longest_at_ns :clock
QJST qjstio[1].qjstiocount writes - one_block_writes
QJST qjstio[1].qjstioci blocks - one_block_writes
QJST qjstio[1].qjstiototio io_ns - one_block_ns :tod
QJST qjstio[1].qjstiomaxio larger_longest_ns :tod
QJST qjstio[1].qjstiomaxioT larger_longest_at_ns :clock
QJST qjstiosqu1 io_us_squared
QJST qjstcp1n extents_begun

QMST qmstopen opens + failed_opens
QMST qmstclos closes + failed_closes
QMST qmstget traffic.gets + traffic.browses + traffic.failed_gets + traffic.failed_browses
QMST qmstput traffic.puts + traffic.failed_puts
QMST qmstput1 traffic.put1s + traffic.failed_put1s
QMST qmstinq inquires + failed_inquires
QMST qmstset sets + failed_sets
QMST qmstendw ended_waits
QMST qmstcalh handles_closed_for
QMST qmstsub topics.counts.subscribes + topics.counts.failed_subscribes
QMST qmstsubr topics.counts.requests + topics.counts.failed_requests
QMST qmstpubs topics.counts.published
QMST qmstcb callbacks + failed_callbacks
QMST qmstctl controls + failed_controls
QMST qmststus statuses + failed_statuses
QMST qmstspp traffic.persistent_puts.count + traffic.persistent_put1s.count
QMST qmstsnp traffic.plain_puts.count + traffic.plain_put1s.count
QMST qmstpbp traffic.persistent_puts.total + traffic.persistent_put1s.total
QMST qmstnbp traffic.plain_puts.total + traffic.plain_put1s.total

QIST qistmget traffic.gets + traffic.browses
QIST qistmput traffic.puts + traffic.put1s
QIST qistmblr browse_locks
QIST qistdcre objects_created
QIST qistdput objects_altered
QIST qistddel objects_deleted
QIST qistgetd segment_reads
QIST qistgetb traffic.gets - segment_reads :floor

QLST qlstgetl browse_locks
QLST qlstrell locks_released

QTST qtststot figures.topics.counts.subscribes
QTST qtstsdur figures.topics.counts.durable_subscribes
QTST qtstshig1 figures.topics.api_high
QTST qtstshig2 figures.topics.admin_high
QTST qtstslow1 figures.topics.api_low
QTST qtstslow2 figures.topics.admin_low
QTST qtstsexp figures.topics.expired
QTST qtsttmsg figures.topics.counts.published
QTST qtstsphw figures.topics.most_copies
QTST qtstptot1 figures.topics.counts.puts + figures.topics.counts.put1s
QTST qtstpnos figures.topics.unmatched

QSPH qsphstor bytes
QSPH qsphostor bytes_before
QSPH qsphname name
QSPH qsphflags flags

QSGM qsgmlvtot storage.process_bytes
QSGM qsgmlvnew storage.process_bytes - process_bytes_before
QSGM qsgmcsect program

QSRS qsrsabytes storage.process_bytes
QSRS qsrsphblgv storage.plain_bytes + storage.persistent_bytes

QPST qpstpool pool
QPST qpstnbuf storage.buffer_limit_bytes :pages
QPST qpstcbsl free_bytes_low :pages
QPST qpstcbs free_bytes :pages
QPST qpstrio storage.segments_read
QPST qpsttpw storage.bytes_written :pages
QPST qpstwio storage.segments_written
QPST qpstflags pool_flags

QIS1 qis1psno page_set
QIS1 qis1bpno pool
QIS1 qis1topg storage.segment_bytes :pages
QIS1 qis1dwpn storage.segments_written
QIS1 qis1dwpp storage.bytes_written :pages
QIS1 qis1getn storage.segments_read
QIS1 qis1getp storage.bytes_read :pages

QQST qqstqnam queue.name
QQST qqstflag flags
QQST qqstpsid page_set
QQST qqstbpid pool
QQST qqstdpth queue.depth
QQST qqstopct queue.open_output
QQST qqstipct queue.open_input
QQST qqstmage queue.oldest_age_s
QQST qqstqtst short_lay_ns :us
QQST qqstqtlt long_lay_ns :us
QQST qqstlput queue.last_put_ns :clock
QQST qqstlget queue.last_get_ns :clock
QQST qqstdphi figures.depth_high
QQST qqstdplo figures.depth_low
QQST qqstputs traffic.puts
QQST qqstput1 traffic.put1s
QQST qqstnppt traffic.plain_puts.count
QQST qqstppt traffic.persistent_puts.count
QQST qqstnpp1 traffic.plain_put1s.count
QQST qqstpp1 traffic.persistent_put1s.count
QQST qqstputb traffic.plain_puts.total + traffic.persistent_puts.total
QQST qqstpt1b traffic.plain_put1s.total + traffic.persistent_put1s.total
QQST qqstnppb traffic.plain_puts.total
QQST qqstppb traffic.persistent_puts.total
QQST qqstnp1b traffic.plain_put1s.total
QQST qqstp1b traffic.persistent_put1s.total
QQST qqstflpt traffic.failed_puts
QQST qqstflp1 traffic.failed_put1s
QQST qqstfptc traffic.handed_over_puts + traffic.handed_over_put1s
QQST qqstfptb traffic.handed_over_bytes
QQST qqststrm figures.streamed
QQST qqstmsmi put_sizes.smallest :floor
QQST qqstmsma put_sizes.largest
QQST qqstmsav put_sizes_mean
QQST qqstgets traffic.gets
QQST qqstnpdg traffic.plain_gets.count
QQST qqstpdg traffic.persistent_gets.count
QQST qqstgetb traffic.plain_gets.total + traffic.persistent_gets.total
QQST qqstnpdb traffic.plain_gets.total
QQST qqstpdb traffic.persistent_gets.total
QQST qqstbrws traffic.browses
QQST qqstnpbr traffic.plain_browses.count
QQST qqstpbr traffic.persistent_browses.count
QQST qqstbrwb traffic.plain_browses.total + traffic.persistent_browses.total
QQST qqstnpbb traffic.plain_browses.total
QQST qqstpbb traffic.persistent_browses.total
QQST qqstflgt traffic.failed_gets
QQST qqstnmag figures.gets_without_message
QQST qqsttmfg figures.gets_cut
QQST qqstflbr traffic.failed_browses
QQST qqstnmab figures.browses_without_message
QQST qqsttmfb figures.browses_cut
QQST qqstflgw figures.get_waits_failed
QQST qqstrdgw figures.get_waits_retried
QQST qqstflbw figures.browse_waits_failed
QQST qqstrdbw figures.browse_waits_retried
QQST qqstiphi figures.input_high
QQST qqstiplo figures.input_low
QQST qqstophi figures.output_high
QQST qqstoplo figures.output_low
QQST qqstopen figures.opens
QQST qqstclos figures.closes
QQST qqstinqr figures.inquires
QQST qqstset figures.sets
QQST qqstexpr figures.expired
QQST qqstrbpt figures.backed_out_puts
QQST qqstrbgt figures.backed_out_gets

QCCT qcctjobn job_name
QCCT qcctnocc initiator.channels_high
QCCT qcctmxcc initiator.channels_max
QCCT qcctnoac initiator.channels_high
QCCT qcctmxac initiator.active_max
QCCT qcctmxtp initiator.channels_max

QCTDSP qcttskn 1
QCTDSP qctreqn requests
QCTDSP qctchln channels

QWHC qwhclen 92
QWHC qwhcaid identity.user
QWHC qwhccn identity.application
QWHC qwhcopid identity.user
QWHC qwhcatyp connecting_system
QWHC qwhctokn identity.accounting_token

QWAC qwacbsc account.started_ns :clock
QWAC qwacesc record.ended_ns :clock
QWAC qwacejst verbs.cpu_ns :tod
QWAC qwaccomm account.commit.calls
QWAC qwacback account.back_out.calls
QWAC qwacasc verbs.elapsed_ns :tod
QWAC qwacajst verbs.cpu_ns :tod
QWAC qwacarna verbs.calls
QWAC qwacawtr verbs.read_ns :tod
QWAC qwacarnr verbs.reads
QWAC qwacalog verbs.force_wait_ns :tod
QWAC qwacalct verbs.force_waits

QMAC qmaccput verbs.cpu_ns :tod
QMAC qmacputa account.put_sizes.to_99
QMAC qmacputb account.put_sizes.to_999
QMAC qmacputc account.put_sizes.to_9999
QMAC qmacputd account.put_sizes.beyond
QMAC qmacgeta account.get_sizes.to_99
QMAC qmacgetb account.get_sizes.to_999
QMAC qmacgetc account.get_sizes.to_9999
QMAC qmacgetd account.get_sizes.beyond

WTID wtidatyp connecting_system
WTID wtidccn identity.application
WTID wtidopid identity.user
WTID wtidnid program_begins
WTID wtidcori program_ends
WTID wtidacct identity.accounting_token
WTID wtidchl identity.channel_name
WTID wtidchlc identity.connection_name
WTID wtidtran identity.user

WTAS wtasstrt account.started_ns :clock
WTAS wtasmthr correlator_high
WTAS wtaswtas correlator_low
WTAS wtasflag flags
WTAS wtaswqct block_count
WTAS wtassuet account.subscribe.elapsed_ns :tod
WTAS wtassuct account.subscribe.cpu_ns :tod
WTAS wtassun account.subscribe.calls
WTAS wtassqet account.request.elapsed_ns :tod
WTAS wtassqct account.request.cpu_ns :tod
WTAS wtassqn account.request.calls
WTAS wtasotet account.other.elapsed_ns + account.callback.elapsed_ns :tod
WTAS wtasotct account.other.cpu_ns + account.callback.cpu_ns :tod
WTAS wtasotn account.other.calls + account.callback.calls
WTAS wtascmet account.commit.elapsed_ns :tod
WTAS wtascmct account.commit.cpu_ns :tod
WTAS wtascmn account.commit.calls
WTAS wtasbaet account.back_out.elapsed_ns :tod
WTAS wtasbact account.back_out.cpu_ns :tod
WTAS wtasban account.back_out.calls
WTAS wtasjcet verbs.force_wait_ns :tod
WTAS wtasjcn verbs.force_waits
WTAS wtassusn verbs.suspensions
WTAS wtassuse verbs.suspended_ns :tod
WTAS wtasints account.since_ns :clock
WTAS wtasinte record.ended_ns :clock
WTAS wtasver 8
WTAS wtasctet account.control.elapsed_ns :tod
WTAS wtasctct account.control.cpu_ns :tod
WTAS wtasctn account.control.calls
WTAS wtasstet account.status.elapsed_ns :tod
WTAS wtasstct account.status.cpu_ns :tod
WTAS wtasstn account.status.calls
WTAS wtaspret account.prepare.elapsed_ns :tod
WTAS wtasprct account.prepare.cpu_ns :tod
WTAS wtasprn account.prepare.calls

WQ wqver 9
WQ correl correlator
WQ objname queue.open_name
WQ basename queue.base_name
WQ opentime queue.opened_ns :clock
WQ clostime queue.closed_ns :clock
WQ qtype queue.queue_type
WQ openet queue.open.elapsed_ns :tod
WQ openct queue.open.cpu_ns :tod
WQ openn queue.open.calls
WQ closeet queue.close.elapsed_ns :tod
WQ closect queue.close.cpu_ns :tod
WQ closen queue.close.calls
WQ getet queue.get.elapsed_ns :tod
WQ getct queue.get.cpu_ns :tod
WQ getn queue.get.calls
WQ getbrwa queue.browses_any
WQ getbrws queue.browses_specific
WQ geta queue.gets_any
WQ gets queue.gets_specific
WQ geterr traffic.failed_gets + traffic.failed_browses
WQ getpset queue.get.read_ns :tod
WQ getpsn queue.get.reads
WQ getsuset queue.get.suspended_ns :tod
WQ getsusn queue.get.suspensions
WQ getsmsg queue.skipped
WQ getexmsg queue.expired_met
WQ putet queue.put.elapsed_ns :tod
WQ putct queue.put.cpu_ns :tod
WQ putn queue.put.calls
WQ putsuset queue.put.suspended_ns :tod
WQ putsusn queue.put.suspensions
WQ put1et queue.put1.elapsed_ns :tod
WQ put1ct queue.put1.cpu_ns :tod
WQ put1n queue.put1.calls
WQ put1suset queue.put1.suspended_ns :tod
WQ put1susn queue.put1.suspensions
WQ inqet queue.inquire.elapsed_ns :tod
WQ inqct queue.inquire.cpu_ns :tod
WQ inqn queue.inquire.calls
WQ setet queue.set.elapsed_ns :tod
WQ setct queue.set.cpu_ns :tod
WQ setn queue.set.calls
WQ nps page_set
WQ nbuffpool pool
WQ putbytes put_sizes.total
WQ getbytes got_sizes.total
WQ validput put_sizes.count
WQ validget got_sizes.count
WQ ngen queue.generated
WQ getmaxms got_sizes.largest
WQ getminms got_sizes.smallest :least
WQ putmaxms put_sizes.largest
WQ putminms put_sizes.smallest :least
WQ maxlatnt lay.largest :tod
WQ minlatnt shortest_lay :tod
WQ totlatnt lay.total :tod
WQ use_count queue.handles
WQ total_use queue.handles_opened
WQ getpmsg traffic.persistent_gets.count
WQ putpmsg traffic.persistent_puts.count
WQ put1pmsg traffic.persistent_put1s.count
WQ maxqdpth queue.depth_high
WQ flags flags
WQ getdval traffic.gets
WQ getjcet queue.get.force_wait_ns :tod
WQ getjcn queue.get.force_waits
WQ putpwg traffic.handed_over_puts
WQ putjcet queue.put.force_wait_ns :tod
WQ putjcn queue.put.force_waits
WQ put1pwg traffic.handed_over_put1s
WQ put1jcet queue.put1.force_wait_ns :tod
WQ put1jcn queue.put1.force_waits
WQ setjcet queue.set.force_wait_ns :tod
WQ setjcn queue.set.force_waits
WQ opensuet queue.open.suspended_ns :tod
WQ opensun queue.open.suspensions
WQ closesuet queue.close.suspended_ns :tod
WQ closesun queue.close.suspensions
WQ selcount queue.selectors
WQ selmaxln queue.selector_bytes_max
WQ publishedn queue.published
WQ topicopensrb topic_open_ns :tod
WQ topicputsrb topic_put_ns :tod
WQ topicput1srb topic_put1_ns :tod
WQ topicclosesrb topic_close_ns :tod
WQ streamedn queue.streamed

QCST qcstcltm collected_ns :clock
QCST qcstchnm channel.name
QCST qcstchdp 4
QCST qcstchty channel.channel_type
QCST qcstchst channel.status
QCST qcststcl channel.statistics
QCST qcstcnnm channel.connection_name
QCST qcststrt channel.started_ns :clock
QCST qcstludt channel.stopped_ns :clock
QCST qcstlmst channel.last_message_ns :clock
QCST qcstcbsz channel.batch_size
QCST qcstnmsg channel.messages
QCST qcstnpmg channel.persistent_messages
QCST qcstbatc channel.batches
QCST qcstfuba channel.full_batches
QCST qcstbfst channel.buffers_sent
QCST qcstbfrc channel.buffers_received
QCST qcstcscv channel.conversations
QCST qcstnbyt channel.message_bytes
QCST qcstnpby channel.persistent_bytes
QCST qcstbyst channel.bytes_sent
QCST qcstbyrc channel.bytes_received
QCST qcstcpra channel.compression_rate
QCST qcstetav exit_mean_ns :us
QCST qcstetmn exit_shortest_us
QCST qcstetmx channel.exit_longest_ns :us
QCST qcstetdt channel.exit_longest_at_ns :clock
QCST qcstntav net_mean_ns :us
QCST qcstntmn net_shortest_us
QCST qcstntmx channel.net_longest_ns :us
QCST qcstntdt channel.net_longest_at_ns :clock
QCST qcstrqmn channel.remote_name
QCST qcstslcn channel.certificate_issuer
QCST qcstslcs cipher_code
QCST qcstptrc channel.put_retries
QCST qcstqetc channel.empty_queue
QCST qcstcbit channel.batch_interval_ms
QCST qcstcbdl channel.batch_kilobytes
QCST qcstdspn 1
"""


class SmfRow(NamedTuple):
    """One field; of a field in a group, `qjstio[1].qjstiocount`, the group and the number too."""

    field: str
    source: Source


def _parsed() -> dict[str, list[SmfRow]]:
    rows: dict[str, list[SmfRow]] = {}
    for line in _TABLE.splitlines():
        if line:
            section, field, source = line.split(maxsplit=2)
            rows.setdefault(section, []).append(SmfRow(field, Source(source)))
    return rows


ROWS: Final = _parsed()
