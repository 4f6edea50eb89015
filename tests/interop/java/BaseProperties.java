import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPropertyDescriptor;
import com.ibm.mq.MQQueue;
import com.ibm.mq.constants.CMQC;
import java.util.Enumeration;
import java.util.TreeSet;

/** Properties of messages, which travel in an MQRFH2. */
final class BaseProperties extends Cases {
    private static final int NO_SYNC = CMQC.MQPMO_NO_SYNCPOINT;

    private static MQMessage furnished() throws Exception {
        MQMessage made = text("with properties");
        made.setStringProperty("words", "Grüße & <more>");
        made.setIntProperty("number", 42);
        return made;
    }

    @Case
    void every_kind_of_value_comes_back() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = text("kinds");
        sent.setBooleanProperty("aBoolean", true);
        sent.setByteProperty("aByte", (byte) -7);
        sent.setShortProperty("aShort", (short) 1234);
        sent.setIntProperty("anInt", -123456789);
        sent.setLongProperty("aLong", 1L << 50);
        sent.setFloatProperty("aFloat", 1.25f);
        sent.setDoubleProperty("aDouble", -2.5e100);
        sent.setStringProperty("aString", "tab\tand \"quote\" und Größe");
        sent.setBytesProperty("someBytes", new byte[] {0, 1, -1, 127});
        sent.setObjectProperty("nothing", null);
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_IN_HANDLE | CMQC.MQGMO_NO_SYNCPOINT);
        equal(true, found.getBooleanProperty("aBoolean"));
        equal((byte) -7, found.getByteProperty("aByte"));
        equal((short) 1234, found.getShortProperty("aShort"));
        equal(-123456789, found.getIntProperty("anInt"));
        equal(1L << 50, found.getLongProperty("aLong"));
        equal(1.25f, found.getFloatProperty("aFloat"));
        equal(-2.5e100, found.getDoubleProperty("aDouble"));
        equal("tab\tand \"quote\" und Größe", found.getStringProperty("aString"));
        equal(new byte[] {0, 1, -1, 127}, found.getBytesProperty("someBytes"));
        equal(null, found.getObjectProperty("nothing"));
        equal("kinds", words(found));
        equal(CMQC.MQFMT_STRING, found.format);
    }

    @Case
    void names_can_be_listed() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = furnished();
        sent.setStringProperty("colour.of.hair", "red");
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_IN_HANDLE | CMQC.MQGMO_NO_SYNCPOINT);
        TreeSet<String> names = new TreeSet<>();
        Enumeration<String> all = found.getPropertyNames("%");
        while (all.hasMoreElements()) {
            names.add(all.nextElement());
        }
        holds(names.contains("words") && names.contains("number"), "names: " + names);
        equal("red", found.getStringProperty("colour.of.hair"));
    }

    @Case
    void as_the_queue_says_they_are_properties() throws Exception {
        MQQueue own = open(connect());
        own.put(furnished(), putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_AS_Q_DEF | CMQC.MQGMO_NO_SYNCPOINT);
        equal("Grüße & <more>", found.getStringProperty("words"));
        equal(42, found.getIntProperty("number"));
    }

    @Case
    void no_properties_leaves_the_data_alone() throws Exception {
        MQQueue own = open(connect());
        own.put(furnished(), putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_NO_PROPERTIES | CMQC.MQGMO_NO_SYNCPOINT);
        equal("with properties", words(found));
        equal(CMQC.MQFMT_STRING, found.format);
        reason(CMQC.MQRC_PROPERTY_NOT_AVAILABLE, () -> found.getStringProperty("words"));
    }

    @Case
    void forced_mqrfh2_is_in_front_of_the_data() throws Exception {
        MQQueue own = open(connect());
        own.put(furnished(), putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_FORCE_MQRFH2 | CMQC.MQGMO_NO_SYNCPOINT);
        equal(CMQC.MQFMT_RF_HEADER_2, found.format);
        String all = new String(data(found), "UTF-8");
        holds(all.startsWith("RFH ") && all.endsWith("with properties"), "data: " + all);
        holds(all.contains("<usr>") && all.contains("42"), "folder: " + all);
    }

    @Case
    void compatibility_gives_jms_folders_as_mqrfh2() throws Exception {
        MQQueue own = open(connect());
        own.put(furnished(), putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_COMPATIBILITY | CMQC.MQGMO_NO_SYNCPOINT);
        String all = new String(data(found), "ISO-8859-1");
        holds(all.endsWith("with properties"), "data is there: " + all);
    }

    @Case
    void browse_then_get_gives_them_twice() throws Exception {
        MQQueue own = open(connect(), BOTH | CMQC.MQOO_BROWSE);
        own.put(furnished(), putting(NO_SYNC));
        MQMessage seen = got(own, CMQC.MQGMO_BROWSE_FIRST | CMQC.MQGMO_PROPERTIES_IN_HANDLE);
        equal(42, seen.getIntProperty("number"));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_IN_HANDLE | CMQC.MQGMO_NO_SYNCPOINT);
        equal(42, found.getIntProperty("number"));
        equal("with properties", words(found));
    }

    @Case
    void put1_takes_them_along() throws Exception {
        var connection = connect();
        connection.put(queue, furnished(), putting(NO_SYNC));
        MQMessage found = got(open(connection),
                CMQC.MQGMO_PROPERTIES_IN_HANDLE | CMQC.MQGMO_NO_SYNCPOINT);
        equal("Grüße & <more>", found.getStringProperty("words"));
    }

    @Case(Case.SHARES)
    void large_message_with_properties_is_whole() throws Exception {
        MQQueue own = open(connect());
        byte[] data = pattern(100_000);
        MQMessage sent = bytes(data);
        sent.setStringProperty("long", "x".repeat(40_000));
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_IN_HANDLE | CMQC.MQGMO_NO_SYNCPOINT);
        equal("x".repeat(40_000), found.getStringProperty("long"));
        same(data, data(found));
    }

    @Case(Case.SHARES)
    void deleted_property_does_not_travel() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = furnished();
        sent.deleteProperty("number");
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_IN_HANDLE | CMQC.MQGMO_NO_SYNCPOINT);
        equal("Grüße & <more>", found.getStringProperty("words"));
        reason(CMQC.MQRC_PROPERTY_NOT_AVAILABLE, () -> found.getIntProperty("number"));
    }

    @Case(Case.SHARES)
    void descriptor_of_a_property_comes_back() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = text("described");
        MQPropertyDescriptor descriptor = new MQPropertyDescriptor();
        descriptor.context = CMQC.MQPD_USER_CONTEXT;
        sent.setStringProperty("described", descriptor, "yes");
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_IN_HANDLE | CMQC.MQGMO_NO_SYNCPOINT);
        MQPropertyDescriptor back = new MQPropertyDescriptor();
        equal("yes", found.getStringProperty("described", back));
        equal(CMQC.MQPD_USER_CONTEXT, back.context);
    }
}
