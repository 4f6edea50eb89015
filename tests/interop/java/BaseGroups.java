import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Groups: logical order of puts, gets and browses, and groups that must be whole. */
final class BaseGroups extends Cases {
    private static final int PUT = CMQC.MQPMO_NO_SYNCPOINT;
    private static final int PUT_IN_ORDER = CMQC.MQPMO_LOGICAL_ORDER | CMQC.MQPMO_NO_SYNCPOINT;
    private static final int IN_ORDER = CMQC.MQGMO_LOGICAL_ORDER | CMQC.MQGMO_NO_SYNCPOINT;
    private static final int WHOLE = IN_ORDER | CMQC.MQGMO_ALL_MSGS_AVAILABLE;
    private static final int READ = BOTH | CMQC.MQOO_BROWSE;

    private static MQMessage member(String words, int flags) throws Exception {
        MQMessage made = text(words);
        made.messageFlags = flags;
        return made;
    }

    private static MQMessage member(String words, byte group, int number, int flags) throws Exception {
        MQMessage made = member(words, flags);
        made.groupId = new byte[24];
        Arrays.fill(made.groupId, group);
        made.messageSequenceNumber = number;
        return made;
    }

    private static void put_group(MQQueue own, int count, int options) throws Exception {
        for (int number = 1; number <= count; number++) {
            int flags = number < count ? CMQC.MQMF_MSG_IN_GROUP : CMQC.MQMF_LAST_MSG_IN_GROUP;
            own.put(member("part " + number, flags), putting(options));
        }
    }

    private static List<String> all(MQQueue own, int options) throws Exception {
        List<String> found = new ArrayList<>();
        try {
            while (true) {
                found.add(words(got(own, options)));
            }
        } catch (MQException end) {
            equal(CMQC.MQRC_NO_MSG_AVAILABLE, end.reasonCode);
        }
        return found;
    }

    @Case
    void logical_order_numbers_the_messages_of_a_group() throws Exception {
        MQQueue own = open(connect());
        byte[] group = null;
        for (int number = 1; number <= 4; number++) {
            int flags = number < 4 ? CMQC.MQMF_MSG_IN_GROUP : CMQC.MQMF_LAST_MSG_IN_GROUP;
            MQMessage sent = member("part " + number, flags);
            own.put(sent, putting(PUT_IN_ORDER));
            equal(number, sent.messageSequenceNumber);
            holds(!Arrays.equals(CMQC.MQGI_NONE, sent.groupId), "a GroupId was made");
            if (group != null) {
                same(group, sent.groupId);
            }
            group = sent.groupId.clone();
            equal(flags, sent.messageFlags);
        }
        for (int number = 1; number <= 4; number++) {
            MQMessage found = got(own, CMQC.MQGMO_NO_SYNCPOINT);
            equal("part " + number, words(found));
            equal(number, found.messageSequenceNumber);
            equal(0, found.offset);
            same(group, found.groupId);
            int last = CMQC.MQMF_MSG_IN_GROUP | CMQC.MQMF_LAST_MSG_IN_GROUP;
            equal(number < 4 ? CMQC.MQMF_MSG_IN_GROUP : last, found.messageFlags);
        }
        empty(own);
    }

    @Case
    void logical_order_gives_a_group_in_its_order() throws Exception {
        MQQueue own = open(connect());
        own.put(text("A"), putting(PUT));
        own.put(member("Y1", (byte) 1, 1, CMQC.MQMF_MSG_IN_GROUP), putting(PUT));
        own.put(member("Z2", (byte) 2, 2, CMQC.MQMF_LAST_MSG_IN_GROUP), putting(PUT));
        own.put(member("Y3", (byte) 1, 3, CMQC.MQMF_LAST_MSG_IN_GROUP), putting(PUT));
        own.put(member("Y2", (byte) 1, 2, CMQC.MQMF_MSG_IN_GROUP), putting(PUT));
        own.put(member("Z1", (byte) 2, 1, CMQC.MQMF_MSG_IN_GROUP), putting(PUT));
        own.put(text("B"), putting(PUT));
        equal(List.of("A", "Y1", "Y2", "Y3", "Z1", "Z2", "B"), all(own, IN_ORDER));
    }

