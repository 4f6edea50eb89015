import com.ibm.mq.constants.CMQC;
import java.util.Enumeration;
import javax.jms.DeliveryMode;
import javax.jms.JMSContext;
import javax.jms.JMSProducer;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.QueueBrowser;
import javax.jms.Session;
import javax.jms.TextMessage;

/** JMS 2.0: messages with a delivery delay. */
final class JmsDelay extends JmsCases {
    private static final long DELAY_MS = 700;

    private static MessageProducer delayed(Session session, Queue to, long delay)
            throws Exception {
        MessageProducer producer = session.createProducer(to);
        producer.setDeliveryDelay(delay);
        return producer;
    }

    private static void arrivesLater(Session session, Queue own, int mode) throws Exception {
        MessageProducer producer = delayed(session, own, DELAY_MS);
        producer.setDeliveryMode(mode);
        TextMessage sent = session.createTextMessage("later");
        sent.setStringProperty("colour", "red");
        sent.setJMSCorrelationID("of an order");
        long before = System.currentTimeMillis();
        producer.send(sent);
        MessageConsumer consumer = session.createConsumer(own);
        equal(null, consumer.receiveNoWait());
        Message found = consumer.receive(WAIT_MS);
        long after = System.currentTimeMillis();
        holds(found != null, "a message");
        holds(after - before >= DELAY_MS, "not before its time: " + (after - before));
        equal("later", ((TextMessage) found).getText());
        equal("red", found.getStringProperty("colour"));
        equal("of an order", found.getJMSCorrelationID());
        equal(sent.getJMSMessageID(), found.getJMSMessageID());
        equal(mode, found.getJMSDeliveryMode());
        equal(sent.getJMSTimestamp(), found.getJMSTimestamp());
        equal(sent.getJMSDeliveryTime(), found.getJMSDeliveryTime());
        holds(found.getJMSDeliveryTime() >= before + DELAY_MS, "JMSDeliveryTime");
        holds(found.getJMSDeliveryTime() <= after, "JMSDeliveryTime is over");
        equal(null, consumer.receiveNoWait());
    }

    @Case(Case.SHARED)
    void persistent_message_arrives_when_its_delay_is_over() throws Exception {
        Session session = automatic(started());
        arrivesLater(session, own(session), DeliveryMode.PERSISTENT);
    }

    @Case(Case.SHARED)
    void other_message_arrives_when_its_delay_is_over() throws Exception {
        Session session = automatic(started());
        arrivesLater(session, own(session), DeliveryMode.NON_PERSISTENT);
    }

    @Case(Case.SHARED)
    void context_of_jms_2_sends_with_a_delay() throws Exception {
        JMSContext context = keep(place.factory().createContext());
        Queue own = context.createQueue("queue:///" + queue);
        JMSProducer producer = context.createProducer().setDeliveryDelay(DELAY_MS);
        long before = System.currentTimeMillis();
        producer.send(own, "from a context");
        equal("from a context", context.createConsumer(own).receiveBody(String.class, WAIT_MS));
        holds(System.currentTimeMillis() - before >= DELAY_MS, "not before its time");
    }

    @Case(Case.SHARED)
    void producer_without_a_queue_sends_with_a_delay() throws Exception {
        Session session = automatic(started());
        MessageProducer producer = delayed(session, null, DELAY_MS);
        producer.send(own(session), session.createTextMessage("by name"));
        MessageConsumer consumer = session.createConsumer(own(session));
        equal(null, consumer.receiveNoWait());
        equal("by name", received(consumer));
    }

    @Case(Case.SHARED)
    void messages_come_by_the_end_of_their_delays() throws Exception {
        Session session = automatic(started());
        Queue own = own(session);
        delayed(session, own, 1500).send(session.createTextMessage("third"));
        delayed(session, own, 400).send(session.createTextMessage("first"));
        delayed(session, own, 900).send(session.createTextMessage("second"));
        send(session, own, "at once");
        MessageConsumer consumer = session.createConsumer(own);
        for (String words : new String[] {"at once", "first", "second", "third"}) {
            equal(words, received(consumer));
        }
    }

    @Case(Case.SHARED)
    void transacted_delay_counts_from_the_send() throws Exception {
        var connection = started();
        Session session = transacted(connection);
        MessageProducer producer = delayed(session, own(session), DELAY_MS);
        producer.send(session.createTextMessage("committed"));
        Session other = automatic(connection);
        MessageConsumer consumer = other.createConsumer(own(other));
        equal(null, consumer.receive(2 * DELAY_MS)); // its time is over, the unit of work is not
        long committed = System.currentTimeMillis();
        session.commit();
        equal("committed", received(consumer));
        holds(System.currentTimeMillis() - committed < DELAY_MS, "at once after the commit");
    }

    @Case(Case.SHARED)
    void rolled_back_message_never_comes() throws Exception {
        var connection = started();
        Session session = transacted(connection);
        delayed(session, own(session), 200).send(session.createTextMessage("undone"));
        session.rollback();
        delayed(session, own(session), 300).send(session.createTextMessage("done"));
        session.commit();
        Session other = automatic(connection);
        MessageConsumer consumer = other.createConsumer(own(other));
        equal("done", received(consumer));
        equal(null, consumer.receive(300));
    }

    @Case(Case.SHARED)
    void browser_does_not_see_it_before() throws Exception {
        Session session = automatic(started());
        Queue own = own(session);
        delayed(session, own, DELAY_MS).send(session.createTextMessage("hidden"));
        QueueBrowser browser = session.createBrowser(own);
        Enumeration<?> seen = browser.getEnumeration();
        holds(!seen.hasMoreElements(), "nothing to browse yet");
        Thread.sleep(2 * DELAY_MS);
        seen = browser.getEnumeration();
        holds(seen.hasMoreElements(), "a message to browse");
        equal("hidden", ((TextMessage) seen.nextElement()).getText());
        equal("hidden", received(session.createConsumer(own)));
    }

    @Case(Case.ONCE)
    void queue_without_authority_is_2035() throws Exception {
        Session session = automatic(started());
        MessageProducer producer = delayed(session, null, DELAY_MS);
        linkedReason(CMQC.MQRC_NOT_AUTHORIZED, () -> producer.send(
                session.createQueue("SECRET.QUEUE"), session.createTextMessage("no")));
    }
}
