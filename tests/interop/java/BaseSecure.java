import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.util.Hashtable;

/** TLS: cipher suites, certificates, refusals. */
final class BaseSecure extends Cases {
    @Case(Case.SECURE)
    void cipher_suite_is_agreed_on() throws Exception {
        MQQueue own = open(connect());
        byte[] data = pattern(100_000);
        own.put(bytes(data), putting(CMQC.MQPMO_NO_SYNCPOINT));
        same(data, data(got(own)));
    }

    @Case(Case.SECURE)
    void another_cipher_suite_than_the_channel_wants_is_refused() throws Exception {
        Hashtable<String, Object> properties = place.properties("J.TLS12");
        // Java and the queue manager both have this one, and the channel wants another.
        properties.put(
                CMQC.SSL_CIPHER_SUITE_PROPERTY, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
        reason(CMQC.MQRC_JSSE_ERROR, () -> new MQQueueManager(place.queueManager, properties));
    }

    @Case(Case.SECURE)
    void certificate_of_the_client_is_accepted_where_it_is_required() throws Exception {
        MQQueueManager connection =
                kept(new MQQueueManager(place.queueManager, place.properties("J.MUTUAL")));
        holds(connection.getCommandLevel() > 0, "it works");
    }

    @Case(Case.SECURE)
    void certificate_with_another_name_than_sslpeer_is_refused() throws Exception {
        reason(CMQC.MQRC_JSSE_ERROR,
                () -> new MQQueueManager(place.queueManager, place.properties("J.PEER")));
    }

    @Case(Case.SECURE)
    void password_is_checked_behind_tls() throws Exception {
        kept(place.connect(place.channel, place.user, place.password));
        reason(CMQC.MQRC_NOT_AUTHORIZED, () -> place.connect(place.channel, place.user, "wrong"));
    }

    @Case(Case.SECURE)
    void name_of_the_queue_manager_that_the_client_wants_is_checked() throws Exception {
        Hashtable<String, Object> properties = place.properties(place.channel);
        properties.put(CMQC.SSL_PEER_NAME_PROPERTY, "CN=queue manager");
        kept(new MQQueueManager(place.queueManager, properties));
        properties.put(CMQC.SSL_PEER_NAME_PROPERTY, "CN=another");
        reason(CMQC.MQRC_SSL_PEER_NAME_MISMATCH,
                () -> new MQQueueManager(place.queueManager, properties));
    }
}
