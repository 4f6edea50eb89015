import com.ibm.mq.MQDistributionList;
import com.ibm.mq.MQDistributionListItem;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.headers.MQDH;
import com.ibm.mq.headers.MQXQH;
import com.ibm.mq.jmqi.JmqiEnvironment;
import com.ibm.mq.jmqi.JmqiMQ;
import com.ibm.mq.jmqi.MQMD;
import com.ibm.mq.jmqi.MQOD;
import com.ibm.mq.jmqi.MQOR;
import com.ibm.mq.jmqi.MQPMO;
import com.ibm.mq.jmqi.MQPMR;
import com.ibm.mq.jmqi.MQRR;
import com.ibm.mq.jmqi.handles.Phconn;
import com.ibm.mq.jmqi.handles.Pint;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Distribution lists: one put, several queues, a reason for each. */
final class BaseLists extends Cases {
    private static final int NO_SYNC = CMQC.MQPMO_NO_SYNCPOINT;
    private static final int OUTPUT = CMQC.MQOO_OUTPUT | CMQC.MQOO_FAIL_IF_QUIESCING;

    private static MQDistributionListItem[] items(String... names) {
        MQDistributionListItem[] made = new MQDistributionListItem[names.length];
        for (int at = 0; at < names.length; at++) {
            made[at] = new MQDistributionListItem();
            made[at].queueName = names[at];
        }
        return made;
    }

    /** The other queue of a case: cases run side by side. */
    private MQQueue second(MQQueueManager connection, String which) throws Exception {
        return connection.accessQueue(named("LIST." + which), BOTH);
    }

