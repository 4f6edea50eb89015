import com.ibm.mq.constants.CMQC;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.Connection;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.MessageConsumer;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.TextMessage;

/** What a transacted session promises when something fails, or nothing is there. */
final class JmsUnits extends JmsCases {
    private static final long SHORT_MS = 300;

    private JMSContext transacted() throws JMSException {
        return keep(place.factory().createContext(JMSContext.SESSION_TRANSACTED));
    }

    private static void refused(int reason, Attempt attempt) throws Exception {
        linkedReason(reason, () -> {
            try {
                attempt.run();
            } catch (JMSRuntimeException error) {
                JMSException same = new JMSException(error.getMessage());
                same.setLinkedException((Exception) error.getCause());
                throw same;
            }
        });
    }

    /** A producer without a destination sends without waiting for an answer: only the commit can tell. */
    private void commit_fails(int reason, String target, String... words) throws Exception {
        JMSContext context = transacted();
        Queue own = context.createQueue("queue:///" + queue);
        context.createProducer().send(own, "good");
        for (String one : words) {
            context.createProducer().send(context.createQueue("queue:///" + target), one);
        }
        refused(reason, context::commit); // that of the send; MQCMIT itself says 2003
        equal(0, open(connect()).getCurrentDepth());
        context.createProducer().send(own, "next");
        context.commit();
        equal(1, open(connect()).getCurrentDepth());
    }

    @Case(Case.SHARED)
    void session_receives_what_it_has_sent_and_not_committed() throws Exception {
        JMSContext context = transacted();
        Queue own = context.createQueue("queue:///" + queue);
        JMSConsumer consumer = context.createConsumer(own);
        for (int turn = 0; turn < 4; turn++) {
            context.createProducer().send(own, "word " + turn);
            equal("word " + turn, consumer.receiveBody(String.class, WAIT_MS));
            equal(0, open(connect()).getCurrentDepth());
            if (turn % 2 == 0) {
                context.commit();
            } else {
                context.rollback();
            }
            equal(null, consumer.receiveBodyNoWait(String.class));
        }
    }

    @Case(Case.SHARED)
    void commit_fails_when_a_queue_was_unknown() throws Exception {
        commit_fails(CMQC.MQRC_UNKNOWN_OBJECT_NAME, "J.NOT.THERE", "lost");
    }

    @Case(Case.PLAIN)
    void commit_fails_when_a_queue_may_not_be_used() throws Exception {
        commit_fails(CMQC.MQRC_NOT_AUTHORIZED, "SECRET.QUEUE", "lost");
    }

    @Case(Case.PLAIN)
    void commit_fails_when_a_queue_was_full() throws Exception {
        commit_fails(CMQC.MQRC_Q_FULL, named("UNIT.FULL"), "one", "lost");
    }

    @Case(Case.PLAIN)
    void commit_fails_when_puts_are_inhibited() throws Exception {
        commit_fails(CMQC.MQRC_PUT_INHIBITED, named("UNIT.SHUT"), "lost");
    }

    @Case(Case.PLAIN)
    void commit_fails_when_a_message_was_too_long() throws Exception {
        commit_fails(CMQC.MQRC_MSG_TOO_BIG_FOR_Q, named("UNIT.FULL"), "x".repeat(2000));
    }

    @Case(Case.SHARED)
    void rollback_after_a_failed_send_starts_afresh() throws Exception {
        JMSContext context = transacted();
        context.createProducer().send(context.createQueue("queue:///J.NOT.THERE"), "lost");
        context.rollback();
        context.createProducer().send(context.createQueue("queue:///" + queue), "good");
        context.commit();
        equal(1, open(connect()).getCurrentDepth());
    }

    // ---- who does not receive is given nothing

    private void works_after_an_empty_receive(boolean commits) throws Exception {
        Connection connection = started();
        Session session = transacted(connection);
        MessageConsumer consumer = session.createConsumer(own(session));
        equal(null, consumer.receive(SHORT_MS));
        Session other = automatic(connection);
        send(other, own(other), "stays");
        Queue elsewhere = session.createQueue("queue:///" + named("UNIT.WORK"));
        for (int round = 0; round < 2; round++) {
            send(session, elsewhere, "work");
            if (commits) {
                session.commit();
            } else {
                session.rollback();
            }
        }
        equal("stays", received(other.createConsumer(own(other))));
        session.close();
        equal(0, open(connect()).getCurrentDepth());
    }

    @Case
    void commit_after_an_empty_receive_takes_nothing() throws Exception {
        works_after_an_empty_receive(true);
    }

    @Case
    void rollback_after_an_empty_receive_takes_nothing() throws Exception {
        works_after_an_empty_receive(false);
    }

    @Case(Case.SHARES)
    void rollback_leaves_every_message_to_others() throws Exception {
        Connection connection = started();
        Session session = transacted(connection);
        MessageConsumer consumer = session.createConsumer(own(session));
        equal(null, consumer.receiveNoWait());
        send(session, own(session), "one");
        send(session, own(session), "two");
        session.commit();
        equal("one", received(consumer));
        session.rollback();
        Session other = automatic(connection);
        MessageConsumer rest = other.createConsumer(own(other));
        equal("one", received(rest));
        equal("two", received(rest));
    }

