import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.TextMessage;

/** What the JMS cases share. */
abstract class JmsCases extends Cases {
    static final long WAIT_MS = 15_000;

    Connection started() throws JMSException {
        Connection made = keep(place.factory().createConnection());
        made.start();
        return made;
    }

    static Session automatic(Connection connection) throws JMSException {
        return connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    static Session transacted(Connection connection) throws JMSException {
        return connection.createSession(true, Session.SESSION_TRANSACTED);
    }

    Queue own(Session session) throws JMSException {
        return session.createQueue("queue:///" + queue);
    }

    /** The same, for consumers that read ahead; other cases run beside this one. */
    Queue ahead(Session session) throws JMSException {
        return session.createQueue("queue:///" + queue + "?readAheadAllowed=1");
    }

    static void send(Session session, Queue to, String words) throws JMSException {
        MessageProducer producer = session.createProducer(to);
        producer.send(session.createTextMessage(words));
        producer.close();
    }

    static String received(MessageConsumer from) throws JMSException {
        Message found = from.receive(WAIT_MS);
        holds(found != null, "a message");
        return ((TextMessage) found).getText();
    }
}
