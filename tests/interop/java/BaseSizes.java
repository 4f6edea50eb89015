import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;

/** Messages of every size, whole and unchanged. */
final class BaseSizes extends Cases {
    private void there_and_back(int length) throws Exception {
        there_and_back(length, open(connect()));
    }

    private void there_and_back(int length, MQQueue own) throws Exception {
        byte[] data = pattern(length);
        MQMessage sent = bytes(data);
        own.put(sent, putting(CMQC.MQPMO_NO_SYNCPOINT));
        MQMessage found = got(own);
        equal(length, found.getMessageLength());
        same(data, data(found));
        equal(sent.messageId, found.messageId);
    }

    @Case
    void of_0() throws Exception {
        there_and_back(0);
    }

    @Case
    void of_1() throws Exception {
        there_and_back(1);
    }

    @Case
    void of_32_kilobytes_less_1() throws Exception {
        there_and_back(32767);
    }

    @Case
    void of_32_kilobytes() throws Exception {
        there_and_back(32768);
    }

    @Case
    void of_32_kilobytes_and_1() throws Exception {
        there_and_back(32769);
    }

    @Case
    void around_the_longest_segment() throws Exception {
        MQQueue own = open(connect());
        for (int length = 32000; length < 32800; length += 13) {
            there_and_back(length, own);
        }
    }

    @Case(Case.SHARES)
    void around_two_segments() throws Exception {
        MQQueue own = open(connect());
        for (int length = 64800; length < 65540; length += 37) {
            there_and_back(length, own);
        }
    }

    @Case
    void of_1_megabyte() throws Exception {
        there_and_back(1 << 20);
    }

    @Case
    void of_4_megabytes_by_put1() throws Exception {
        MQQueueManager connection = connect();
        byte[] data = pattern(4 << 20);
        connection.put(queue, bytes(data), putting(CMQC.MQPMO_NO_SYNCPOINT));
        same(data, data(got(open(connection))));
    }

    @Case
    void above_what_the_queue_allows_is_2030() throws Exception {
        MQQueue own = open(connect());
        reason(CMQC.MQRC_MSG_TOO_BIG_FOR_Q, () -> own.put(
                bytes(new byte[(4 << 20) + 1]), putting(CMQC.MQPMO_NO_SYNCPOINT)));
        there_and_back(100, own);
    }

    @Case(Case.ONCE)
    void above_what_the_channel_allows_is_2010() throws Exception {
        MQQueueManager connection =
                kept(new MQQueueManager(place.queueManager, place.properties("J.SHORT")));
        MQQueue own = open(connection);
        reason(CMQC.MQRC_DATA_LENGTH_ERROR,
                () -> own.put(bytes(new byte[60_000]), putting(CMQC.MQPMO_NO_SYNCPOINT)));
    }

    @Case(Case.SHARES)
    void persistent_of_1_megabyte_in_a_unit() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        byte[] data = pattern(1 << 20);
        MQMessage sent = bytes(data);
        sent.persistence = CMQC.MQPER_PERSISTENT;
        own.put(sent, putting(CMQC.MQPMO_SYNCPOINT));
        connection.commit();
        same(data, data(got(own, CMQC.MQGMO_SYNCPOINT)));
        connection.commit();
    }
}
