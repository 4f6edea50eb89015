import com.ibm.mq.constants.CMQC;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.TextMessage;

/** Messages that come by themselves. */
final class JmsListeners extends JmsCases {
    private static void await(CountDownLatch latch) throws InterruptedException {
        holds(latch.await(20, TimeUnit.SECONDS), latch.getCount() + " messages are missing");
    }

    @Case
    void listener_gets_what_is_there_and_what_comes() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        Session sending = automatic(connection);
        for (int at = 0; at < 5; at++) {
            send(sending, own(sending), "number " + at);
        }
        Session listening = automatic(connection);
        CountDownLatch latch = new CountDownLatch(10);
        List<String> heard = new CopyOnWriteArrayList<>();
        listening.createConsumer(own(listening)).setMessageListener(message -> {
            heard.add(textOf(message));
            latch.countDown();
        });
        connection.start();
        for (int at = 5; at < 10; at++) {
            send(sending, own(sending), "number " + at);
        }
        await(latch);
        for (int at = 0; at < 10; at++) {
            equal("number " + at, heard.get(at));
        }
    }

    @Case
    void transacted_listener_commits_each() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        Session unit = transacted(connection);
        CountDownLatch latch = new CountDownLatch(5);
        unit.createConsumer(own(unit)).setMessageListener(message -> {
            try {
                unit.commit();
                latch.countDown();
            } catch (JMSException wrong) {
                wrong.printStackTrace();
            }
        });
        connection.start();
        Session sending = automatic(connection);
        for (int at = 0; at < 5; at++) {
            send(sending, own(sending), "number " + at);
        }
        await(latch);
        connection.close();
        equal(0, open(connect()).getCurrentDepth());
    }

    @Case
    void transacted_listener_that_rolls_back_gets_it_again() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        Session unit = transacted(connection);
        CountDownLatch latch = new CountDownLatch(3);
        AtomicInteger turns = new AtomicInteger();
        unit.createConsumer(own(unit)).setMessageListener(message -> {
            try {
                if (turns.incrementAndGet() < 3) {
                    unit.rollback();
                } else {
                    equal(3, message.getIntProperty("JMSXDeliveryCount"));
                    unit.commit();
                }
                latch.countDown();
            } catch (JMSException wrong) {
                wrong.printStackTrace();
            }
        });
        connection.start();
        Session sending = automatic(connection);
        send(sending, own(sending), "again and again");
        await(latch);
        connection.close();
        equal(0, open(connect()).getCurrentDepth());
    }

    @Case
    void client_acknowledging_listener() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        Session session = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        CountDownLatch latch = new CountDownLatch(4);
        session.createConsumer(own(session)).setMessageListener(message -> {
            try {
                message.acknowledge();
                latch.countDown();
            } catch (JMSException wrong) {
                wrong.printStackTrace();
            }
        });
        connection.start();
        Session sending = automatic(connection);
        for (int at = 0; at < 4; at++) {
            send(sending, own(sending), "number " + at);
        }
        await(latch);
        connection.close();
        equal(0, open(connect()).getCurrentDepth());
    }

    @Case
    void listener_that_is_taken_away_leaves_messages_alone() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        Session listening = automatic(connection);
        MessageConsumer consumer = listening.createConsumer(own(listening));
        CountDownLatch latch = new CountDownLatch(1);
        consumer.setMessageListener(message -> latch.countDown());
        connection.start();
        Session sending = automatic(connection);
        send(sending, own(sending), "heard");
        await(latch);
        consumer.close();
        send(sending, own(sending), "left alone");
        equal("left alone", received(sending.createConsumer(own(sending))));
    }

    @Case
    void connection_that_is_stopped_delivers_nothing() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        Session listening = automatic(connection);
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(2);
        listening.createConsumer(own(listening)).setMessageListener(message -> {
            first.countDown();
            second.countDown();
        });
        connection.start();
        Session sending = automatic(connection);
        send(sending, own(sending), "one");
        await(first);
        connection.stop();
        send(sending, own(sending), "two");
        holds(!second.await(300, TimeUnit.MILLISECONDS), "stopped");
        connection.start();
        await(second);
    }

    @Case
    void several_listeners_share_a_queue() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        CountDownLatch latch = new CountDownLatch(40);
        for (int at = 0; at < 4; at++) {
            Session listening = automatic(connection);
            listening.createConsumer(own(listening)).setMessageListener(m -> latch.countDown());
        }
        connection.start();
        Session sending = automatic(connection);
        for (int at = 0; at < 40; at++) {
            send(sending, own(sending), "number " + at);
        }
        await(latch);
        connection.close();
        equal(0, open(connect()).getCurrentDepth());
    }

    @Case
    void two_consumers_of_a_session_listen_to_two_queues() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        Session listening = automatic(connection);
        Queue other = listening.createQueue(named("LISTEN"));
        CountDownLatch latch = new CountDownLatch(6);
        listening.createConsumer(own(listening)).setMessageListener(m -> latch.countDown());
        listening.createConsumer(other).setMessageListener(m -> latch.countDown());
        connection.start();
        Session sending = automatic(connection);
        for (int at = 0; at < 3; at++) {
            send(sending, own(sending), "here");
            send(sending, other, "there");
        }
        await(latch);
    }

    @Case
    void listener_answers_requests() throws Exception {
        Connection serving = keep(place.factory().createConnection());
        Session server = automatic(serving);
        server.createConsumer(own(server)).setMessageListener(asked -> {
            try {
                TextMessage answer = server.createTextMessage("answer to " + textOf(asked));
                answer.setJMSCorrelationID(asked.getJMSMessageID());
                server.createProducer(asked.getJMSReplyTo()).send(answer);
            } catch (JMSException wrong) {
                wrong.printStackTrace();
            }
        });
        serving.start();
        Session session = automatic(started());
        Queue replies = session.createTemporaryQueue();
        MessageConsumer consumer = session.createConsumer(replies);
        for (int turn = 0; turn < 5; turn++) {
            TextMessage request = session.createTextMessage("question " + turn);
            request.setJMSReplyTo(replies);
            session.createProducer(own(session)).send(request);
            equal("answer to question " + turn, received(consumer));
        }
    }

    @Case
    void long_messages_come_whole() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        Session listening = automatic(connection);
        CountDownLatch latch = new CountDownLatch(3);
        List<String> heard = new CopyOnWriteArrayList<>();
        listening.createConsumer(own(listening)).setMessageListener(message -> {
            heard.add(textOf(message));
            latch.countDown();
        });
        connection.start();
        Session sending = automatic(connection);
        String[] words = {"a".repeat(40_000), "b".repeat(100), "c".repeat(250_000)};
        for (String one : words) {
            send(sending, own(sending), one);
        }
        await(latch);
        for (int at = 0; at < 3; at++) {
            equal(words[at].length(), heard.get(at).length());
            equal(words[at], heard.get(at));
        }
    }

    @Case(Case.SHARES)
    void exception_listener_is_told_when_the_channel_is_stopped() throws Exception {
        var factory = place.factory();
        factory.setChannel("J.STOP." + place.name.toUpperCase());
        Connection connection = keep(factory.createConnection());
        CountDownLatch told = new CountDownLatch(1);
        connection.setExceptionListener(error -> told.countDown());
        Session listening = automatic(connection);
        listening.createConsumer(own(listening)).setMessageListener(message -> { });
        connection.start();
        var admin = kept(place.connect(
                "J.ADMIN", place.administrator, place.administratorPassword));
        var agent = new com.ibm.mq.headers.pcf.PCFMessageAgent(admin);
        var stop = new com.ibm.mq.headers.pcf.PCFMessage(
                com.ibm.mq.constants.CMQCFC.MQCMD_STOP_CHANNEL);
        stop.addParameter(com.ibm.mq.constants.CMQCFC.MQCACH_CHANNEL_NAME, factory.getChannel());
        stop.addParameter(com.ibm.mq.constants.CMQCFC.MQIACF_MODE,
                com.ibm.mq.constants.CMQCFC.MQMODE_FORCE);
        agent.send(stop);
        await(told);
        linkedReason(CMQC.MQRC_CHANNEL_NOT_AVAILABLE, factory::createConnection);
        var start = new com.ibm.mq.headers.pcf.PCFMessage(
                com.ibm.mq.constants.CMQCFC.MQCMD_START_CHANNEL);
        start.addParameter(com.ibm.mq.constants.CMQCFC.MQCACH_CHANNEL_NAME, factory.getChannel());
        agent.send(start);
        agent.disconnect();
        factory.createConnection().close();
    }

    private static String textOf(Message message) {
        try {
            return ((TextMessage) message).getText();
        } catch (JMSException wrong) {
            return wrong.toString();
        }
    }
}
