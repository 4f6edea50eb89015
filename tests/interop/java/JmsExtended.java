import com.ibm.mq.jms.MQConnectionFactory;
import java.util.ArrayList;
import java.util.List;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;
import javax.jms.TextMessage;
import javax.jms.Topic;

/**
 * What com.ibm.mq.jms.SupportMQExtensions changes. The setting is one of a process, so cases of
 * JmsTopics start one for each of these.
 */
final class JmsExtended extends JmsCases {
    private static final long SHORT_MS = 300;

    private Connection client() throws JMSException {
        MQConnectionFactory factory = place.factory();
        factory.setClientID(queue + "c");
        Connection made = keep(factory.createConnection());
        made.start();
        return made;
    }

    private static void publish(Session session, Topic to, String words) throws JMSException {
        MessageProducer producer = session.createProducer(to);
        producer.send(session.createTextMessage(words));
        producer.close();
    }

    private static List<String> all(MessageConsumer from) throws JMSException {
        List<String> found = new ArrayList<>();
        for (Message one = from.receive(SHORT_MS); one != null; one = from.receive(SHORT_MS)) {
            found.add(((TextMessage) one).getText());
        }
        return found;
    }

    void client_id_is_used_twice() throws Exception {
        Session first = automatic(client());
        Session second = automatic(client());
        Topic topic = first.createTopic("topic://" + queue + "/a");
        MessageConsumer consumer = first.createConsumer(topic);
        publish(second, topic, "1");
        equal(List.of("1"), all(consumer));
    }

    void no_local_is_by_connection() throws Exception {
        Session session = automatic(client());
        Session other = automatic(client()); // of the same client id
        Topic topic = session.createTopic("topic://" + queue + "/a");
        MessageConsumer consumer = session.createConsumer(topic, null, true);
        MessageConsumer durable = session.createDurableSubscriber(topic, "d1", null, true);
        publish(session, topic, "own");
        publish(other, topic, "other");
        equal(List.of("other"), all(consumer));
        equal(List.of("other"), all(durable));
        durable.close();
        session.unsubscribe("d1");
    }
}
