import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.util.Arrays;

/** Segments: made by the application and by the queue manager, got one by one and as a whole. */
final class BaseSegments extends Cases {
    private static final int PUT = CMQC.MQPMO_NO_SYNCPOINT;
    private static final int GET = CMQC.MQGMO_NO_SYNCPOINT;
    private static final int COMPLETE = CMQC.MQGMO_COMPLETE_MSG | CMQC.MQGMO_NO_SYNCPOINT;
    private static final int LENGTH = 10_000;
    private static final int READ = BOTH | CMQC.MQOO_BROWSE;

    /** A queue of MAXMSGL(4096). */
    private MQQueue narrow(MQQueueManager connection, String which) throws Exception {
        return connection.accessQueue(named("SEGMENTS." + which), READ);
    }

    private static MQMessage divisible(int length) throws Exception {
        MQMessage made = bytes(pattern(length));
        made.messageFlags = CMQC.MQMF_SEGMENTATION_ALLOWED;
        return made;
    }

    private static MQMessage segment(byte[] data, int offset, int flags) throws Exception {
        MQMessage made = bytes(data);
        made.messageFlags = flags;
        Arrays.fill(made.groupId = new byte[24], (byte) 7);
        made.messageSequenceNumber = 1;
        made.offset = offset;
        return made;
    }

    @Case
    void queue_manager_divides_a_message_that_is_too_long() throws Exception {
        MQQueue own = narrow(connect(), "A");
        own.put(divisible(LENGTH), putting(PUT));
        byte[] whole = new byte[LENGTH];
        byte[] group = null;
        int at = 0;
        while (at < LENGTH) {
            MQMessage part = got(own, GET);
            byte[] data = data(part);
            holds(data.length <= 4096, "a segment fits the queue");
            equal(at, part.offset);
            equal(1, part.messageSequenceNumber);
            if (group != null) {
                same(group, part.groupId);
            }
            group = part.groupId.clone();
            System.arraycopy(data, 0, whole, at, data.length);
            at += data.length;
            int last = at == LENGTH ? CMQC.MQMF_LAST_SEGMENT : 0;
            int wanted = CMQC.MQMF_SEGMENT | last;
            equal(wanted, part.messageFlags & (CMQC.MQMF_SEGMENT | CMQC.MQMF_LAST_SEGMENT));
            if (last == 0) {
                equal(0, at % 16);
            }
        }
        same(pattern(LENGTH), whole);
        empty(own);
    }

    @Case
    void message_that_may_not_be_divided_is_2030() throws Exception {
        MQQueue own = narrow(connect(), "B");
        reason(CMQC.MQRC_MSG_TOO_BIG_FOR_Q, () -> own.put(bytes(pattern(LENGTH)), putting(PUT)));
        empty(own);
    }

    @Case
    void complete_message_is_whole() throws Exception {
        MQQueue own = narrow(connect(), "C");
        for (int persistence : new int[] {CMQC.MQPER_PERSISTENT, CMQC.MQPER_NOT_PERSISTENT}) {
            MQMessage sent = divisible(LENGTH);
            sent.persistence = persistence;
            own.put(sent, putting(PUT));
            MQGetMessageOptions options = getting(COMPLETE);
            MQMessage found = new MQMessage();
            own.get(found, options);
            same(pattern(LENGTH), data(found));
            equal(0, found.offset);
            equal(CMQC.MQSS_LAST_SEGMENT, options.segmentStatus);
            equal(persistence, found.persistence);
            empty(own);
        }
    }

    @Case
    void complete_message_with_properties_is_whole() throws Exception {
        MQQueue own = narrow(connect(), "D");
        MQMessage sent = divisible(LENGTH);
        sent.setStringProperty("colour", "red");
        sent.setIntProperty("size", 7);
        own.put(sent, putting(PUT));
        MQMessage found = got(own, COMPLETE | CMQC.MQGMO_PROPERTIES_IN_HANDLE);
        same(pattern(LENGTH), data(found));
        equal("red", found.getStringProperty("colour"));
        equal(7, found.getIntProperty("size"));
        empty(own);
    }

    @Case
    void complete_message_is_browsed() throws Exception {
        MQQueue own = narrow(connect(), "E");
        own.put(divisible(LENGTH), putting(PUT));
        same(pattern(LENGTH), data(got(own, COMPLETE | CMQC.MQGMO_BROWSE_FIRST)));
        same(pattern(LENGTH), data(got(own, COMPLETE)));
        empty(own);
    }

