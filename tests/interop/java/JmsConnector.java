import com.ibm.mq.constants.CMQC;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSProducer;
import javax.jms.JMSRuntimeException;
import javax.jms.Queue;

/**
 * The pattern by which IBM's Kafka Connect sink writes exactly once: a message on a queue of its own
 * says how far it came, and is replaced in the unit of work that puts the records.
 */
final class JmsConnector extends JmsCases {
    private JMSContext context;
    private JMSConsumer state;
    private JMSProducer producer;

    private void connect_as_the_connector_does(String states) throws JMSException {
        context = keep(place.factory().createContext(JMSContext.SESSION_TRANSACTED));
        state = context.createConsumer(context.createQueue("queue:///" + states));
        producer = context.createProducer();
    }

    /** Puts records from the one that is next up to a number; false if it failed. */
    private boolean put(String target, int end) {
        try {
            String last = state.receiveBodyNoWait(String.class);
            Queue to = context.createQueue("queue:///" + target);
            for (int record = last == null ? 0 : Integer.parseInt(last) + 1; record < end; record++) {
                producer.send(to, "record " + record);
            }
            producer.send(context.createQueue("queue:///" + named("STATE")), String.valueOf(end - 1));
            context.commit();
            return true;
        } catch (JMSRuntimeException failed) {
            return false;
        }
    }

    /** As the connector's own test of its worker does it. */
    @Case(Case.SHARED)
    void state_that_was_sent_is_received_in_the_same_session() throws Exception {
        connect_as_the_connector_does(queue); // its own: cases run side by side
        producer.send(context.createQueue("queue:///" + queue), "5");
        equal("5", state.receiveBodyNoWait(String.class));
        context.commit();
        equal(null, state.receiveBodyNoWait(String.class));
    }

    @Case(Case.SHARED)
    void records_are_put_exactly_once_whatever_fails() throws Exception {
        connect_as_the_connector_does(named("STATE"));
        holds(put(queue, 3), "the first batch");
        holds(put(queue, 3), "the same batch again");
        holds(!put("J.NOT.THERE", 5), "a failure"); // an unknown queue: the commit tells
        context.close();
        connect_as_the_connector_does(named("STATE"));
        holds(put(queue, 5), "the batch after the failure");
        context.close(); // a task moves
        connect_as_the_connector_does(named("STATE"));
        holds(put(queue, 5), "the batch again elsewhere");
        holds(put(queue, 6), "the last batch");
        context.close();
        JMSContext reader = keep(place.factory().createContext());
        JMSConsumer consumer = reader.createConsumer(reader.createQueue("queue:///" + queue));
        for (int record = 0; record < 6; record++) {
            equal("record " + record, consumer.receiveBody(String.class, WAIT_MS));
        }
        equal(null, consumer.receiveBodyNoWait(String.class));
        int both = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_INQUIRE;
        equal(1, connect().accessQueue(named("STATE"), both).getCurrentDepth());
    }
}
