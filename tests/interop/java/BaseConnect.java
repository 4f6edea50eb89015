import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.util.Hashtable;

/** Connecting and being refused. */
final class BaseConnect extends Cases {
    @Case
    void connects_and_disconnects() throws Exception {
        MQQueueManager connection = connect();
        holds(connection.isConnected(), "it is connected");
        connection.disconnect();
        holds(!connection.isConnected(), "it is not connected any more");
    }

    @Case
    void connects_with_user_and_password() throws Exception {
        MQQueueManager connection = kept(place.connect(place.channel, place.user, place.password));
        MQQueue own = open(connection);
        own.put(text("as a user"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        equal(place.user, got(own).userId.trim());
    }

    @Case
    void wrong_password_is_2035() throws Exception {
        reason(CMQC.MQRC_NOT_AUTHORIZED, () -> place.connect(place.channel, place.user, "wrong"));
    }

    @Case
    void unknown_user_is_2035() throws Exception {
        reason(CMQC.MQRC_NOT_AUTHORIZED, () -> place.connect(place.channel, "nobody1", "wrong"));
    }

    @Case
    void unknown_channel_is_2540() throws Exception {
        reason(CMQC.MQRC_UNKNOWN_CHANNEL_NAME,
                () -> new MQQueueManager(place.queueManager, place.properties("J.NOT.THERE")));
    }

    @Case
    void unknown_queue_manager_is_2058() throws Exception {
        reason(CMQC.MQRC_Q_MGR_NAME_ERROR,
                () -> new MQQueueManager("NOT.THIS.ONE", place.properties(place.channel)));
    }

    @Case
    void blank_name_is_any_queue_manager() throws Exception {
        MQQueueManager connection = kept(new MQQueueManager("", place.properties(place.channel)));
        equal(place.queueManager, connection.getAttributeString(CMQC.MQCA_Q_MGR_NAME, 48).trim());
    }

    @Case(Case.ONCE)
    void closed_port_is_2538() throws Exception {
        Hashtable<String, Object> properties = place.properties(place.channel);
        properties.put(CMQC.PORT_PROPERTY, 1);
        reason(CMQC.MQRC_HOST_NOT_AVAILABLE,
                () -> new MQQueueManager(place.queueManager, properties));
    }

    @Case(Case.ONCE)
    void no_password_where_one_is_required_is_2035() throws Exception {
        reason(CMQC.MQRC_NOT_AUTHORIZED,
                () -> new MQQueueManager(place.queueManager, place.properties("J.REQUIRED")));
        kept(place.connect("J.REQUIRED", place.user, place.password));
    }

    @Case(Case.ONCE)
    void blocked_address_is_2035() throws Exception {
        reason(CMQC.MQRC_NOT_AUTHORIZED,
                () -> new MQQueueManager(place.queueManager, place.properties("J.BLOCKED")));
    }

    @Case(Case.ONCE)
    void stopped_channel_is_2537() throws Exception {
        reason(CMQC.MQRC_CHANNEL_NOT_AVAILABLE,
                () -> new MQQueueManager(place.queueManager, place.properties("J.STOPPED")));
    }

    @Case(Case.ONCE)
    void privileged_user_is_blocked_by_the_default_rule() throws Exception {
        reason(CMQC.MQRC_NOT_AUTHORIZED, () -> place.connect(
                "J.OPEN", place.administrator, place.administratorPassword));
    }

    @Case(Case.ONCE)
    void instance_above_maxinst_is_refused() throws Exception {
        MQQueueManager first = kept(
                new MQQueueManager(place.queueManager, place.properties("J.ONE")));
        reason(CMQC.MQRC_CHANNEL_NOT_AVAILABLE,
                () -> new MQQueueManager(place.queueManager, place.properties("J.ONE")));
        holds(first.isConnected() && first.getCommandLevel() > 0, "the first one works on");
    }

    @Case(Case.ONCE)
    void channel_that_wants_tls_refuses_without() throws Exception {
        reason(CMQC.MQRC_JSSE_ERROR,
                () -> new MQQueueManager(place.queueManager, place.properties("J.TLS12")));
    }

    @Case
    void thirty_in_a_row() throws Exception {
        for (int turn = 0; turn < 30; turn++) {
            MQQueueManager connection = place.connect();
            MQQueue own = open(connection);
            own.put(text("turn " + turn), putting(CMQC.MQPMO_NO_SYNCPOINT));
            equal("turn " + turn, words(got(own)));
            own.close();
            connection.disconnect();
        }
    }

    @Case
    void twelve_at_once() throws Exception {
        MQQueueManager[] connections = new MQQueueManager[12];
        MQQueue[] queues = new MQQueue[12];
        for (int at = 0; at < connections.length; at++) {
            connections[at] = connect();
            queues[at] = open(connections[at]);
        }
        for (int at = 0; at < connections.length; at++) {
            MQMessage message = text("from " + at);
            queues[at].put(message, putting(CMQC.MQPMO_NO_SYNCPOINT));
            equal("from " + at, words(got(queues[11 - at])));
        }
        for (int at = 0; at < connections.length; at += 2) {
            connections[at].disconnect();
        }
        for (int at = 1; at < connections.length; at += 2) {
            equal(0, queues[at].getCurrentDepth());
        }
    }

    @Case(Case.SHARES)
    void call_after_disconnect_is_2018() throws Exception {
        MQQueueManager connection = connect();
        connection.disconnect();
        reason(CMQC.MQRC_HCONN_ERROR, () -> open(connection));
    }

    @Case
    void application_name_is_in_the_descriptor() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = open(connection);
        own.put(text("who"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        MQMessage message = got(own);
        equal("Judge " + place.name, message.putApplicationName.trim());
        equal(CMQC.MQAT_JAVA, message.putApplicationType);
        equal(place.user, message.userId.trim());
    }
}