    @Case
    void browse_in_logical_order() throws Exception {
        MQQueue own = open(connect(), READ);
        own.put(member("Y2", (byte) 1, 2, CMQC.MQMF_LAST_MSG_IN_GROUP), putting(PUT));
        own.put(member("Y1", (byte) 1, 1, CMQC.MQMF_MSG_IN_GROUP), putting(PUT));
        own.put(text("B"), putting(PUT));
        equal("Y1", words(got(own, IN_ORDER | CMQC.MQGMO_BROWSE_FIRST)));
        equal("Y2", words(got(own, IN_ORDER | CMQC.MQGMO_BROWSE_NEXT)));
        equal("B", words(got(own, IN_ORDER | CMQC.MQGMO_BROWSE_NEXT)));
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(own, IN_ORDER | CMQC.MQGMO_BROWSE_NEXT));
        equal(List.of("Y2", "Y1", "B"), all(own, CMQC.MQGMO_NO_SYNCPOINT));
    }

    @Case
    void status_says_what_a_message_is() throws Exception {
        MQQueue own = open(connect());
        own.put(text("alone"), putting(PUT));
        put_group(own, 2, PUT_IN_ORDER);
        char[] wanted = {CMQC.MQGS_NOT_IN_GROUP, CMQC.MQGS_MSG_IN_GROUP, CMQC.MQGS_LAST_MSG_IN_GROUP};
        for (char status : wanted) {
            MQGetMessageOptions options = getting(IN_ORDER);
            own.get(new MQMessage(), options);
            equal(status, options.groupStatus);
            equal(CMQC.MQSS_NOT_A_SEGMENT, options.segmentStatus);
        }
    }

    @Case
    void group_that_is_not_whole_is_not_available() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        own.put(member("Y1", (byte) 1, 1, CMQC.MQMF_MSG_IN_GROUP), putting(PUT));
        own.put(member("Y3", (byte) 1, 3, CMQC.MQMF_LAST_MSG_IN_GROUP), putting(PUT));
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(own, WHOLE));
        own.put(text("B"), putting(PUT));
        equal("B", words(got(own, WHOLE)));
        MQQueue other = open(connect(), CMQC.MQOO_OUTPUT);
        MQMessage missing = member("Y2", (byte) 1, 2, CMQC.MQMF_MSG_IN_GROUP);
        other.put(missing, putting(PUT));
        equal(List.of("Y1", "Y2", "Y3"), all(own, WHOLE));
    }

    @Case
    void group_in_a_unit_is_available_after_its_commit() throws Exception {
        MQQueueManager putter = connect();
        MQQueue there = open(putter, CMQC.MQOO_OUTPUT);
        MQQueue own = open(connect());
        put_group(there, 3, CMQC.MQPMO_LOGICAL_ORDER | CMQC.MQPMO_SYNCPOINT);
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(own, WHOLE));
        putter.commit();
        equal(List.of("part 1", "part 2", "part 3"), all(own, WHOLE));
    }

    @Case
    void backout_gives_the_group_back_and_its_place() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        put_group(own, 3, PUT_IN_ORDER);
        int inUnit = CMQC.MQGMO_LOGICAL_ORDER | CMQC.MQGMO_SYNCPOINT;
        equal("part 1", words(got(own, inUnit)));
        equal("part 2", words(got(own, inUnit)));
        connection.backout();
        equal(List.of("part 1", "part 2", "part 3"), all(own, inUnit));
        connection.commit();
        empty(own);
    }

    @Case
    void message_outside_the_group_in_mid_group_is_2241() throws Exception {
        MQQueue own = open(connect());
        own.put(member("part 1", CMQC.MQMF_MSG_IN_GROUP), putting(PUT_IN_ORDER));
        own.put(member("part 2", CMQC.MQMF_MSG_IN_GROUP), putting(PUT_IN_ORDER));
        MQException refused =
                reason(CMQC.MQRC_INCOMPLETE_GROUP, () -> own.put(text("alone"), putting(PUT_IN_ORDER)));
        equal(CMQC.MQCC_FAILED, refused.completionCode);
        own.put(member("part 3", CMQC.MQMF_LAST_MSG_IN_GROUP), putting(PUT_IN_ORDER));
        equal(List.of("part 1", "part 2", "part 3"), all(own, WHOLE));
    }

    @Case
    void close_in_mid_group_is_a_warning() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        own.put(member("part 1", CMQC.MQMF_MSG_IN_GROUP), putting(PUT_IN_ORDER));
        MQException warning = reason(CMQC.MQRC_INCOMPLETE_GROUP, own::close);
        equal(CMQC.MQCC_WARNING, warning.completionCode);
        equal("part 1", words(got(open(connection))));
    }

    @Case
    void group_goes_on_after_a_put_that_names_its_place() throws Exception {
        MQQueue own = open(connect());
        MQMessage fourth = member("part 4", (byte) 9, 4, CMQC.MQMF_MSG_IN_GROUP);
        own.put(fourth, putting(PUT));
        MQMessage fifth = member("part 5", CMQC.MQMF_LAST_MSG_IN_GROUP);
        own.put(fifth, putting(PUT_IN_ORDER));
        equal(5, fifth.messageSequenceNumber);
        same(fourth.groupId, fifth.groupId);
    }

    @Case
    void persistence_that_differs_in_a_group_is_2185() throws Exception {
        MQQueue own = open(connect());
        MQMessage first = member("part 1", CMQC.MQMF_MSG_IN_GROUP);
        first.persistence = CMQC.MQPER_PERSISTENT;
        own.put(first, putting(PUT_IN_ORDER));
        MQMessage second = member("part 2", CMQC.MQMF_LAST_MSG_IN_GROUP);
        second.persistence = CMQC.MQPER_NOT_PERSISTENT;
        reason(CMQC.MQRC_INCONSISTENT_PERSISTENCE, () -> own.put(second, putting(PUT_IN_ORDER)));
        second.persistence = CMQC.MQPER_PERSISTENT;
        own.put(second, putting(PUT_IN_ORDER));
        equal(List.of("part 1", "part 2"), all(own, WHOLE));
    }

    @Case
    void match_by_group_and_sequence_number() throws Exception {
        MQQueue own = open(connect());
        for (int number = 1; number <= 3; number++) {
            own.put(member("Y" + number, (byte) 1, number, CMQC.MQMF_MSG_IN_GROUP), putting(PUT));
            own.put(member("Z" + number, (byte) 2, number, CMQC.MQMF_MSG_IN_GROUP), putting(PUT));
        }
        MQGetMessageOptions options = getting(CMQC.MQGMO_NO_SYNCPOINT);
        options.matchOptions = CMQC.MQMO_MATCH_GROUP_ID | CMQC.MQMO_MATCH_MSG_SEQ_NUMBER;
        MQMessage found = new MQMessage();
        Arrays.fill(found.groupId = new byte[24], (byte) 2);
        found.messageSequenceNumber = 3;
        own.get(found, options);
        equal("Z3", words(found));
        MQMessage again = new MQMessage();
        Arrays.fill(again.groupId = new byte[24], (byte) 2);
        again.messageSequenceNumber = 3;
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> own.get(again, options));
    }
}
