import java.io.Serializable;
import java.util.Arrays;
import java.util.Collections;
import java.util.TreeSet;
import javax.jms.BytesMessage;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.MessageFormatException;
import javax.jms.ObjectMessage;
import javax.jms.Session;
import javax.jms.StreamMessage;
import javax.jms.TextMessage;

/** Every type of JMS message, with headers and properties. */
final class JmsMessages extends JmsCases {
    private Message there_and_back(Session session, Message sent) throws Exception {
        session.createProducer(own(session)).send(sent);
        Message found = session.createConsumer(own(session)).receive(WAIT_MS);
        holds(found != null, "a message");
        return found;
    }

    @Case
    void text() throws Exception {
        Session session = automatic(started());
        Message found = there_and_back(session, session.createTextMessage("Grüße, 世界 \n\t<&>"));
        equal("Grüße, 世界 \n\t<&>", ((TextMessage) found).getText());
    }

    @Case
    void empty_text_and_no_text() throws Exception {
        Session session = automatic(started());
        equal("", ((TextMessage) there_and_back(session, session.createTextMessage(""))).getText());
        TextMessage found = (TextMessage) there_and_back(session, session.createTextMessage());
        holds(found.getText() == null || found.getText().isEmpty(), "no text");
    }

    @Case
    void bytes() throws Exception {
        Session session = automatic(started());
        BytesMessage sent = session.createBytesMessage();
        sent.writeInt(-5);
        sent.writeUTF("utf");
        sent.writeBytes(pattern(5000));
        BytesMessage found = (BytesMessage) there_and_back(session, sent);
        equal(-5, found.readInt());
        equal("utf", found.readUTF());
        byte[] rest = new byte[5000];
        equal(5000, found.readBytes(rest));
        same(pattern(5000), rest);
    }

    @Case
    void map() throws Exception {
        Session session = automatic(started());
        MapMessage sent = session.createMapMessage();
        sent.setInt("int", 7);
        sent.setString("string", "words & <more>");
        sent.setBytes("bytes", new byte[] {1, 2, -3});
        sent.setDouble("double", 0.5);
        sent.setBoolean("boolean", true);
        sent.setChar("char", 'ü');
        sent.setLong("long", Long.MIN_VALUE);
        MapMessage found = (MapMessage) there_and_back(session, sent);
        equal(7, found.getInt("int"));
        equal("words & <more>", found.getString("string"));
        equal(new byte[] {1, 2, -3}, found.getBytes("bytes"));
        equal(0.5, found.getDouble("double"));
        equal(true, found.getBoolean("boolean"));
        equal('ü', found.getChar("char"));
        equal(Long.MIN_VALUE, found.getLong("long"));
        equal(7, Collections.list(found.getMapNames()).size());
    }

    @Case
    void stream() throws Exception {
        Session session = automatic(started());
        StreamMessage sent = session.createStreamMessage();
        sent.writeString("first");
        sent.writeInt(2);
        sent.writeBytes(new byte[] {3});
        sent.writeFloat(4.5f);
        StreamMessage found = (StreamMessage) there_and_back(session, sent);
        equal("first", found.readString());
        equal(2, found.readInt());
        byte[] one = new byte[1];
        equal(1, found.readBytes(one));
        equal(-1, found.readBytes(one));
        equal(4.5f, found.readFloat());
    }

    @Case
    void object() throws Exception {
        Session session = automatic(started());
        Serializable value = new java.util.ArrayList<>(Arrays.asList("a", 1, 2.5));
        ObjectMessage found = (ObjectMessage) there_and_back(
                session, session.createObjectMessage(value));
        equal(value, found.getObject());
    }

    @Case
    void message_without_a_body() throws Exception {
        Session session = automatic(started());
        Message sent = session.createMessage();
        sent.setStringProperty("only", "properties");
        Message found = there_and_back(session, sent);
        equal("properties", found.getStringProperty("only"));
    }