    // ---- poison messages

    private Queue poisoned(Session session, String which) throws JMSException {
        return session.createQueue("queue:///" + named("POISON." + which));
    }

    private int backed_out(String which) throws Exception {
        int both = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_INQUIRE;
        return connect().accessQueue(named("BACKED.OUT." + which), both).getCurrentDepth();
    }

    @Case(Case.SHARES)
    void poison_message_goes_to_the_backout_queue_after_three_rollbacks() throws Exception {
        Session session = transacted(started());
        send(session, poisoned(session, "A"), "poison");
        session.commit();
        MessageConsumer consumer = session.createConsumer(poisoned(session, "A"));
        int deliveries = 0;
        while (consumer.receive(1_000) != null && deliveries < 10) {
            deliveries++;
            session.rollback();
        }
        session.commit();
        equal(3, deliveries);
        equal(1, backed_out("A"));
    }

    @Case(Case.SHARES)
    void poison_message_of_a_listener_goes_to_the_backout_queue() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        Session session = transacted(connection);
        AtomicInteger deliveries = new AtomicInteger();
        CountDownLatch good = new CountDownLatch(1);
        session.createConsumer(poisoned(session, "B")).setMessageListener(message -> {
            try {
                if (((TextMessage) message).getText().equals("poison")) {
                    deliveries.incrementAndGet();
                    session.rollback();
                } else {
                    session.commit();
                    good.countDown();
                }
            } catch (JMSException error) {
                throw new IllegalStateException(error);
            }
        });
        Session other = transacted(connection);
        send(other, poisoned(other, "B"), "poison");
        send(other, poisoned(other, "B"), "good");
        other.commit();
        connection.start();
        holds(good.await(20, TimeUnit.SECONDS), "the good message");
        connection.stop();
        equal(3, deliveries.get());
        equal(1, backed_out("B"));
    }

    // ---- closing while somebody receives

    private void close_ends_a_receive(boolean closesConnection) throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        close_ends_a_receive(connection, session.createConsumer(own(session)), closesConnection);
    }

    private void close_ends_a_receive(
            Connection connection, MessageConsumer consumer, boolean closesConnection) throws Exception {
        List<Object> ended = new ArrayList<>();
        Thread receiver = new Thread(() -> {
            try {
                ended.add(String.valueOf(consumer.receive(30_000)));
            } catch (JMSException error) {
                ended.add(error);
            }
        });
        receiver.start();
        until_it_waits_in_a_get(receiver);
        long begun = System.nanoTime();
        if (closesConnection) {
            connection.close();
        } else {
            consumer.close();
        }
        receiver.join(20_000);
        long ms = (System.nanoTime() - begun) / 1_000_000;
        equal(List.of("null"), ended);
        // Without sharing conversations the client waits for 5 s at a time, and notifies nobody.
        int within = place.name.equals("tcp0") ? 8_000 : 5_000;
        holds(ms < within, "closed within " + within + " ms, not " + ms + " ms");
    }

    @Case
    void closing_the_connection_ends_a_receive() throws Exception {
        close_ends_a_receive(true);
    }

    @Case
    void closing_the_consumer_ends_a_receive() throws Exception {
        close_ends_a_receive(false);
    }

    @Case(Case.PLAIN)
    void closing_ends_a_receive_that_reads_ahead_after_an_empty_one() throws Exception {
        for (boolean closesConnection : new boolean[] {false, true}) {
            Connection connection = started();
            Session session = automatic(connection);
            MessageConsumer consumer = session.createConsumer(ahead(session));
            equal(null, consumer.receive(SHORT_MS));
            close_ends_a_receive(connection, consumer, closesConnection);
        }
    }

    @Case(Case.PLAIN)
    void stopping_the_connection_ends_a_receive_and_takes_nothing() throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        MessageConsumer consumer = session.createConsumer(own(session));
        stop_ends_a_receive(connection, consumer);
        Connection second = started();
        Session other = automatic(second);
        send(other, own(other), "after the stop");
        equal(1, open(connect()).getCurrentDepth());
        connection.start();
        equal("after the stop", received(consumer));
    }

    @Case(Case.PLAIN)
    void stopping_ends_a_receive_that_reads_ahead_after_an_empty_one() throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        Queue ahead = ahead(session);
        MessageConsumer consumer = session.createConsumer(ahead);
        equal(null, consumer.receive(SHORT_MS));
        stop_ends_a_receive(connection, consumer);
        send(automatic(started()), ahead, "after the stop");
        connection.start();
        equal("after the stop", received(consumer));
    }

    private static void stop_ends_a_receive(Connection connection, MessageConsumer consumer)
            throws Exception {
        List<String> found = new ArrayList<>();
        Thread receiver = new Thread(() -> {
            try {
                found.add(String.valueOf(consumer.receive(30_000)));
            } catch (JMSException error) {
                found.add(String.valueOf(error));
            }
        });
        receiver.start();
        until_it_waits_in_a_get(receiver);
        connection.stop();
        receiver.join(10_000);
        equal(List.of("null"), found);
    }
}
