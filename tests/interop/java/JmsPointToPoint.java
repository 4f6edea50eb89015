import com.ibm.mq.constants.CMQC;
import com.ibm.mq.jms.MQConnectionFactory;
import com.ibm.mq.jms.MQQueue;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.Enumeration;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.InvalidDestinationException;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.JMSSecurityException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.QueueBrowser;
import javax.jms.QueueConnection;
import javax.jms.QueueRequestor;
import javax.jms.QueueSession;
import javax.jms.Session;
import javax.jms.TemporaryQueue;
import javax.jms.TextMessage;

/** JMS, point to point, without listeners. */
final class JmsPointToPoint extends JmsCases {
    @Case
    void sends_and_receives() throws Exception {
        Session session = automatic(started());
        Queue own = own(session);
        send(session, own, "hello");
        MessageConsumer consumer = session.createConsumer(own);
        equal("hello", received(consumer));
        equal(null, consumer.receiveNoWait());
    }

    @Case
    void connects_with_user_and_password() throws Exception {
        Connection connection =
                keep(place.factory().createConnection(place.user, place.password));
        connection.start();
        Session session = automatic(connection);
        send(session, own(session), "as a user");
        Message found = session.createConsumer(own(session)).receive(WAIT_MS);
        equal(place.user, found.getStringProperty("JMSXUserID").trim());
    }

    @Case
    void wrong_password_is_a_security_exception_with_2035() throws Exception {
        MQConnectionFactory factory = place.factory();
        JMSException refused = linkedReason(CMQC.MQRC_NOT_AUTHORIZED,
                () -> factory.createConnection(place.user, "wrong"));
        holds(refused instanceof JMSSecurityException, "JMSSecurityException");
    }

    @Case(Case.SHARES)
    void unknown_channel_is_2540() throws Exception {
        MQConnectionFactory factory = place.factory();
        factory.setChannel("J.NOT.THERE");
        linkedReason(CMQC.MQRC_UNKNOWN_CHANNEL_NAME, factory::createConnection);
    }

    @Case
    void unknown_queue_is_an_invalid_destination_with_2085() throws Exception {
        Session session = automatic(started());
        Queue none = session.createQueue("J.NOT.THERE");
        JMSException refused = linkedReason(CMQC.MQRC_UNKNOWN_OBJECT_NAME,
                () -> session.createProducer(none));
        holds(refused instanceof InvalidDestinationException, "InvalidDestinationException");
        linkedReason(CMQC.MQRC_UNKNOWN_OBJECT_NAME, () -> session.createConsumer(none));
    }

    @Case(Case.SHARES)
    void queue_without_authority_is_2035() throws Exception {
        Session session = automatic(started());
        linkedReason(CMQC.MQRC_NOT_AUTHORIZED,
                () -> session.createProducer(session.createQueue("SECRET.QUEUE")));
    }

    @Case(Case.SHARES)
    void full_queue_is_2053() throws Exception {
        Session session = automatic(started());
        Queue small = session.createQueue(named("JMS.SMALL"));
        send(session, small, "1");
        send(session, small, "2");
        linkedReason(CMQC.MQRC_Q_FULL, () -> send(session, small, "3"));
        MessageConsumer consumer = session.createConsumer(small);
        equal("1", received(consumer));
        equal("2", received(consumer));
    }

    @Case
    void receive_ends_with_nothing_after_its_time() throws Exception {
        Session session = automatic(started());
        MessageConsumer consumer = session.createConsumer(own(session));
        long begun = System.nanoTime();
        equal(null, consumer.receive(300));
        holds((System.nanoTime() - begun) / 1_000_000 >= 290, "it waited");
    }

