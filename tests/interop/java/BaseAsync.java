import com.ibm.mq.MQAsyncStatus;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.util.concurrent.atomic.AtomicInteger;

/** Asynchronous puts, read-ahead, many threads. */
final class BaseAsync extends Cases {
    private static final int ASYNC = CMQC.MQPMO_ASYNC_RESPONSE | CMQC.MQPMO_NO_SYNCPOINT;

    @Case
    void asynchronous_puts_arrive_and_are_counted() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        for (int at = 0; at < 50; at++) {
            own.put(text("number " + at), putting(ASYNC));
        }
        MQAsyncStatus status = connection.getAsyncStatus();
        equal(0, status.putFailureCount);
        equal(0, status.putWarningCount);
        equal(50, status.putSuccessCount);
        equal(CMQC.MQCC_OK, status.completionCode);
        for (int at = 0; at < 50; at++) {
            equal("number " + at, words(got(own)));
        }
        equal(0, connection.getAsyncStatus().putSuccessCount);
    }

    @Case
    void failure_of_an_asynchronous_put_is_told_by_the_status() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection, BOTH | CMQC.MQOO_SET);
        own.setInhibitPut(CMQC.MQQA_PUT_INHIBITED);
        own.put(text("refused"), putting(ASYNC));
        own.put(text("refused"), putting(ASYNC));
        MQAsyncStatus status = connection.getAsyncStatus();
        equal(2, status.putFailureCount);
        equal(CMQC.MQCC_FAILED, status.completionCode);
        equal(CMQC.MQRC_PUT_INHIBITED, status.reasonCode);
        equal(queue, status.objectName.trim());
    }

    @Case
    void asynchronous_put_in_a_unit_is_committed() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        for (int at = 0; at < 10; at++) {
            MQMessage one = text("number " + at);
            one.persistence = CMQC.MQPER_PERSISTENT;
            own.put(one, putting(CMQC.MQPMO_ASYNC_RESPONSE | CMQC.MQPMO_SYNCPOINT));
        }
        connection.commit();
        equal(10, own.getCurrentDepth());
        for (int at = 0; at < 10; at++) {
            equal("number " + at, words(got(own)));
        }
    }

    @Case
    void queue_that_wants_asynchronous_puts_gets_them() throws Exception {
        MQQueueManager connection = connect();
        MQQueue quick = connection.accessQueue(named("ASYNC"), BOTH);
        for (int at = 0; at < 20; at++) {
            quick.put(text("number " + at),
                    putting(CMQC.MQPMO_RESPONSE_AS_Q_DEF | CMQC.MQPMO_NO_SYNCPOINT));
        }
        equal(20, connection.getAsyncStatus().putSuccessCount);
        for (int at = 0; at < 20; at++) {
            equal("number " + at, words(got(quick)));
        }
    }

    @Case(Case.SHARES)
    void large_asynchronous_put_arrives() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        byte[] data = pattern(200_000);
        own.put(bytes(data), putting(ASYNC));
        equal(1, connection.getAsyncStatus().putSuccessCount);
        same(data, data(got(own)));
    }

    @Case
    void read_ahead_gives_every_message_in_order() throws Exception {
        MQQueueManager connection = connect();
        MQQueue out = open(connection, CMQC.MQOO_OUTPUT);
        for (int at = 0; at < 200; at++) {
            MQMessage one = text("number " + at);
            one.persistence = CMQC.MQPER_NOT_PERSISTENT;
            out.put(one, putting(CMQC.MQPMO_NO_SYNCPOINT));
        }
        MQQueue in = open(connect(), CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_READ_AHEAD);
        for (int at = 0; at < 200; at++) {
            equal("number " + at, words(got(in)));
        }
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(in, CMQC.MQGMO_NO_SYNCPOINT));
        out.put(text("one more"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        equal("one more", words(got(in)));
        in.close();
    }

    @Case(Case.SHARES)
    void read_ahead_of_persistent_messages_in_units_loses_nothing() throws Exception {
        MQQueueManager connection = connect();
        MQQueue out = open(connection, CMQC.MQOO_OUTPUT | CMQC.MQOO_INQUIRE);
        for (int at = 0; at < 20; at++) {
            MQMessage one = text("number " + at);
            one.persistence = CMQC.MQPER_PERSISTENT;
            out.put(one, putting(CMQC.MQPMO_NO_SYNCPOINT));
        }
        MQQueueManager reading = connect();
        MQQueue in = open(reading, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_READ_AHEAD);
        for (int at = 0; at < 10; at++) {
            equal("number " + at, words(got(in, CMQC.MQGMO_SYNCPOINT | CMQC.MQGMO_WAIT)));
        }
        reading.backout();
        in.close();
        equal(20, out.getCurrentDepth());
    }

    @Case(Case.SHARES)
    void queue_that_wants_read_ahead_works() throws Exception {
        MQQueueManager connection = connect();
        MQQueue ahead = connection.accessQueue(named("AHEAD"), BOTH);
        for (int at = 0; at < 60; at++) {
            ahead.put(text("number " + at), putting(CMQC.MQPMO_NO_SYNCPOINT));
        }
        for (int at = 0; at < 60; at++) {
            equal("number " + at, words(got(ahead)));
        }
        ahead.close();
    }

    @Case
    void many_threads_share_a_connection() throws Exception {
        MQQueueManager connection = connect();
        AtomicInteger right = new AtomicInteger();
        Thread[] threads = new Thread[8];
        for (int at = 0; at < threads.length; at++) {
            byte[] mark = new byte[24];
            mark[0] = (byte) (at + 1);
            threads[at] = new Thread(() -> {
                try {
                    MQQueue own = open(connection);
                    for (int turn = 0; turn < 10; turn++) {
                        MQMessage sent = text("turn " + turn);
                        sent.correlationId = mark;
                        own.put(sent, putting(CMQC.MQPMO_NO_SYNCPOINT));
                        MQMessage found = new MQMessage();
                        found.correlationId = mark;
                        var options = getting(CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT);
                        options.matchOptions = CMQC.MQMO_MATCH_CORREL_ID;
                        own.get(found, options);
                        equal("turn " + turn, words(found));
                        right.incrementAndGet();
                    }
                    own.close();
                } catch (Exception wrong) {
                    wrong.printStackTrace();
                }
            });
            threads[at].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        equal(80, right.get());
    }

    @Case
    void many_threads_with_a_connection_each() throws Exception {
        AtomicInteger right = new AtomicInteger();
        Thread[] threads = new Thread[8];
        for (int at = 0; at < threads.length; at++) {
            threads[at] = new Thread(() -> {
                try {
                    MQQueueManager connection = place.connect();
                    MQQueue own = open(connection);
                    for (int turn = 0; turn < 10; turn++) {
                        own.put(text("one"), putting(CMQC.MQPMO_SYNCPOINT));
                        connection.commit();
                        equal("one", words(got(own, CMQC.MQGMO_WAIT | CMQC.MQGMO_SYNCPOINT)));
                        connection.commit();
                        right.incrementAndGet();
                    }
                    connection.disconnect();
                } catch (Exception wrong) {
                    wrong.printStackTrace();
                }
            });
            threads[at].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        equal(80, right.get());
        equal(0, open(connect()).getCurrentDepth());
    }
}
