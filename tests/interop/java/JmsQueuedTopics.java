import com.ibm.mq.jms.MQConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;
import javax.jms.TextMessage;
import javax.jms.Topic;

/**
 * Topics as the client has them for old brokers (PROVIDERVERSION(6)): commands in MQRFH messages with
 * BROKERVER(V1), in MQRFH2 messages with BROKERVER(V2).
 */
final class JmsQueuedTopics extends JmsCases {
    private static final long SHORT_MS = 300;
    private static final int[] VERSIONS = {WMQConstants.WMQ_BROKER_V1, WMQConstants.WMQ_BROKER_V2};

    private MQConnectionFactory factory(int version) throws JMSException {
        MQConnectionFactory made = place.factory();
        made.setProviderVersion("6");
        made.setBrokerVersion(version);
        made.setClientID(queue + version);
        return made;
    }

    private Session session(int version, String client) throws JMSException {
        MQConnectionFactory factory = factory(version);
        factory.setClientID(queue + version + client);
        Connection made = keep(factory.createConnection());
        made.start();
        return automatic(made);
    }

    private Topic topic(Session session, int version, String below) throws JMSException {
        return session.createTopic("topic://" + queue + version + "/" + below);
    }

    private static void publish(Session session, Topic to, String words) throws JMSException {
        MessageProducer producer = session.createProducer(to);
        TextMessage message = session.createTextMessage(words);
        message.setStringProperty("colour", words);
        producer.send(message);
        producer.close();
    }

    @Case(Case.SHARES)
    void consumer_gets_what_is_published_with_its_properties() throws Exception {
        for (int version : VERSIONS) {
            Session session = session(version, "a");
            Topic topic = topic(session, version, "a");
            publish(session, topic, "before");
            MessageConsumer consumer = session.createConsumer(topic);
            publish(session, topic, "red");
            Message found = consumer.receive(WAIT_MS);
            equal("red", ((TextMessage) found).getText());
            equal("red", found.getStringProperty("colour"));
            equal(null, consumer.receive(SHORT_MS));
        }
    }

    @Case(Case.SHARES)
    void durable_subscriber_gets_what_came_while_it_was_away() throws Exception {
        for (int version : VERSIONS) {
            Session session = session(version, "b");
            Topic topic = topic(session, version, "b");
            session.createDurableSubscriber(topic, "kept").close();
            publish(session, topic, "meanwhile");
            MessageConsumer again = session.createDurableSubscriber(topic, "kept");
            equal("meanwhile", received(again));
            again.close();
            session.unsubscribe("kept");
            publish(session, topic, "afterwards");
            MessageConsumer anew = session.createDurableSubscriber(topic, "kept");
            equal(null, anew.receive(SHORT_MS));
            anew.close();
            session.unsubscribe("kept");
        }
    }

    @Case(Case.SHARES)
    void wildcards_are_those_of_the_broker() throws Exception {
        for (int version : VERSIONS) {
            Session session = session(version, "c");
            String all = version == WMQConstants.WMQ_BROKER_V1 ? "*" : "#";
            MessageConsumer consumer = session.createConsumer(topic(session, version, all));
            publish(session, topic(session, version, "c/d"), "below");
            equal("below", received(consumer));
        }
    }

    @Case(Case.SHARES)
    void subscriber_without_its_own_messages_gets_those_of_others() throws Exception {
        for (int version : VERSIONS) {
            Session own = session(version, "d");
            Session other = session(version, "e");
            Topic topic = topic(own, version, "d");
            MessageConsumer consumer = own.createConsumer(topic, null, true);
            publish(own, topic, "own");
            publish(other, topic, "other");
            equal("other", received(consumer));
            equal(null, consumer.receive(SHORT_MS));
        }
    }

    @Case(Case.SHARES)
    void subscription_ends_with_its_connection() throws Exception {
        for (int version : VERSIONS) {
            MQConnectionFactory factory = factory(version);
            Connection first = factory.createConnection();
            first.start();
            Session session = automatic(first);
            Topic topic = topic(session, version, "f");
            session.createConsumer(topic);
            first.close();
            Session next = session(version, "g");
            MessageConsumer consumer = next.createConsumer(topic);
            publish(next, topic, "once");
            equal("once", received(consumer));
            equal(null, consumer.receive(SHORT_MS));
        }
    }
}