    @Case
    void headers() throws Exception {
        Session session = automatic(started());
        TextMessage sent = session.createTextMessage("headers");
        sent.setJMSType("a type");
        sent.setJMSCorrelationID("a correlation");
        sent.setJMSReplyTo(session.createQueue("queue:///DEV.QUEUE.3"));
        Message found = there_and_back(session, sent);
        equal("a type", found.getJMSType());
        equal("a correlation", found.getJMSCorrelationID());
        holds(found.getJMSReplyTo().toString().contains("DEV.QUEUE.3"), "reply to");
        holds(found.getJMSDestination().toString().contains(queue), "destination");
        equal(sent.getJMSMessageID(), found.getJMSMessageID());
        holds(found.getJMSMessageID().startsWith("ID:414d5120"), found.getJMSMessageID());
        holds(Math.abs(found.getJMSTimestamp() - System.currentTimeMillis()) < 120_000, "time");
        equal(4, found.getJMSPriority());
    }

    @Case
    void properties_of_every_kind() throws Exception {
        Session session = automatic(started());
        TextMessage sent = session.createTextMessage("properties");
        sent.setBooleanProperty("aBoolean", false);
        sent.setByteProperty("aByte", (byte) 1);
        sent.setShortProperty("aShort", (short) -2);
        sent.setIntProperty("anInt", 3);
        sent.setLongProperty("aLong", -4L);
        sent.setFloatProperty("aFloat", 5.5f);
        sent.setDoubleProperty("aDouble", -6.5);
        sent.setStringProperty("aString", "<&>\"'ü");
        sent.setObjectProperty("anObject", 8);
        Message found = there_and_back(session, sent);
        equal(false, found.getBooleanProperty("aBoolean"));
        equal((byte) 1, found.getByteProperty("aByte"));
        equal((short) -2, found.getShortProperty("aShort"));
        equal(3, found.getIntProperty("anInt"));
        equal(-4L, found.getLongProperty("aLong"));
        equal(5.5f, found.getFloatProperty("aFloat"));
        equal(-6.5, found.getDoubleProperty("aDouble"));
        equal("<&>\"'ü", found.getStringProperty("aString"));
        equal(8, found.getObjectProperty("anObject"));
        TreeSet<String> names = new TreeSet<>();
        for (Object name : Collections.list(found.getPropertyNames())) {
            names.add((String) name);
        }
        holds(names.contains("aString") && names.contains("anObject"), "names: " + names);
    }

    @Case
    void properties_that_mq_makes_itself() throws Exception {
        Session session = automatic(started());
        Message found = there_and_back(session, session.createTextMessage("by MQ"));
        equal("Judge " + place.name, found.getStringProperty("JMSXAppID").trim());
        equal(place.user, found.getStringProperty("JMSXUserID").trim());
        equal("MQSTR", found.getStringProperty("JMS_IBM_Format").trim());
        equal(8, found.getIntProperty("JMS_IBM_MsgType"));
        equal(8, found.getStringProperty("JMS_IBM_PutDate").length());
    }

    @Case(Case.SHARES)
    void groups_and_report_options_travel() throws Exception {
        Session session = automatic(started());
        TextMessage sent = session.createTextMessage("grouped");
        sent.setStringProperty("JMSXGroupID", "ID:0102030405060708090a0b0c0d0e0f101112131415161718");
        sent.setIntProperty("JMSXGroupSeq", 1);
        sent.setIntProperty("JMS_IBM_Report_Pass_Msg_ID", 128);
        Message found = there_and_back(session, sent);
        equal(1, found.getIntProperty("JMSXGroupSeq"));
        equal(128, found.getIntProperty("JMS_IBM_Report_Pass_Msg_ID"));
    }

    @Case(Case.SHARES)
    void properties_that_cannot_be_read_as_another_kind_are_refused() throws Exception {
        Session session = automatic(started());
        TextMessage sent = session.createTextMessage("kinds");
        sent.setDoubleProperty("aDouble", 1.5);
        Message found = there_and_back(session, sent);
        try {
            found.getIntProperty("aDouble");
        } catch (MessageFormatException refused) {
            return;
        }
        throw new AssertionError("a double was read as an integer");
    }
}