    @Case
    void receive_waits_for_the_message() throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        MessageConsumer consumer = session.createConsumer(own(session));
        Session other = automatic(connection);
        Thread receiver = Thread.currentThread();
        Thread sender = new Thread(() -> {
            try {
                until_it_waits_in_a_get(receiver);
                send(other, own(other), "at last");
            } catch (Exception wrong) {
                wrong.printStackTrace();
            }
        });
        sender.start();
        equal("at last", received(consumer));
        sender.join();
    }

    @Case
    void transacted_session_commits_and_rolls_back() throws Exception {
        Connection connection = started();
        Session unit = transacted(connection);
        Session other = automatic(connection);
        MessageConsumer watching = other.createConsumer(own(other));
        send(unit, own(unit), "never");
        unit.rollback();
        equal(null, watching.receiveNoWait());
        send(unit, own(unit), "in a unit");
        equal(null, watching.receiveNoWait());
        unit.commit();
        equal("in a unit", received(watching));
    }

    @Case
    void rolled_back_message_is_redelivered() throws Exception {
        Connection connection = started();
        Session unit = transacted(connection);
        send(unit, own(unit), "twice");
        unit.commit();
        MessageConsumer consumer = unit.createConsumer(own(unit));
        Message first = consumer.receive(WAIT_MS);
        holds(!first.getJMSRedelivered(), "not yet redelivered");
        equal(1, first.getIntProperty("JMSXDeliveryCount"));
        unit.rollback();
        Message second = consumer.receive(WAIT_MS);
        holds(second.getJMSRedelivered(), "redelivered");
        equal(2, second.getIntProperty("JMSXDeliveryCount"));
        unit.commit();
        equal(null, consumer.receiveNoWait());
    }

    @Case
    void client_acknowledgement_recovers_what_was_not_acknowledged() throws Exception {
        Connection connection = started();
        Session session = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        send(session, own(session), "one");
        send(session, own(session), "two");
        MessageConsumer consumer = session.createConsumer(own(session));
        Message one = consumer.receive(WAIT_MS);
        one.acknowledge();
        equal("two", received(consumer));
        session.recover();
        Message again = consumer.receive(WAIT_MS);
        equal("two", ((TextMessage) again).getText());
        holds(again.getJMSRedelivered(), "redelivered");
        again.acknowledge();
        equal(null, consumer.receiveNoWait());
    }

    @Case(Case.SHARES)
    void duplicates_ok_session_receives() throws Exception {
        Session session = started().createSession(false, Session.DUPS_OK_ACKNOWLEDGE);
        for (int at = 0; at < 10; at++) {
            send(session, own(session), "number " + at);
        }
        MessageConsumer consumer = session.createConsumer(own(session));
        for (int at = 0; at < 10; at++) {
            equal("number " + at, received(consumer));
        }
    }

    @Case
    void browser_shows_without_taking() throws Exception {
        Session session = automatic(started());
        for (int at = 0; at < 5; at++) {
            send(session, own(session), "number " + at);
        }
        QueueBrowser browser = session.createBrowser(own(session));
        Enumeration<?> each = browser.getEnumeration();
        for (int at = 0; at < 5; at++) {
            equal("number " + at, ((TextMessage) each.nextElement()).getText());
        }
        holds(!each.hasMoreElements(), "no more");
        browser.close();
        MessageConsumer consumer = session.createConsumer(own(session));
        for (int at = 0; at < 5; at++) {
            equal("number " + at, received(consumer));
        }
    }

    @Case
    void temporary_queue_takes_the_reply() throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        TemporaryQueue replies = session.createTemporaryQueue();
        TextMessage request = session.createTextMessage("how many?");
        request.setJMSReplyTo(replies);
        session.createProducer(own(session)).send(request);

        Session server = automatic(started());
        Message asked = server.createConsumer(own(server)).receive(WAIT_MS);
        TextMessage answer = server.createTextMessage("two");
        answer.setJMSCorrelationID(asked.getJMSMessageID());
        server.createProducer(asked.getJMSReplyTo()).send(answer);

        MessageConsumer consumer = session.createConsumer(replies);
        Message reply = consumer.receive(WAIT_MS);
        equal("two", ((TextMessage) reply).getText());
        equal(request.getJMSMessageID(), reply.getJMSCorrelationID());
        consumer.close();
        replies.delete();
        if (!place.name.equals("tcp0")) { // there the client deletes it with its connection
            linkedReason(CMQC.MQRC_UNKNOWN_OBJECT_NAME,
                    () -> server.createProducer(asked.getJMSReplyTo()).send(answer));
        }
    }

    @Case
    void question_by_a_queue_request_is_answered() throws Exception {
        Connection serving = started();
        Session server = automatic(serving);
        MessageConsumer requests = server.createConsumer(own(server));
        Thread answering = new Thread(() -> {
            try {
                Message asked = requests.receive(WAIT_MS);
                TextMessage answer = server.createTextMessage(
                        "answer to " + ((TextMessage) asked).getText());
                answer.setJMSCorrelationID(asked.getJMSMessageID());
                server.createProducer(asked.getJMSReplyTo()).send(answer);
            } catch (Exception wrong) {
                wrong.printStackTrace();
            }
        });
        answering.start();
        com.ibm.mq.jms.MQQueueConnectionFactory factory =
                new com.ibm.mq.jms.MQQueueConnectionFactory();
        MQConnectionFactory like = place.factory();
        factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
        factory.setHostName(like.getHostName());
        factory.setPort(like.getPort());
        factory.setChannel(like.getChannel());
        factory.setQueueManager(like.getQueueManager());
        if (place.isSecure()) {
            factory.setSSLCipherSuite(place.cipherSuite);
        }
        QueueConnection connection = keep(factory.createQueueConnection());
        connection.start();
        QueueSession session = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
        QueueRequestor asking = new QueueRequestor(session, own(session));
        Message reply = asking.request(session.createTextMessage("question"));
        equal("answer to question", ((TextMessage) reply).getText());
        asking.close();
        answering.join();
    }

    @Case
    void selector_is_obeyed() throws Exception {
        Session session = automatic(started());
        TextMessage red = session.createTextMessage("red");
        red.setStringProperty("colour", "red");
        session.createProducer(own(session)).send(red);
        // Without sharing conversations the client selects by itself.
        MessageConsumer blue = session.createConsumer(own(session), "colour = 'blue'");
        equal(null, blue.receiveNoWait());
        blue.close();
        equal("red", received(session.createConsumer(own(session), "colour = 'red'")));
    }

    @Case
    void selection_by_identifiers_works() throws Exception {
        Session session = automatic(started());
        MessageProducer producer = session.createProducer(own(session));
        String[] identifiers = new String[3];
        for (int at = 0; at < 3; at++) {
            TextMessage one = session.createTextMessage("number " + at);
            one.setJMSCorrelationID("correlation " + at);
            producer.send(one);
            identifiers[at] = one.getJMSMessageID();
        }
        MessageConsumer byMessage = session.createConsumer(
                own(session), "JMSMessageID='" + identifiers[1] + "'");
        equal("number 1", received(byMessage));
        byMessage.close();
        MessageConsumer all = session.createConsumer(own(session));
        equal("number 0", received(all));
        equal("number 2", received(all));
    }

    @Case
    void delivery_mode_priority_and_time_to_live_travel() throws Exception {
        Session session = automatic(started());
        MessageProducer producer = session.createProducer(own(session));
        producer.send(session.createTextMessage("a"), DeliveryMode.PERSISTENT, 7, 60_000);
        producer.send(session.createTextMessage("b"), DeliveryMode.NON_PERSISTENT, 2, 0);
        MessageConsumer consumer = session.createConsumer(own(session));
        Message first = consumer.receive(WAIT_MS);
        equal(DeliveryMode.PERSISTENT, first.getJMSDeliveryMode());
        equal(7, first.getJMSPriority());
        holds(first.getJMSExpiration() > System.currentTimeMillis(), "it expires later");
        Message second = consumer.receive(WAIT_MS);
        equal(DeliveryMode.NON_PERSISTENT, second.getJMSDeliveryMode());
        equal(2, second.getJMSPriority());
        equal(0L, second.getJMSExpiration());
    }

    @Case
    void message_that_has_outlived_its_time_is_not_received() throws Exception {
        Session session = automatic(started());
        MessageProducer producer = session.createProducer(own(session));
        producer.setTimeToLive(100);
        producer.send(session.createTextMessage("brief"));
        Thread.sleep(300);
        equal(null, session.createConsumer(own(session)).receiveNoWait());
    }

    @Case
    void ten_sessions_of_a_connection() throws Exception {
        Connection connection = started();
        Session[] sessions = new Session[10];
        MessageConsumer[] consumers = new MessageConsumer[10];
        for (int at = 0; at < 10; at++) {
            sessions[at] = automatic(connection);
        }
        for (int at = 0; at < 10; at++) {
            send(sessions[at], own(sessions[at]), "from " + at);
        }
        for (int at = 0; at < 10; at++) {
            consumers[at] = sessions[at].createConsumer(own(sessions[at]));
            equal("from " + at, received(consumers[at]));
            consumers[at].close();
        }
    }

    @Case
    void simplified_api_of_jms_2_works() throws Exception {
        if (place.name.equals("tcp0")) {
            try {
                place.factory().createContext().close();
            } catch (JMSRuntimeException refused) {
                return; // JMS 2.0 needs sharing conversations, as IBM documents
            }
            throw new AssertionError("JMS 2.0 without sharing conversations");
        }
        try (JMSContext context = place.factory().createContext()) {
            Queue own = context.createQueue("queue:///" + queue);
            context.createProducer().setProperty("x", 1).send(own, "by a context");
            try (var consumer = context.createConsumer(own)) {
                equal("by a context", consumer.receiveBody(String.class, WAIT_MS));
            }
        }
    }

    @Case(Case.SHARES)
    void long_message_is_whole() throws Exception {
        Session session = automatic(started());
        String words = "0123456789".repeat(30_000);
        send(session, own(session), words);
        equal(words, received(session.createConsumer(own(session))));
    }

    @Case(Case.SHARES)
    void target_client_mq_leaves_out_the_mqrfh2() throws Exception {
        Session session = automatic(started());
        MQQueue plain = new MQQueue(queue);
        plain.setTargetClient(WMQConstants.WMQ_CLIENT_NONJMS_MQ);
        TextMessage sent = session.createTextMessage("for everybody");
        session.createProducer(plain).send(sent);
        com.ibm.mq.MQQueue base = open(connect());
        com.ibm.mq.MQMessage found = got(base);
        equal(CMQC.MQFMT_STRING, found.format);
        equal("for everybody", words(found));
    }

    @Case(Case.SHARES)
    void message_of_the_base_classes_is_received() throws Exception {
        var connection = connect();
        open(connection).put(text("from the base classes"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        Session session = automatic(started());
        equal("from the base classes", received(session.createConsumer(own(session))));
    }

    @Case(Case.SHARES)
    void asynchronous_send_arrives() throws Exception {
        Session session = automatic(started());
        MQQueue quick = new MQQueue(queue);
        quick.setPutAsyncAllowed(WMQConstants.WMQ_PUT_ASYNC_ALLOWED_ENABLED);
        MessageProducer producer = session.createProducer(quick);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        for (int at = 0; at < 30; at++) {
            producer.send(session.createTextMessage("number " + at));
        }
        MessageConsumer consumer = session.createConsumer(own(session));
        for (int at = 0; at < 30; at++) {
            equal("number " + at, received(consumer));
        }
    }

    @Case(Case.SHARES)
    void read_ahead_receives_everything() throws Exception {
        Session session = automatic(started());
        MQQueue ahead = new MQQueue(queue);
        ahead.setReadAheadAllowed(WMQConstants.WMQ_READ_AHEAD_ALLOWED_ENABLED);
        MessageProducer producer = session.createProducer(ahead);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        for (int at = 0; at < 50; at++) {
            producer.send(session.createTextMessage("number " + at));
        }
        MessageConsumer consumer = session.createConsumer(ahead);
        for (int at = 0; at < 50; at++) {
            equal("number " + at, received(consumer));
        }
        consumer.close();
    }

    private static void sends(Session session, Queue to, int mode, String words) throws JMSException {
        MessageProducer producer = session.createProducer(to);
        producer.setDeliveryMode(mode);
        producer.send(session.createTextMessage(words));
        producer.close();
    }

    @Case(Case.SHARES)
    void read_ahead_after_an_empty_receive_waits_for_no_timeout() throws Exception {
        Session session = automatic(started());
        Session other = automatic(started());
        MQQueue ahead = new MQQueue(queue);
        ahead.setReadAheadAllowed(WMQConstants.WMQ_READ_AHEAD_ALLOWED_ENABLED);
        MessageConsumer consumer = session.createConsumer(ahead);
        for (int mode : new int[] {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT}) {
            equal(null, consumer.receive(200));
            equal(null, consumer.receiveNoWait());
            Thread receiver = Thread.currentThread();
            Thread sender = new Thread(() -> {
                try {
                    until_it_waits_in_a_get(receiver);
                    sends(other, ahead, mode, "late");
                } catch (Exception error) {
                    throw new IllegalStateException(error);
                }
            });
            sender.start();
            long begun = System.nanoTime();
            equal("late", received(consumer));
            holds(System.nanoTime() - begun < 8_000_000_000L, "a message as it arrives");
            sender.join();
        }
        consumer.close();
    }

    @Case(Case.SHARES)
    void read_ahead_leaves_a_persistent_message_where_it_is() throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        MQQueue ahead = new MQQueue(queue);
        ahead.setReadAheadAllowed(WMQConstants.WMQ_READ_AHEAD_ALLOWED_ENABLED);
        sends(session, ahead, DeliveryMode.NON_PERSISTENT, "got");
        sends(session, ahead, DeliveryMode.PERSISTENT, "stays");
        MessageConsumer consumer = session.createConsumer(ahead);
        equal("got", received(consumer));
        consumer.close();
        connection.close();
        Session other = automatic(started());
        equal("stays", received(other.createConsumer(own(other))));
    }
}
