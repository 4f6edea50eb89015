import com.ibm.mq.jms.MQConnectionFactory;
import java.util.HashSet;
import java.util.Set;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSRuntimeException;
import javax.jms.Topic;

/** Shared subscriptions of JMS 2.0. */
final class JmsSharedTopics extends JmsCases {
    private static final long SHORT_MS = 300;

    private JMSContext context(String client) throws Exception {
        MQConnectionFactory factory = place.factory();
        if (!client.isEmpty()) {
            factory.setClientID(queue + client);
        }
        return keep(factory.createContext());
    }

    private Topic topic(JMSContext context, String below) {
        return context.createTopic("topic://" + queue + "/" + below);
    }

    private static void refuses(Runnable attempt) {
        try {
            attempt.run();
        } catch (JMSRuntimeException refused) {
            return;
        }
        throw new AssertionError("not refused");
    }

    private static int drain(JMSConsumer from, Set<String> into) {
        int found = 0;
        for (String one = from.receiveBody(String.class, SHORT_MS);
                one != null;
                one = from.receiveBody(String.class, SHORT_MS)) {
            into.add(one);
            found++;
        }
        return found;
    }

    @Case(Case.SHARED)
    void shared_when_two_connections_consume_then_each_message_goes_to_one() throws Exception {
        JMSContext one = context("");
        JMSContext two = context("");
        JMSConsumer first = one.createSharedConsumer(topic(one, "a"), queue);
        JMSConsumer second = two.createSharedConsumer(topic(two, "a"), queue);
        JMSContext publisher = context("");
        Topic topic = topic(publisher, "a");
        for (int number = 0; number < 100; number++) {
            publisher.createProducer().send(topic, "" + number);
        }
        Set<String> seen = new HashSet<>();
        equal(100, drain(first, seen) + drain(second, seen));
        equal(100, seen.size());
        first.close();
        second.close();
        publisher.createProducer().send(topic, "in the gap");
        equal(0, drain(one.createSharedConsumer(topic(one, "a"), queue), seen));
    }

    @Case(Case.PLAIN)
    void shared_when_asked_for_with_other_terms_then_refused() throws Exception {
        JMSContext one = context("");
        JMSContext two = context("");
        one.createSharedConsumer(topic(one, "a"), queue, "n = 1");
        refuses(() -> two.createSharedConsumer(topic(two, "a"), queue, "n = 2"));
        refuses(() -> two.createSharedConsumer(topic(two, "b"), queue, "n = 1"));
        two.createSharedConsumer(topic(two, "a"), queue, "n = 1");
    }

    @Case(Case.SHARED)
    void shared_durable_when_all_are_closed_then_it_lasts() throws Exception {
        JMSContext one = context("");
        JMSContext two = context("");
        Topic topic = topic(one, "a");
        JMSConsumer first = one.createSharedDurableConsumer(topic, queue);
        JMSConsumer second = two.createSharedDurableConsumer(topic(two, "a"), queue);
        refuses(() -> one.unsubscribe(queue));
        first.close();
        second.close();
        one.createProducer().send(topic, "1").send(topic, "2");
        JMSConsumer again = two.createSharedDurableConsumer(topic(two, "a"), queue);
        equal("1", again.receiveBody(String.class, WAIT_MS));
        equal("2", again.receiveBody(String.class, WAIT_MS));
        again.close();
        one.unsubscribe(queue);
    }

    @Case(Case.PLAIN)
    void durable_when_shared_and_unshared_have_one_name_then_refused() throws Exception {
        JMSContext context = context("c");
        Topic topic = topic(context, "a");
        context.createSharedDurableConsumer(topic, "x").close();
        refuses(() -> context.createDurableConsumer(topic, "x"));
        context.unsubscribe("x");
        context.createDurableConsumer(topic, "x").close();
        refuses(() -> context.createSharedDurableConsumer(topic, "x"));
        context.unsubscribe("x");
    }
}
