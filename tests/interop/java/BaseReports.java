import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.util.Arrays;

/** Reports that the queue manager makes: on arrival, on delivery, on expiry. */
final class BaseReports extends Cases {
    private static final int PUT = CMQC.MQPMO_NO_SYNCPOINT;
    private static final int GET = CMQC.MQGMO_NO_SYNCPOINT;
    private static final int LENGTH = 250;

    private MQQueue replies(MQQueueManager connection, String which) throws Exception {
        return connection.accessQueue(named("REPORTS." + which), BOTH);
    }

    private MQMessage asking(String which, int report) throws Exception {
        MQMessage made = bytes(pattern(LENGTH));
        made.replyToQueueName = named("REPORTS." + which);
        made.report = report;
        return made;
    }

    private static MQMessage reported(MQQueue from, int feedback, int length) throws Exception {
        MQMessage found = got(from);
        equal(CMQC.MQMT_REPORT, found.messageType);
        equal(feedback, found.feedback);
        same(Arrays.copyOf(pattern(LENGTH), length), data(found));
        return found;
    }

    @Case
    void arrival_is_confirmed() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue replies = replies(connection, "A");
        int[] reports = {CMQC.MQRO_COA, CMQC.MQRO_COA_WITH_DATA, CMQC.MQRO_COA_WITH_FULL_DATA};
        int[] lengths = {0, 100, LENGTH};
        for (int at = 0; at < 3; at++) {
            MQMessage sent = asking("A", reports[at]);
            own.put(sent, putting(PUT));
            MQMessage report = reported(replies, CMQC.MQFB_COA, lengths[at]);
            same(sent.messageId, report.correlationId);
            holds(!Arrays.equals(sent.messageId, report.messageId), "a new MsgId");
            got(own, GET);
            empty(replies);
        }
    }

    @Case
    void delivery_is_confirmed() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue replies = replies(connection, "B");
        int[] reports = {CMQC.MQRO_COD, CMQC.MQRO_COD_WITH_DATA, CMQC.MQRO_COD_WITH_FULL_DATA};
        int[] lengths = {0, 100, LENGTH};
        for (int at = 0; at < 3; at++) {
            MQMessage sent = asking("B", reports[at]);
            own.put(sent, putting(PUT));
            empty(replies);
            got(own, GET);
            same(sent.messageId, reported(replies, CMQC.MQFB_COD, lengths[at]).correlationId);
        }
    }

    @Case
    void reports_pass_identifiers_if_asked() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue replies = replies(connection, "C");
        int pass = CMQC.MQRO_PASS_MSG_ID | CMQC.MQRO_PASS_CORREL_ID;
        MQMessage sent = asking("C", CMQC.MQRO_COA | CMQC.MQRO_COD | pass);
        sent.correlationId = pattern(24);
        own.put(sent, putting(PUT));
        got(own, GET);
        for (int feedback : new int[] {CMQC.MQFB_COA, CMQC.MQFB_COD}) {
            MQMessage report = reported(replies, feedback, 0);
            same(sent.messageId, report.messageId);
            same(pattern(24), report.correlationId);
        }
        empty(replies);
    }

    @Case
    void reports_belong_to_the_unit_of_work() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue replies = replies(connection, "D");
        own.put(asking("D", CMQC.MQRO_COA | CMQC.MQRO_COD), putting(CMQC.MQPMO_SYNCPOINT));
        empty(replies);
        connection.backout();
        empty(replies);
        own.put(asking("D", CMQC.MQRO_COA | CMQC.MQRO_COD), putting(CMQC.MQPMO_SYNCPOINT));
        connection.commit();
        reported(replies, CMQC.MQFB_COA, 0);
        got(own, CMQC.MQGMO_SYNCPOINT);
        empty(replies);
        connection.backout();
        empty(replies);
        got(own, CMQC.MQGMO_SYNCPOINT);
        connection.commit();
        reported(replies, CMQC.MQFB_COD, 0);
        empty(replies);
    }

    @Case(Case.SHARES)
    void expiry_is_reported() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue replies = replies(connection, "E");
        MQMessage sent = asking("E", CMQC.MQRO_EXPIRATION_WITH_DATA);
        sent.expiry = 1;
        own.put(sent, putting(PUT));
        Thread.sleep(150);
        empty(own);
        same(sent.messageId, reported(replies, CMQC.MQFB_EXPIRATION, 100).correlationId);
    }

    @Case
    void browse_confirms_nothing() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection, BOTH | CMQC.MQOO_BROWSE);
        MQQueue replies = replies(connection, "F");
        own.put(asking("F", CMQC.MQRO_COD), putting(PUT));
        got(own, CMQC.MQGMO_BROWSE_FIRST);
        empty(replies);
        got(own, GET | CMQC.MQGMO_MSG_UNDER_CURSOR);
        reported(replies, CMQC.MQFB_COD, 0);
    }

    @Case
    void report_keeps_persistence_and_priority() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue replies = replies(connection, "G");
        MQMessage sent = asking("G", CMQC.MQRO_COA);
        sent.persistence = CMQC.MQPER_PERSISTENT;
        sent.priority = 7;
        own.put(sent, putting(PUT));
        MQMessage report = reported(replies, CMQC.MQFB_COA, 0);
        equal(CMQC.MQPER_PERSISTENT, report.persistence);
        equal(7, report.priority);
        equal("", report.replyToQueueName.trim());
        got(own, GET);
    }

    @Case
    void report_without_a_reply_queue_is_2027() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = bytes(pattern(LENGTH));
        sent.report = CMQC.MQRO_COA;
        reason(CMQC.MQRC_MISSING_REPLY_TO_Q, () -> own.put(sent, putting(PUT)));
        empty(own);
    }
}
