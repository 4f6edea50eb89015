import com.ibm.mq.MQMessage;
import com.ibm.mq.constants.CMQC;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.jms.BytesMessage;
import javax.jms.JMSException;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.ObjectMessage;
import javax.jms.QueueBrowser;
import javax.jms.Session;
import javax.jms.StreamMessage;
import javax.jms.TextMessage;

/** Each type of JMS message with properties of every type, selected by each of them. */
final class JmsProperties extends JmsCases {
    private static final Map<String, Object> PROPERTIES = new TreeMap<>(Map.of(
            "aBoolean", true,
            "aByte", (byte) -128,
            "aShort", (short) -32768,
            "anInt", Integer.MIN_VALUE,
            "aLong", Long.MAX_VALUE,
            "aFloat", -0.25f,
            "aDouble", 1e300,
            "aString", "Größe <&> \"'",
            "noString", ""));
    /** Each selects the message with these properties, and none of those beside it. */
    private static final List<String> SELECTORS = List.of(
            "aBoolean = TRUE", "aBoolean <> FALSE", "aByte = -128", "aShort = -32768", "anInt = -2147483648",
            "aLong = 9223372036854775807", "aFloat * 4 = -1", "aDouble = 1E300", "aString LIKE 'Größe <&> \"_'",
            "aString = 'Größe <&> \"'''", "noString = ''", "aByte + aShort < 0 AND aLong > anInt");

    private interface Make {
        Message message(Session session) throws JMSException;
    }

    private interface Look {
        void at(Message found) throws JMSException;
    }

    /** Among others, found by every selector and whole. */
    private void travels(Make make, Look look) throws Exception {
        Session session = automatic(started());
        send(session, own(session), "before");
        Message sent = make.message(session);
        for (Map.Entry<String, Object> one : PROPERTIES.entrySet()) {
            sent.setObjectProperty(one.getKey(), one.getValue());
        }
        session.createProducer(own(session)).send(sent);
        send(session, own(session), "behind");
        for (String selector : SELECTORS) {
            QueueBrowser browser = session.createBrowser(own(session), selector);
            List<?> seen = Collections.list(browser.getEnumeration());
            browser.close();
            equal(1, seen.size());
            check((Message) seen.get(0), sent, look);
        }
        MessageConsumer consumer = session.createConsumer(own(session), "anInt < 0 AND aString IS NOT NULL");
        check(consumer.receive(WAIT_MS), sent, look);
        equal(null, consumer.receiveNoWait());
        consumer.close();
        MessageConsumer rest = session.createConsumer(own(session), "aString IS NULL");
        equal("before", received(rest));
        equal("behind", received(rest));
    }

    private static void check(Message found, Message sent, Look look) throws JMSException {
        holds(found != null, "a message");
        equal(sent.getJMSMessageID(), found.getJMSMessageID());
        Map<String, Object> properties = new TreeMap<>();
        for (Object name : Collections.list(found.getPropertyNames())) {
            if (!((String) name).startsWith("JMS")) {
                properties.put((String) name, found.getObjectProperty((String) name));
            }
        }
        equal(PROPERTIES, properties);
        look.at(found);
    }

    @Case
    void text() throws Exception {
        travels(session -> session.createTextMessage("Grüße"),
                found -> equal("Grüße", ((TextMessage) found).getText()));
    }

    @Case
    void bytes() throws Exception {
        travels(session -> {
            BytesMessage made = session.createBytesMessage();
            made.writeBytes(pattern(3000));
            return made;
        }, found -> {
            byte[] data = new byte[(int) ((BytesMessage) found).getBodyLength()];
            ((BytesMessage) found).readBytes(data);
            same(pattern(3000), data);
        });
    }

    @Case
    void map() throws Exception {
        travels(session -> {
            MapMessage made = session.createMapMessage();
            made.setInt("anInt", 7);
            made.setBytes("aString", new byte[] {1, 2});
            return made;
        }, found -> {
            equal(7, ((MapMessage) found).getInt("anInt"));
            equal(new byte[] {1, 2}, ((MapMessage) found).getBytes("aString"));
        });
    }

    @Case
    void stream() throws Exception {
        travels(session -> {
            StreamMessage made = session.createStreamMessage();
            made.writeString("first");
            made.writeLong(2);
            return made;
        }, found -> {
            equal("first", ((StreamMessage) found).readString());
            equal(2L, ((StreamMessage) found).readLong());
        });
    }

    @Case
    void object() throws Exception {
        ArrayList<Object> value = new ArrayList<>(List.of("a", 1, 2.5));
        travels(session -> session.createObjectMessage(value),
                found -> equal(value, ((ObjectMessage) found).getObject()));
    }

    @Case
    void message_without_a_body() throws Exception {
        travels(Session::createMessage, found -> {});
    }

    @Case(Case.SHARES)
    void property_of_no_value_is_null_to_a_selector() throws Exception {
        Session session = automatic(started());
        TextMessage sent = session.createTextMessage("null");
        sent.setObjectProperty("nothing", null);
        sent.setStringProperty("something", "x");
        session.createProducer(own(session)).send(sent);
        MessageConsumer consumer =
                session.createConsumer(own(session), "nothing IS NULL AND something IS NOT NULL");
        Message found = consumer.receive(WAIT_MS);
        equal("x", found.getStringProperty("something"));
        equal(null, found.getObjectProperty("nothing"));
    }

    @Case(Case.SHARES)
    void names_that_are_no_identifiers_are_refused_by_the_client() throws Exception {
        Session session = automatic(started());
        for (String name : List.of("1a", "a b", "", "a-b", "a.b", "Body.x", "mq.a.b", "JMSfoo")) {
            Message made = session.createMessage();
            try {
                made.setStringProperty(name, "x");
            } catch (JMSException | IllegalArgumentException refused) {
                continue;
            }
            throw new AssertionError("name " + name + " was accepted");
        }
    }

    /** Words of selectors too, which the client lets pass. */
    @Case(Case.SHARES)
    void names_that_are_identifiers_travel() throws Exception {
        Session session = automatic(started());
        MessageConsumer consumer = session.createConsumer(own(session));
        for (String name : List.of("Grösse", "_x", "$x", "NULL", "true", "Between", "n".repeat(4095))) {
            Message made = session.createMessage();
            made.setStringProperty(name, "value");
            session.createProducer(own(session)).send(made);
            equal("value", consumer.receive(WAIT_MS).getStringProperty(name));
        }
    }

    @Case(Case.SHARED)
    void message_of_the_base_classes_is_selected() throws Exception {
        var base = open(connect());
        for (int number = 0; number < 3; number++) {
            MQMessage made = text("" + number);
            made.setIntProperty("size", number);
            made.setBytesProperty("raw", new byte[] {(byte) number, -1});
            made.setStringProperty("com.example.colour", number == 1 ? "red" : "blue");
            base.put(made, putting(CMQC.MQPMO_NO_SYNCPOINT));
        }
        Session session = automatic(started());
        equal("2", received(session.createConsumer(own(session), "size = 2")));
        equal("1", received(session.createConsumer(own(session), "com.example.colour = 'red'")));
        equal("0", received(session.createConsumer(own(session), "raw = \"0x00FF\"")));
    }
}
