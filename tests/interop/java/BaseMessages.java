import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.util.Arrays;

/** Putting and getting: descriptors, waiting, truncation, matching, order. */
final class BaseMessages extends Cases {
    private static final int NO_SYNC = CMQC.MQPMO_NO_SYNCPOINT;

    @Case
    void message_comes_back_as_it_was_put() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = text("Grüße, 世界");
        sent.correlationId = Arrays.copyOf("correlation".getBytes("US-ASCII"), 24);
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own);
        equal("Grüße, 世界", words(found));
        equal(CMQC.MQFMT_STRING, found.format);
        equal(1208, found.characterSet);
        equal(sent.messageId, found.messageId);
        equal(sent.correlationId, found.correlationId);
        equal(CMQC.MQMT_DATAGRAM, found.messageType);
        equal(0, found.backoutCount);
        long age = System.currentTimeMillis() - found.putDateTime.getTimeInMillis();
        holds(Math.abs(age) < 120_000, "put " + age + " ms ago");
    }

    @Case
    void no_message_is_2033() throws Exception {
        empty(open(connect()));
    }

    @Case
    void wait_ends_with_2033_when_nothing_comes() throws Exception {
        MQQueue own = open(connect());
        MQGetMessageOptions options = getting(CMQC.MQGMO_WAIT);
        options.waitInterval = 300;
        long begun = System.nanoTime();
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> own.get(new MQMessage(), options));
        long waited = (System.nanoTime() - begun) / 1_000_000;
        holds(waited >= 290, "it waited " + waited + " ms only");
    }

    @Case
    void wait_ends_with_the_message_that_comes() throws Exception {
        MQQueue own = open(connect());
        MQQueueManager other = connect();
        MQQueue theirs = open(other);
        Thread getter = Thread.currentThread();
        Thread putter = new Thread(() -> {
            try {
                until_it_waits_in_a_get(getter);
                theirs.put(text("at last"), putting(NO_SYNC));
            } catch (Exception wrong) {
                wrong.printStackTrace();
            }
        });
        putter.start();
        equal("at last", words(got(own)));
        putter.join();
    }

    @Case
    void buffer_too_short_keeps_the_message_with_2080() throws Exception {
        MQQueue own = open(connect());
        own.put(text("0123456789"), putting(NO_SYNC));
        MQMessage cut = new MQMessage();
        reason(CMQC.MQRC_TRUNCATED_MSG_FAILED,
                () -> own.get(cut, getting(CMQC.MQGMO_NO_SYNCPOINT), 4));
        equal(10, cut.getTotalMessageLength());
        equal(1, own.getCurrentDepth());
        equal("0123456789", words(got(own)));
    }

    @Case
    void truncation_that_is_accepted_is_2079() throws Exception {
        MQQueue own = open(connect());
        own.put(text("0123456789"), putting(NO_SYNC));
        MQMessage cut = new MQMessage();
        reason(CMQC.MQRC_TRUNCATED_MSG_ACCEPTED, () -> own.get(
                cut, getting(CMQC.MQGMO_NO_SYNCPOINT | CMQC.MQGMO_ACCEPT_TRUNCATED_MSG), 4));
        equal("0123", words(cut));
        equal(10, cut.getTotalMessageLength());
        equal(0, own.getCurrentDepth());
    }

    @Case
    void matches_by_message_and_correlation_identifier() throws Exception {
        MQQueue own = open(connect());
        byte[][] messageIds = new byte[5][];
        for (int at = 0; at < 5; at++) {
            MQMessage one = text("number " + at);
            one.correlationId = Arrays.copyOf(new byte[] {9, (byte) at}, 24);
            own.put(one, putting(NO_SYNC));
            messageIds[at] = one.messageId;
        }
        MQMessage third = new MQMessage();
        third.messageId = messageIds[3];
        MQGetMessageOptions byMessage = getting(CMQC.MQGMO_NO_SYNCPOINT);
        byMessage.matchOptions = CMQC.MQMO_MATCH_MSG_ID;
        own.get(third, byMessage);
        equal("number 3", words(third));
        MQMessage first = new MQMessage();
        first.correlationId = Arrays.copyOf(new byte[] {9, 1}, 24);
        MQGetMessageOptions byCorrelation = getting(CMQC.MQGMO_NO_SYNCPOINT);
        byCorrelation.matchOptions = CMQC.MQMO_MATCH_CORREL_ID;
        own.get(first, byCorrelation);
        equal("number 1", words(first));
        MQMessage none = new MQMessage();
        none.messageId = messageIds[3];
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> own.get(none, byMessage));
        equal("number 0", words(got(own)));
        equal("number 2", words(got(own)));
        equal("number 4", words(got(own)));
    }

    @Case
    void put1_needs_no_open_queue() throws Exception {
        MQQueueManager connection = connect();
        MQPutMessageOptions options = putting(NO_SYNC);
        MQMessage sent = text("put1");
        connection.put(queue, sent, options);
        equal(queue, options.resolvedQueueName.trim());
        equal(place.queueManager, options.resolvedQueueManagerName.trim());
        MQMessage found = got(open(connection));
        equal("put1", words(found));
        equal(sent.messageId, found.messageId);
    }

    @Case
    void put1_to_an_unknown_queue_is_2085() throws Exception {
        MQQueueManager connection = connect();
        reason(CMQC.MQRC_UNKNOWN_OBJECT_NAME, () -> connection.put("J.NOT.THERE", text("no")));
    }

    @Case
    void persistence_comes_back() throws Exception {
        MQQueue own = open(connect());
        for (int kind : new int[] {
            CMQC.MQPER_PERSISTENT, CMQC.MQPER_NOT_PERSISTENT, CMQC.MQPER_PERSISTENCE_AS_Q_DEF
        }) {
            MQMessage one = text("kind " + kind);
            one.persistence = kind;
            own.put(one, putting(NO_SYNC));
        }
        equal(CMQC.MQPER_PERSISTENT, got(own).persistence);
        equal(CMQC.MQPER_NOT_PERSISTENT, got(own).persistence);
        equal(CMQC.MQPER_NOT_PERSISTENT, got(own).persistence);
    }

    @Case
    void higher_priority_comes_first() throws Exception {
        MQQueue own = open(connect());
        for (int priority : new int[] {2, 9, 0, 5, 9, CMQC.MQPRI_PRIORITY_AS_Q_DEF}) {
            MQMessage one = text("priority " + priority);
            one.priority = priority;
            own.put(one, putting(NO_SYNC));
        }
        for (int wanted : new int[] {9, 9, 5, 2, 0, 0}) {
            equal(wanted, got(own).priority);
        }
    }

    @Case
    void expired_message_is_not_given() throws Exception {
        MQQueue own = open(connect());
        MQMessage brief = text("brief");
        brief.expiry = 1;
        own.put(brief, putting(NO_SYNC));
        MQMessage longer = text("longer");
        longer.expiry = 6000;
        own.put(longer, putting(NO_SYNC));
        Thread.sleep(250);
        MQMessage found = got(own);
        equal("longer", words(found));
        holds(found.expiry > 5000 && found.expiry < 6000, "time left " + found.expiry);
        empty(own);
    }

    @Case
    void descriptor_fields_come_back() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = text("fields");
        sent.report = CMQC.MQRO_PASS_MSG_ID | CMQC.MQRO_PASS_CORREL_ID;
        sent.messageType = CMQC.MQMT_REQUEST;
        sent.feedback = 65536;
        sent.replyToQueueName = "SOME.QUEUE";
        sent.replyToQueueManagerName = "SOME.QMGR";
        sent.groupId = Arrays.copyOf(new byte[] {1, 2, 3}, 24);
        sent.messageSequenceNumber = 1;
        sent.messageFlags = CMQC.MQMF_LAST_MSG_IN_GROUP;
        sent.encoding = 546;
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own);
        equal(sent.report, found.report);
        equal(CMQC.MQMT_REQUEST, found.messageType);
        equal(65536, found.feedback);
        equal("SOME.QUEUE", found.replyToQueueName.trim());
        equal("SOME.QMGR", found.replyToQueueManagerName.trim());
        equal(sent.groupId, found.groupId);
        equal(1, found.messageSequenceNumber);
        equal(546, found.encoding);
    }

    @Case(Case.SHARES)
    void set_all_context_is_kept() throws Exception {
        MQQueue own = open(connect(), BOTH | CMQC.MQOO_SET_ALL_CONTEXT);
        MQMessage sent = text("context");
        sent.userId = "somebody";
        sent.applicationIdData = "identity data";
        sent.putApplicationName = "another program";
        sent.putApplicationType = CMQC.MQAT_UNIX;
        sent.applicationOriginData = "orig";
        sent.putDateTime = new java.util.GregorianCalendar(2020, 1, 2, 3, 4, 5);
        own.put(sent, putting(NO_SYNC | CMQC.MQPMO_SET_ALL_CONTEXT));
        MQMessage found = got(own);
        equal("somebody", found.userId.trim());
        equal("identity data", found.applicationIdData.trim());
        equal("another program", found.putApplicationName.trim());
        equal(CMQC.MQAT_UNIX, found.putApplicationType);
        equal("orig", found.applicationOriginData.trim());
    }

    @Case(Case.SHARES)
    void pass_all_context_hands_on() throws Exception {
        MQQueueManager connection = connect();
        MQQueue in = open(connection, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_SAVE_ALL_CONTEXT
                | CMQC.MQOO_OUTPUT | CMQC.MQOO_SET_ALL_CONTEXT);
        MQMessage sent = text("context");
        sent.userId = "somebody";
        sent.applicationIdData = "identity data";
        in.put(sent, putting(NO_SYNC | CMQC.MQPMO_SET_ALL_CONTEXT));
        got(in);
        MQQueue out = connection.accessQueue(
                named("CONTEXT"), BOTH | CMQC.MQOO_PASS_ALL_CONTEXT);
        MQPutMessageOptions options = putting(NO_SYNC | CMQC.MQPMO_PASS_ALL_CONTEXT);
        options.contextReference = in;
        out.put(text("handed on"), options);
        MQMessage found = got(out);
        equal("somebody", found.userId.trim());
        equal("identity data", found.applicationIdData.trim());
    }

    @Case(Case.SHARES)
    void new_identifiers_are_made_when_asked() throws Exception {
        MQQueue own = open(connect());
        MQMessage one = text("same object twice");
        own.put(one, putting(NO_SYNC | CMQC.MQPMO_NEW_MSG_ID | CMQC.MQPMO_NEW_CORREL_ID));
        byte[] first = one.messageId;
        own.put(one, putting(NO_SYNC | CMQC.MQPMO_NEW_MSG_ID | CMQC.MQPMO_NEW_CORREL_ID));
        holds(!Arrays.equals(first, one.messageId), "two identifiers");
        equal(first, got(own).messageId);
        equal(one.messageId, got(own).messageId);
    }

    @Case(Case.SHARES)
    void full_queue_is_2053() throws Exception {
        MQQueue small = connect().accessQueue(named("SMALL"), BOTH);
        small.put(text("1"), putting(NO_SYNC));
        small.put(text("2"), putting(NO_SYNC));
        reason(CMQC.MQRC_Q_FULL, () -> small.put(text("3"), putting(NO_SYNC)));
        got(small);
        got(small);
    }

    @Case(Case.SHARES)
    void message_longer_than_the_queue_allows_is_2030() throws Exception {
        MQQueue small = connect().accessQueue(named("SHORT"), BOTH);
        reason(CMQC.MQRC_MSG_TOO_BIG_FOR_Q,
                () -> small.put(bytes(new byte[1001]), putting(NO_SYNC)));
        small.put(bytes(new byte[1000]), putting(NO_SYNC));
        got(small);
    }

    @Case(Case.SHARES)
    void conversion_on_get_gives_the_asked_character_set() throws Exception {
        MQQueue own = open(connect());
        own.put(text("Grüße"), putting(NO_SYNC));
        MQMessage found = new MQMessage();
        found.characterSet = 819;
        own.get(found, getting(CMQC.MQGMO_CONVERT | CMQC.MQGMO_NO_SYNCPOINT));
        equal(819, found.characterSet);
        equal(5, found.getMessageLength());
        equal("Grüße", words(found));
    }

    @Case
    void hundred_messages_keep_their_order() throws Exception {
        MQQueue own = open(connect());
        for (int at = 0; at < 100; at++) {
            own.put(text("number " + at), putting(NO_SYNC));
        }
        equal(100, own.getCurrentDepth());
        for (int at = 0; at < 100; at++) {
            equal("number " + at, words(got(own)));
        }
        empty(own);
    }

    @Case(Case.SHARES)
    void typed_data_comes_back_in_both_byte_orders() throws Exception {
        MQQueue own = open(connect());
        for (int encoding : new int[] {273, 546}) {
            MQMessage sent = new MQMessage();
            sent.encoding = encoding;
            sent.writeInt(0x01020304);
            sent.writeShort(-2);
            sent.writeLong(1L << 40);
            sent.writeDouble(1.5);
            sent.writeUTF("utf");
            sent.writeBoolean(true);
            own.put(sent, putting(NO_SYNC));
            MQMessage found = got(own);
            equal(encoding, found.encoding);
            equal(0x01020304, found.readInt());
            equal((short) -2, found.readShort());
            equal(1L << 40, found.readLong());
            equal(1.5, found.readDouble());
            equal("utf", found.readUTF());
            equal(true, found.readBoolean());
        }
    }
}