    @Case
    void put_to_a_list_reaches_every_queue() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue other = second(connection, "A");
        MQDistributionListItem[] items = items(queue, named("LIST.A"));
        MQDistributionList list = connection.accessDistributionList(items, OUTPUT);
        equal(2, list.getValidDestinationCount());
        equal(0, list.getInvalidDestinationCount());
        MQPutMessageOptions options = putting(NO_SYNC);
        list.put(text("for both"), options);
        equal(2, options.knownDestCount);
        equal(0, options.unknownDestCount);
        equal(0, options.invalidDestCount);
        MQMessage first = got(own);
        MQMessage later = got(other);
        equal("for both", words(first));
        equal("for both", words(later));
        holds(!Arrays.equals(first.messageId, later.messageId), "two identifiers");
        list.close();
    }

    @Case(Case.SHARES)
    void records_give_each_its_identifiers() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue other = second(connection, "B");
        MQDistributionListItem[] items = items(queue, named("LIST.B"));
        items[0].messageId = Arrays.copyOf("first".getBytes("UTF-8"), 24);
        items[0].correlationId = Arrays.copyOf("one".getBytes("UTF-8"), 24);
        items[1].correlationId = Arrays.copyOf("two".getBytes("UTF-8"), 24);
        items[1].feedback = 66000;
        MQDistributionList list = connection.accessDistributionList(items, OUTPUT);
        MQPutMessageOptions options = putting(NO_SYNC);
        options.recordFields =
                CMQC.MQPMRF_MSG_ID | CMQC.MQPMRF_CORREL_ID | CMQC.MQPMRF_FEEDBACK;
        MQMessage sent = text("each its own");
        sent.persistence = CMQC.MQPER_PERSISTENT;
        list.put(sent, options);
        options.updateDistributionListItems();
        MQMessage first = got(own);
        MQMessage later = got(other);
        same(Arrays.copyOf("first".getBytes("UTF-8"), 24), first.messageId);
        same(items[0].correlationId, first.correlationId);
        same(items[1].correlationId, later.correlationId);
        same(items[1].messageId, later.messageId);
        equal(66000, later.feedback);
        equal(CMQC.MQPER_PERSISTENT, later.persistence);
        list.close();
    }

    @Case
    void unknown_queue_has_its_reason_and_the_others_are_open() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQDistributionListItem[] items =
                items(queue, named("NOT.THERE"), "J.MODEL", "SECRET.QUEUE");
        MQDistributionList list = connection.accessDistributionList(items, OUTPUT);
        equal(1, list.getValidDestinationCount());
        equal(3, list.getInvalidDestinationCount());
        equal(CMQC.MQRC_NOT_AUTHORIZED, items[3].reasonCode);
        equal(CMQC.MQCC_OK, items[0].completionCode);
        equal(CMQC.MQRC_UNKNOWN_OBJECT_NAME, items[1].reasonCode);
        equal(CMQC.MQRC_Q_TYPE_ERROR, items[2].reasonCode);
        MQPutMessageOptions options = putting(NO_SYNC);
        reason(CMQC.MQRC_MULTIPLE_REASONS, () -> list.put(text("to one"), options));
        options.updateDistributionListItems();
        equal(CMQC.MQRC_NONE, items[0].reasonCode);
        equal(CMQC.MQRC_OPEN_FAILED, items[1].reasonCode);
        equal(CMQC.MQCC_FAILED, items[2].completionCode);
        equal(1, options.knownDestCount);
        equal(3, options.invalidDestCount);
        equal("to one", words(got(own)));
        list.close();
    }

    @Case(Case.SHARES)
    void list_of_unknown_queues_is_2085() throws Exception {
        MQQueueManager connection = connect();
        MQDistributionListItem[] items = items(named("NOT.THERE"), named("NEITHER"));
        reason(CMQC.MQRC_UNKNOWN_OBJECT_NAME,
                () -> connection.accessDistributionList(items, OUTPUT));
        open(connection).close();
    }

    @Case(Case.SHARES)
    void list_of_different_failures_is_2136() throws Exception {
        MQQueueManager connection = connect();
        MQDistributionListItem[] items = items(named("NOT.THERE"), "J.MODEL", "SECRET.QUEUE");
        reason(CMQC.MQRC_MULTIPLE_REASONS,
                () -> connection.accessDistributionList(items, OUTPUT));
    }

    @Case(Case.SHARES)
    void list_for_input_is_2046() throws Exception {
        MQQueueManager connection = connect();
        reason(CMQC.MQRC_OPTIONS_ERROR, () -> connection.accessDistributionList(
                items(queue), CMQC.MQOO_OUTPUT | CMQC.MQOO_INPUT_SHARED));
    }

    @Case(Case.SHARES)
    void full_and_inhibited_queues_have_their_reasons() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue full = connection.accessQueue(named("LIST.FULL"), BOTH);
        if (full.getCurrentDepth() == 0) {
            full.put(text("full"), putting(NO_SYNC));
        }
        MQDistributionListItem[] items = items(named("LIST.FULL"), queue, named("LIST.SHUT"));
        MQDistributionList list = connection.accessDistributionList(items, OUTPUT);
        MQPutMessageOptions options = putting(NO_SYNC);
        reason(CMQC.MQRC_MULTIPLE_REASONS, () -> list.put(text("to one"), options));
        options.updateDistributionListItems();
        equal(CMQC.MQRC_Q_FULL, items[0].reasonCode);
        equal(CMQC.MQCC_OK, items[1].completionCode);
        equal(CMQC.MQRC_PUT_INHIBITED, items[2].reasonCode);
        equal("to one", words(got(own)));
        got(full);
        list.close();
    }

    @Case(Case.SHARES)
    void put_to_a_list_in_a_unit_ends_with_it() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue other = second(connection, "C");
        MQDistributionList list =
                connection.accessDistributionList(items(queue, named("LIST.C")), OUTPUT);
        list.put(text("never"), putting(CMQC.MQPMO_SYNCPOINT));
        connection.backout();
        empty(own);
        empty(other);
        list.put(text("both"), putting(CMQC.MQPMO_SYNCPOINT));
        connection.commit();
        equal("both", words(got(own)));
        equal("both", words(got(other)));
        list.close();
    }

    @Case(Case.SHARES)
    void destinations_behind_one_transmission_queue_share_a_message() throws Exception {
        MQQueueManager connection = connect();
        MQQueue way = connection.accessQueue(named("LIST.XMIT"), BOTH);
        MQDistributionList list = connection.accessDistributionList(
                items(named("LIST.FAR"), named("LIST.FARTHER")), OUTPUT);
        MQPutMessageOptions options = putting(NO_SYNC);
        list.put(text("far away"), options);
        equal(2, options.unknownDestCount);
        MQMessage found = got(way);
        empty(way);
        equal(CMQC.MQFMT_XMIT_Q_HEADER, found.format);
        found.seek(0);
        MQXQH outer = new MQXQH(found, found.encoding, found.characterSet);
        equal("", outer.getRemoteQName().trim());
        equal(CMQC.MQFMT_DIST_HEADER, outer.getMsgDesc().getFormat());
        MQDH header = new MQDH(found, found.encoding, found.characterSet);
        equal(2, header.getRecsPresent());
        equal(CMQC.MQDHF_NEW_MSG_IDS, header.getFlags());
        equal(CMQC.MQFMT_STRING.trim(), header.getFormat().trim());
        equal("far away", found.readStringOfByteLength(found.getDataLength()));
        list.close();
    }

    /** The classes have no MQPUT1 to a list; what they stand on has. */
    @Case(Case.SHARES)
    void put1_to_a_list_reaches_every_queue() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        MQQueue other = second(connection, "D");
        Method session = MQQueueManager.class.getDeclaredMethod("getSession");
        session.setAccessible(true);
        Object made = session.invoke(connection);
        Method calls = made.getClass().getDeclaredMethod("getJmqi");
        calls.setAccessible(true);
        JmqiMQ mqi = (JmqiMQ) calls.invoke(made);
        JmqiEnvironment environment = (JmqiEnvironment) hidden(connection, "env");
        Phconn handle = (Phconn) hidden(connection, "Hconn");
        MQOD object = environment.newMQOD();
        object.setVersion(CMQC.MQOD_VERSION_2);
        object.setObjectName("");
        object.setObjectQMgrName("");
        object.setRecsPresent(3);
        String[] names = {queue, named("NOT.THERE"), named("LIST.D")};
        MQOR[] names_of = new MQOR[3];
        MQRR[] responses = new MQRR[3];
        MQPMR[] records = new MQPMR[3];
        for (int at = 0; at < 3; at++) {
            names_of[at] = environment.newMQOR();
            names_of[at].setObjectName(names[at]);
            responses[at] = environment.newMQRR();
            records[at] = environment.newMQPMR();
        }
        object.setObjectRecords(names_of);
        object.setResponseRecords(responses);
        MQPMO options = environment.newMQPMO();
        options.setVersion(CMQC.MQPMO_VERSION_2);
        options.setOptions(NO_SYNC);
        options.setRecsPresent(3);
        options.setPutMsgRecFields(CMQC.MQPMRF_MSG_ID);
        for (MQPMR record : records) {
            record.setOwningPmo(options);
        }
        options.setPutMsgRecords(records);
        MQMD descriptor = environment.newMQMD();
        Pint completion = environment.newPint();
        Pint reason = environment.newPint();
        byte[] data = "once".getBytes("UTF-8");
        mqi.MQPUT1(handle.getHconn(), object, descriptor, options, data.length,
                ByteBuffer.wrap(data), completion, reason);
        equal(CMQC.MQRC_MULTIPLE_REASONS, reason.x);
        equal(CMQC.MQCC_WARNING, completion.x);
        equal(CMQC.MQRC_UNKNOWN_OBJECT_NAME, responses[1].getReason());
        equal(CMQC.MQCC_OK, responses[2].getCompCode());
        equal(2, options.getKnownDestCount());
        equal(1, object.getInvalidDestCount());
        same(records[0].getMsgId(), got(own).messageId);
        MQMessage later = got(other);
        same(records[2].getMsgId(), later.messageId);
        same(data, data(later));
    }

    private static Object hidden(Object one, String name) throws Exception {
        for (Class<?> kind = one.getClass(); kind != null; kind = kind.getSuperclass()) {
            for (Field field : kind.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(one);
                }
            }
        }
        throw new AssertionError("no field " + name);
    }
}
