import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.constants.CMQC;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;

/**
 * Names of properties. The classes check most of them before anything is sent; where they do, the
 * case says what they do, and the queue manager has nothing to decide.
 */
final class BasePropertyNames extends Cases {
    private static final int NO_SYNC = CMQC.MQPMO_NO_SYNCPOINT;
    private static final int IN_HANDLE = CMQC.MQGMO_PROPERTIES_IN_HANDLE | CMQC.MQGMO_NO_SYNCPOINT;

    private static TreeSet<String> names(MQMessage message) throws Exception {
        return new TreeSet<>(Collections.list(message.getPropertyNames("%")));
    }

    private static MQMessage there_and_back(MQQueue own, MQMessage sent) throws Exception {
        own.put(sent, putting(NO_SYNC));
        return got(own, IN_HANDLE);
    }

    private static void refused(String... names) throws Exception {
        for (String name : names) {
            MQMessage made = text("refused");
            reason(CMQC.MQRC_PROPERTY_NAME_ERROR, () -> made.setStringProperty(name, "x"));
            equal(new TreeSet<String>(), names(made));
        }
    }

    private void travels(int validation, String... wanted) throws Exception {
        MQQueue own = open(connect());
        for (String name : wanted) {
            MQMessage sent = text("body");
            sent.setPropertyValidation(validation);
            sent.setStringProperty(name, "value");
            MQMessage found = there_and_back(own, sent);
            equal("value", found.getStringProperty(name));
            equal("body", words(found));
        }
    }

    @Case(Case.SHARES)
    void name_of_4095_characters_travels() throws Exception {
        travels(CMQC.MQCMHO_DEFAULT_VALIDATION, "n".repeat(4095), "a." + "n".repeat(4093));
    }

    /** The classes take it; here it is no property, so the header stays with the data. */
    @Case(Case.SHARES)
    void name_of_4096_characters_is_no_property() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = text("body");
        sent.setStringProperty("n".repeat(4096), "value");
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_NO_PROPERTIES | CMQC.MQGMO_NO_SYNCPOINT);
        equal(CMQC.MQFMT_RF_HEADER_2, found.format);
        String all = new String(data(found), "ISO-8859-1");
        holds(all.startsWith("RFH ") && all.endsWith("body"), "a header and the data");
        holds(all.contains("n".repeat(4096)), "the name");
    }

    @Case
    void identifiers_of_java_travel() throws Exception {
        travels(CMQC.MQCMHO_DEFAULT_VALIDATION,
                "Grösse", "_x", "$x", "a.b.c", "Bodywork", "mq_usr.a", "mq.a", "Body", "Root", "été.à");
    }

    @Case(Case.SHARES)
    void words_of_selectors_are_2442() throws Exception {
        refused("NULL", "true", "False", "NOT", "and", "Or", "Between", "LIKE", "in", "IS", "escape", "usr.in");
    }

    @Case(Case.SHARES)
    void reserved_names_are_2442() throws Exception {
        refused("JMSfoo", "usr.JMSfoo", "Body.x", "Root.x", "a..b", ".a", "a.", "1a", "a b", "a-b", "", "usr.a.b");
    }

    @Case(Case.SHARES)
    void name_of_mq_with_two_dots_is_2442() throws Exception {
        refused("mq.a.b", "mq_usr.a.b"); // the second by the classes alone
        travels(CMQC.MQCMHO_DEFAULT_VALIDATION, "MQfoo.a.b"); // which look at small letters
    }

    @Case(Case.SHARES)
    void value_that_would_be_a_group_is_2498_and_the_first_stays() throws Exception {
        MQMessage sent = text("mixed");
        sent.setStringProperty("a.b", "first");
        sent.setStringProperty("a.c.d", "second");
        reason(CMQC.MQRC_MIXED_CONTENT_NOT_ALLOWED, () -> sent.setStringProperty("a.b.c", "x"));
        reason(CMQC.MQRC_MIXED_CONTENT_NOT_ALLOWED, () -> sent.setStringProperty("a.c", "x"));
        MQMessage found = there_and_back(open(connect()), sent);
        equal("first", found.getStringProperty("a.b"));
        equal("second", found.getStringProperty("a.c.d"));
        equal(new TreeSet<>(List.of("a.b", "a.c.d")), names(found));
    }

    /** But for JMSfoo, for which the classes find no folder. */
    @Case(Case.SHARES)
    void names_that_are_not_validated_travel() throws Exception {
        travels(CMQC.MQCMHO_NO_VALIDATION, "Between", "Body.x", "Root.x", "mq_usr.a.b", "mq.a.b");
        MQMessage sent = text("body");
        sent.setPropertyValidation(CMQC.MQCMHO_NO_VALIDATION);
        sent.setStringProperty("JMSfoo", "value");
        MQQueue own = open(connect());
        reason(CMQC.MQRC_UNEXPECTED_ERROR, () -> own.put(sent, putting(NO_SYNC)));
        empty(own);
    }

    @Case(Case.SHARES)
    void correlation_by_its_jms_name_is_the_descriptors() throws Exception {
        MQQueue own = open(connect());
        own.put(text("another"), putting(NO_SYNC));
        MQMessage sent = text("correlated");
        sent.setStringProperty("JMSCorrelationID", "order 7");
        own.put(sent, putting(NO_SYNC));
        MQMessage found = new MQMessage();
        found.correlationId = Arrays.copyOf("order 7".getBytes("UTF-8"), 24);
        var options = getting(IN_HANDLE);
        options.matchOptions = CMQC.MQMO_MATCH_CORREL_ID;
        own.get(found, options);
        equal("correlated", words(found));
        equal("order 7", found.getStringProperty("JMSCorrelationID"));
        equal(found.correlationId, found.getBytesProperty("Root.MQMD.CorrelId"));
    }

    @Case(Case.SHARES)
    void jms_names_report_the_descriptor() throws Exception {
        MQMessage sent = text("described");
        sent.priority = 7;
        sent.persistence = CMQC.MQPER_PERSISTENT;
        sent.setStringProperty("JMSType", "order");
        MQMessage found = there_and_back(open(connect()), sent);
        StringBuilder id = new StringBuilder("ID:");
        for (byte one : found.messageId) {
            id.append(String.format("%02x", one));
        }
        equal(id.toString(), found.getStringProperty("JMSMessageID"));
        equal(7, found.getIntProperty("JMSPriority"));
        equal(CMQC.MQPER_PERSISTENT, found.getIntProperty("JMSDeliveryMode")); // JMS has 2 for it
        equal(found.backoutCount, found.getIntProperty("JMSXDeliveryCount")); // and 1 here
        equal("order", found.getStringProperty("JMSType"));
        equal(found.userId.trim(), found.getStringProperty("JMSXUserID").trim());
        reason(CMQC.MQRC_PROPERTY_NOT_AVAILABLE, () -> found.getStringProperty("JMS_IBM_Format"));
    }
}