    @Case
    void short_buffer_leaves_the_whole_message() throws Exception {
        MQQueue own = narrow(connect(), "F");
        own.put(divisible(LENGTH), putting(PUT));
        MQMessage found = new MQMessage();
        reason(CMQC.MQRC_TRUNCATED_MSG_FAILED, () -> own.get(found, getting(COMPLETE), 5000));
        equal(LENGTH, found.getTotalMessageLength());
        int accepted = COMPLETE | CMQC.MQGMO_ACCEPT_TRUNCATED_MSG;
        MQMessage cut = new MQMessage();
        MQException warning =
                reason(CMQC.MQRC_TRUNCATED_MSG_ACCEPTED, () -> own.get(cut, getting(accepted), 5000));
        equal(CMQC.MQCC_WARNING, warning.completionCode);
        same(Arrays.copyOf(pattern(LENGTH), 5000), data(cut));
        empty(own);
    }

    @Case
    void segment_that_is_missing_makes_it_unavailable() throws Exception {
        MQQueue own = open(connect());
        own.put(segment(pattern(32), 0, CMQC.MQMF_SEGMENT), putting(PUT));
        own.put(segment(pattern(16), 64, CMQC.MQMF_LAST_SEGMENT), putting(PUT));
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(own, COMPLETE));
        int all = GET | CMQC.MQGMO_ALL_SEGMENTS_AVAILABLE;
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(own, all));
        own.put(segment(pattern(32), 32, CMQC.MQMF_SEGMENT), putting(PUT));
        equal(80, data(got(own, COMPLETE)).length);
        empty(own);
    }

    @Case
    void segments_by_logical_order_make_one_message() throws Exception {
        MQQueue own = open(connect());
        int ordered = CMQC.MQPMO_LOGICAL_ORDER | CMQC.MQPMO_NO_SYNCPOINT;
        for (int number = 0; number < 3; number++) {
            MQMessage part = bytes(Arrays.copyOfRange(pattern(96), 32 * number, 32 * number + 32));
            part.messageFlags = number < 2 ? CMQC.MQMF_SEGMENT : CMQC.MQMF_LAST_SEGMENT;
            own.put(part, putting(ordered));
            equal(32 * number, part.offset);
        }
        same(pattern(96), data(got(own, COMPLETE)));
        empty(own);
    }

    @Case
    void close_in_mid_message_is_2242() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQMessage part = bytes(pattern(32));
        part.messageFlags = CMQC.MQMF_SEGMENT;
        own.put(part, putting(CMQC.MQPMO_LOGICAL_ORDER | CMQC.MQPMO_NO_SYNCPOINT));
        MQException warning = reason(CMQC.MQRC_INCOMPLETE_MSG, own::close);
        equal(CMQC.MQCC_WARNING, warning.completionCode);
        got(open(connection), GET);
    }

    @Case
    void backout_gives_the_whole_message_back() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = narrow(connection, "G");
        own.put(divisible(LENGTH), putting(CMQC.MQPMO_SYNCPOINT));
        connection.commit();
        int inUnit = CMQC.MQGMO_COMPLETE_MSG | CMQC.MQGMO_SYNCPOINT;
        same(pattern(LENGTH), data(got(own, inUnit)));
        empty(own);
        connection.backout();
        MQMessage found = got(own, inUnit);
        same(pattern(LENGTH), data(found));
        equal(1, found.backoutCount);
        connection.commit();
        empty(own);
    }

    @Case
    void unit_that_is_open_beside_a_divided_put_is_2255() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = narrow(connection, "H");
        own.put(bytes(pattern(5)), putting(CMQC.MQPMO_SYNCPOINT));
        MQMessage sent = divisible(LENGTH);
        sent.persistence = CMQC.MQPER_PERSISTENT;
        reason(CMQC.MQRC_UOW_NOT_AVAILABLE, () -> own.put(sent, putting(PUT)));
        connection.backout();
        own.put(sent, putting(PUT));
        same(pattern(LENGTH), data(got(own, COMPLETE)));
        empty(own);
    }

    @Case
    void segment_of_no_bytes_that_is_not_the_last_is_2253() throws Exception {
        MQQueue own = open(connect());
        MQMessage part = segment(new byte[0], 16, CMQC.MQMF_SEGMENT);
        reason(CMQC.MQRC_SEGMENT_LENGTH_ZERO, () -> own.put(part, putting(PUT)));
        empty(own);
    }

    @Case
    void large_message_is_divided_and_complete() throws Exception {
        MQQueue own = narrow(connect(), "I");
        int length = 1_000_000;
        own.put(divisible(length), putting(PUT));
        holds(own.getCurrentDepth() >= 245, "many segments");
        same(pattern(length), data(got(own, COMPLETE)));
        empty(own);
    }
}
