import com.ibm.mq.MQDestination;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.MQSubscription;
import com.ibm.mq.MQTopic;
import com.ibm.mq.constants.CMQC;

/** Topics and subscriptions by the classes for Java: MQOPEN, MQSUB, MQSUBRQ and MQCLOSE of them. */
final class BaseTopics extends Cases {
    private static final int MANAGED = CMQC.MQSO_CREATE | CMQC.MQSO_MANAGED | CMQC.MQSO_FAIL_IF_QUIESCING;
    private static final int DURABLE = MANAGED | CMQC.MQSO_DURABLE | CMQC.MQSO_RESUME;

    private MQTopic publisher(MQQueueManager connection, String below) throws Exception {
        return connection.accessTopic(queue + "/" + below, null, CMQC.MQTOPIC_OPEN_AS_PUBLICATION,
                CMQC.MQOO_OUTPUT | CMQC.MQOO_FAIL_IF_QUIESCING);
    }

    private MQTopic subscriber(MQQueueManager connection, String below, int options) throws Exception {
        return connection.accessTopic(
                queue + "/" + below, null, CMQC.MQTOPIC_OPEN_AS_SUBSCRIPTION, options);
    }

    private static MQPutMessageOptions publishing(int options) {
        MQPutMessageOptions made = new MQPutMessageOptions();
        made.options = CMQC.MQPMO_NO_SYNCPOINT | options;
        return made;
    }

    private static String next(MQDestination from, int wait) throws Exception {
        MQGetMessageOptions options = new MQGetMessageOptions();
        options.options = CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT | CMQC.MQGMO_NO_PROPERTIES;
        options.waitInterval = wait;
        MQMessage found = new MQMessage();
        from.get(found, options);
        return found.readStringOfByteLength(found.getMessageLength());
    }

    @Case(Case.SHARES)
    void publication_when_subscribed_then_it_comes() throws Exception {
        MQQueueManager connection = connect();
        MQTopic listening = subscriber(connection, "+", MANAGED);
        MQTopic topic = publisher(connection, "a");
        topic.put(text("one"), publishing(0));
        equal("one", next(listening, 15_000));
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> next(listening, 100));
        topic.close();
        listening.close();
    }

    @Case(Case.SHARES)
    void durable_when_closed_and_resumed_then_gets_what_came_meanwhile() throws Exception {
        MQQueueManager connection = connect();
        connection.accessTopic(queue + "/a", null, DURABLE, null, queue).close();
        MQTopic topic = publisher(connection, "a");
        topic.put(text("one"), publishing(0));
        MQTopic again = connection.accessTopic(queue + "/a", null, DURABLE, null, queue);
        equal("one", next(again, 15_000));
        MQSubscription subscription = again.getSubscriptionReference();
        subscription.setCloseOptions(CMQC.MQCO_REMOVE_SUB);
        subscription.close();
        again.close();
    }

    @Case(Case.SHARES)
    void retained_when_requested_then_sent() throws Exception {
        MQQueueManager connection = connect();
        MQTopic topic = publisher(connection, "r");
        topic.put(text("kept"), publishing(CMQC.MQPMO_RETAIN));
        MQTopic asking = subscriber(connection, "r", MANAGED | CMQC.MQSO_PUBLICATIONS_ON_REQUEST);
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> next(asking, 100));
        MQSubscription subscription = asking.getSubscriptionReference();
        equal(1, subscription.requestPublicationUpdate(CMQC.MQSRO_NONE));
        equal("kept", next(asking, 15_000));
        MQTopic empty = subscriber(connection, "none", MANAGED | CMQC.MQSO_PUBLICATIONS_ON_REQUEST);
        reason(CMQC.MQRC_NO_RETAINED_MSG,
                () -> empty.getSubscriptionReference().requestPublicationUpdate(CMQC.MQSRO_NONE));
    }

    @Case(Case.SHARES)
    void topic_when_it_cannot_be_opened_then_its_reason() throws Exception {
        MQQueueManager connection = connect();
        reason(CMQC.MQRC_UNKNOWN_OBJECT_NAME, () -> connection.accessTopic(
                null, "NO.SUCH.TOPIC", CMQC.MQTOPIC_OPEN_AS_PUBLICATION, CMQC.MQOO_OUTPUT));
        reason(CMQC.MQRC_OPTIONS_ERROR, () -> subscriber(connection, "a", CMQC.MQSO_MANAGED));
        open(connection).close();
    }
}
