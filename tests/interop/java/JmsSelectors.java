import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.InvalidSelectorException;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.QueueBrowser;
import javax.jms.Session;
import javax.jms.TextMessage;

/** Selectors on consumers and browsers: by headers and by properties. */
final class JmsSelectors extends JmsCases {
    private static final long SHORT_MS = 200;

    /** Messages named after their number, with properties of every type. */
    private void fill(Session session, int count) throws JMSException {
        MessageProducer producer = session.createProducer(own(session));
        for (int number = 0; number < count; number++) {
            TextMessage message = session.createTextMessage("" + number);
            message.setStringProperty("colour", number % 2 == 0 ? "red" : "blue");
            message.setIntProperty("size", number);
            message.setLongProperty("big", 10_000_000_000L + number);
            message.setDoubleProperty("weight", number / 2.0);
            message.setBooleanProperty("last", number == count - 1);
            message.setJMSType(number % 3 == 0 ? "order" : "note");
            message.setJMSCorrelationID("corr-" + number);
            producer.send(message, DeliveryMode.NON_PERSISTENT, number % 10, 0);
        }
        producer.close();
    }

    private static List<String> all(MessageConsumer consumer) throws JMSException {
        List<String> found = new ArrayList<>();
        for (Message one = consumer.receive(1_000); one != null; one = consumer.receive(SHORT_MS)) {
            found.add(((TextMessage) one).getText());
        }
        Collections.sort(found);
        return found;
    }

    private void selects(String selector, String... expected) throws Exception {
        Session session = automatic(started());
        fill(session, 8);
        QueueBrowser browser = session.createBrowser(own(session), selector);
        List<String> seen = new ArrayList<>();
        for (Object one : Collections.list(browser.getEnumeration())) {
            seen.add(((TextMessage) one).getText());
        }
        browser.close();
        Collections.sort(seen);
        equal(List.of(expected), seen);
        MessageConsumer consumer = session.createConsumer(own(session), selector);
        equal(List.of(expected), all(consumer));
        consumer.close();
        equal(8 - expected.length, all(session.createConsumer(own(session))).size());
    }

    @Case
    void string_property() throws Exception {
        selects("colour = 'red'", "0", "2", "4", "6");
    }

    @Case
    void numbers() throws Exception {
        selects("size BETWEEN 2 AND 3 OR big > 10000000006 OR weight = 0.5", "1", "2", "3", "7");
    }

    @Case(Case.PLAIN)
    void boolean_property() throws Exception {
        selects("last = TRUE", "7");
    }

    @Case(Case.PLAIN)
    void words() throws Exception {
        selects("colour LIKE 'b_ue' AND size NOT IN (1, 2) AND missing IS NULL".replace(
                "NOT IN (1, 2)", "<> 1 AND size <> 2"), "3", "5", "7");
    }

    @Case(Case.PLAIN)
    void type_and_priority() throws Exception {
        selects("JMSType = 'order' AND JMSPriority > 2", "3", "6");
    }

    @Case(Case.PLAIN)
    void correlation_id() throws Exception {
        selects("JMSCorrelationID = 'corr-5'", "5");
    }

    @Case(Case.PLAIN)
    void delivery_mode() throws Exception {
        selects("JMSDeliveryMode = 'PERSISTENT'");
    }

    @Case(Case.PLAIN)
    void message_id() throws Exception {
        Session session = automatic(started());
        fill(session, 4);
        MessageProducer producer = session.createProducer(own(session));
        TextMessage wanted = session.createTextMessage("wanted");
        producer.send(wanted);
        String selector = "JMSMessageID = '" + wanted.getJMSMessageID() + "'";
        equal(List.of("wanted"), all(session.createConsumer(own(session), selector)));
    }

    @Case(Case.PLAIN)
    void reply_is_chosen_by_its_correlation_id() throws Exception {
        Session session = automatic(started());
        fill(session, 4);
        TextMessage request = session.createTextMessage("request");
        MessageProducer producer = session.createProducer(own(session));
        producer.send(request);
        TextMessage reply = session.createTextMessage("reply");
        reply.setJMSCorrelationID(request.getJMSMessageID());
        producer.send(reply);
        String selector = "JMSCorrelationID = '" + request.getJMSMessageID() + "'";
        equal(List.of("reply"), all(session.createConsumer(own(session), selector)));
    }

    @Case
    void two_consumers_share_a_queue() throws Exception {
        Session session = automatic(started());
        MessageConsumer red = session.createConsumer(own(session), "colour = 'red'");
        MessageConsumer blue = session.createConsumer(own(session), "colour = 'blue'");
        fill(session, 6);
        equal(List.of("1", "3", "5"), all(blue));
        equal(List.of("0", "2", "4"), all(red));
    }

    @Case(Case.SHARES)
    void listener_gets_what_matches_as_it_comes() throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        List<String> found = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch three = new CountDownLatch(3);
        session.createConsumer(own(session), "colour = 'blue'").setMessageListener(message -> {
            try {
                found.add(((TextMessage) message).getText());
            } catch (JMSException error) {
                found.add(String.valueOf(error));
            }
            three.countDown();
        });
        Session other = automatic(connection);
        fill(other, 6);
        holds(three.await(20, TimeUnit.SECONDS), "three messages");
        connection.stop();
        Collections.sort(found);
        equal(List.of("1", "3", "5"), found);
    }

    @Case(Case.PLAIN)
    void message_that_is_rolled_back_comes_again() throws Exception {
        Session session = transacted(started());
        fill(session, 4);
        session.commit();
        MessageConsumer consumer = session.createConsumer(own(session), "size = 2");
        equal("2", received(consumer));
        equal(null, consumer.receive(SHORT_MS));
        session.rollback();
        Message again = consumer.receive(WAIT_MS);
        equal("2", ((TextMessage) again).getText());
        equal(true, again.getJMSRedelivered());
        session.commit();
    }

    @Case(Case.PLAIN)
    void waiting_consumer_is_not_woken_by_others() throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        MessageConsumer consumer = session.createConsumer(own(session), "size = 77");
        Session other = automatic(connection);
        Thread sender = new Thread(() -> {
            try {
                fill(other, 4);
                TextMessage wanted = other.createTextMessage("wanted");
                wanted.setIntProperty("size", 77);
                other.createProducer(own(other)).send(wanted);
            } catch (JMSException error) {
                throw new IllegalStateException(error);
            }
        });
        sender.start();
        equal("wanted", received(consumer));
        sender.join();
    }

    @Case(Case.PLAIN)
    void selector_that_is_wrong_is_refused() throws Exception {
        Session session = automatic(started());
        try {
            session.createConsumer(own(session), "colour = = 'red'");
        } catch (InvalidSelectorException expected) {
            return;
        }
        holds(false, "InvalidSelectorException");
    }
}
