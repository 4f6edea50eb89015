import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.headers.MQDLH;
import com.ibm.mq.headers.MQMDE;
import com.ibm.mq.headers.MQXQH;
import java.util.List;

/**
 * MQRFH2 headers that the application wrote itself, and what a get has of them. The classes read a
 * header that comes to them, so whether the queue manager took one for properties is seen where it
 * has to leave them out.
 */
final class BasePropertyHeaders extends Cases {
    private static final int NO_SYNC = CMQC.MQPMO_NO_SYNCPOINT;
    private static final int IN_HANDLE = CMQC.MQGMO_PROPERTIES_IN_HANDLE | CMQC.MQGMO_NO_SYNCPOINT;
    private static final int BARE = CMQC.MQGMO_NO_PROPERTIES | CMQC.MQGMO_NO_SYNCPOINT;
    private static final int FORCED = CMQC.MQGMO_PROPERTIES_FORCE_MQRFH2 | CMQC.MQGMO_NO_SYNCPOINT;
    private static final int COMPATIBLE = CMQC.MQGMO_PROPERTIES_COMPATIBILITY | CMQC.MQGMO_NO_SYNCPOINT;
    private static final int AS_DEFINED = CMQC.MQGMO_PROPERTIES_AS_Q_DEF | CMQC.MQGMO_NO_SYNCPOINT;
    private static final String SOUND = "<usr><a>1</a></usr> ";
    private static final List<String> CONTROLS = List.of("ALL", "COMPAT", "FORCE", "NONE", "V6COMPAT");

    private static MQMessage there_and_back(MQQueue own, MQMessage sent, int options) throws Exception {
        own.put(sent, putting(NO_SYNC));
        return got(own, options);
    }

    private static void is_bare(MQMessage found) throws Exception {
        equal("payload", words(found));
        equal(CMQC.MQFMT_STRING, found.format);
        equal(false, found.getPropertyNames("%").hasMoreElements());
    }

    private static void is_headed(byte[] wanted, MQMessage found) throws Exception {
        same(wanted, data(found));
        equal(CMQC.MQFMT_RF_HEADER_2, found.format);
    }

    private static void is_in_the_handle(MQMessage found) throws Exception {
        equal("payload", words(found));
        equal("1", found.getStringProperty("a"));
    }

    @Case(Case.SHARES)
    void folder_that_is_not_sound_stays_in_the_data() throws Exception {
        MQQueue own = open(connect());
        for (String folder : List.of("<usr><a>1</usr>", "<usr><a>1</a>", "<usr><a>1</a></usr><b/>", "usr")) {
            byte[] wanted = data(headed(folder));
            is_headed(wanted, there_and_back(own, headed(folder), BARE));
            is_headed(wanted, there_and_back(own, headed(folder), FORCED));
        }
    }

    @Case(Case.SHARES)
    void folder_that_is_not_sound_is_got_by_a_handle() throws Exception {
        MQQueue own = open(connect());
        is_headed(data(headed("<usr><a>1</usr>")), there_and_back(own, headed("<usr><a>1</usr>"), IN_HANDLE));
    }

    @Case(Case.SHARES)
    void second_header_is_properties_too() throws Exception {
        MQQueue own = open(connect());
        for (int options : new int[] {BARE, IN_HANDLE}) {
            MQMessage sent = new MQMessage();
            sent.format = CMQC.MQFMT_RF_HEADER_2;
            sent.characterSet = 1208;
            write_header(sent, CMQC.MQFMT_RF_HEADER_2, SOUND);
            write_header(sent, CMQC.MQFMT_STRING, "<usr><b>2</b></usr>");
            sent.writeString("payload");
            MQMessage found = there_and_back(own, sent, options);
            if (options == BARE) {
                is_bare(found);
            } else {
                is_in_the_handle(found);
                equal("2", found.getStringProperty("b"));
            }
        }
    }

    @Case(Case.SHARES)
    void header_behind_a_dead_letter_header_is_properties_too() throws Exception {
        MQQueue own = open(connect());
        MQDLH dead = new MQDLH();
        dead.setReason(CMQC.MQRC_Q_FULL);
        dead.setFormat(CMQC.MQFMT_RF_HEADER_2);
        dead.setEncoding(CMQC.MQENC_NATIVE);
        dead.setCodedCharSetId(1208);
        MQMessage sent = new MQMessage();
        sent.format = CMQC.MQFMT_DEAD_LETTER_HEADER;
        sent.characterSet = 1208;
        dead.write(sent);
        write_header(sent, CMQC.MQFMT_STRING, SOUND);
        sent.writeString("payload");
        MQMessage found = there_and_back(own, sent, BARE);
        equal(CMQC.MQFMT_DEAD_LETTER_HEADER, found.format);
        found.seek(0);
        MQDLH back = new MQDLH(found);
        equal(CMQC.MQRC_Q_FULL, back.getReason());
        equal(CMQC.MQFMT_STRING.trim(), back.getFormat().trim());
        equal("payload", found.readStringOfByteLength(found.getDataLength()));
    }

    @Case(Case.SHARES)
    void header_is_behind_the_others_on_a_transmission_queue() throws Exception {
        MQQueueManager connection = connect();
        MQQueue there = connection.accessQueue(named("THERE"), CMQC.MQOO_OUTPUT);
        MQQueue own = connection.accessQueue(named("THERE.XMIT"), BOTH);
        for (boolean grouped : new boolean[] {false, true}) {
            MQMessage sent = headed(SOUND);
            byte[] wanted = data(sent);
            if (grouped) {
                sent.messageFlags = CMQC.MQMF_MSG_IN_GROUP;
                sent.groupId = pattern(24);
            }
            there.put(sent, putting(NO_SYNC));
            MQMessage found = got(own, FORCED);
            equal(CMQC.MQFMT_XMIT_Q_HEADER, found.format);
            found.seek(0);
            MQXQH header = new MQXQH(found);
            equal(grouped ? "MQHMDE" : "MQHRF2", header.getMsgDesc().getFormat().trim());
            if (grouped) {
                equal(CMQC.MQFMT_RF_HEADER_2.trim(), new MQMDE(found).getFormat().trim());
            }
            byte[] rest = new byte[found.getDataLength()];
            found.readFully(rest);
            same(wanted, rest);
        }
        there.put(headed(SOUND), putting(NO_SYNC));
        MQMessage found = got(own); // the classes look there for properties, too
        found.seek(0);
        equal("MQSTR", new MQXQH(found).getMsgDesc().getFormat().trim());
        equal("payload", found.readStringOfByteLength(found.getDataLength()));
        equal("1", found.getStringProperty("a"));
    }

    @Case(Case.SHARES)
    void folders_of_mq_hold_properties() throws Exception {
        MQQueue own = open(connect());
        for (String name : List.of("mcd", "jms", "usr", "mqext", "mq", "mq_usr", "mqps", "mqpse", "mqema",
                "sib", "sib_usr", "sib_context")) {
            String folder = "<" + name + "><x>1</x></" + name + ">";
            is_bare(there_and_back(own, headed(folder), BARE));
            MQMessage found = there_and_back(own, headed(folder), IN_HANDLE);
            equal("payload", words(found));
            equal("1", found.getStringProperty(name.equals("usr") ? "x" : name + ".x"));
        }
    }

    @Case(Case.SHARES)
    void folder_of_the_application_holds_properties_if_it_says_so() throws Exception {
        MQQueue own = open(connect());
        String plain = "<own><x>1</x></own>";
        String marked = "<own content='properties'><x>1</x></own>";
        is_headed(data(headed(plain)), there_and_back(own, headed(plain), BARE));
        is_bare(there_and_back(own, headed(marked), BARE));
        MQMessage found = there_and_back(own, headed(marked), IN_HANDLE);
        equal("payload", words(found));
        equal("1", found.getStringProperty("own.x"));
    }

    /** The open says which PROPCTL there is; all but FORCE are a handle to the classes. */
    @Case
    void propctl_decides_if_there_is_no_option() throws Exception {
        MQQueueManager connection = connect();
        byte[] wanted = data(headed(SOUND));
        for (String control : CONTROLS) {
            MQQueue own = connection.accessQueue(named("PROPCTL." + control), BOTH);
            MQMessage found = there_and_back(own, headed(SOUND), AS_DEFINED);
            if (control.equals("FORCE")) {
                is_headed(wanted, found);
            } else {
                is_in_the_handle(found);
            }
        }
    }

    @Case
    void every_option_wins_over_every_propctl() throws Exception {
        MQQueueManager connection = connect();
        byte[] wanted = data(headed(SOUND));
        for (String control : CONTROLS) {
            MQQueue own = connection.accessQueue(named("OPTION." + control), BOTH);
            is_headed(wanted, there_and_back(own, headed(SOUND), FORCED));
            is_headed(wanted, there_and_back(own, headed(SOUND), COMPATIBLE));
            is_bare(there_and_back(own, headed(SOUND), BARE));
            is_in_the_handle(there_and_back(own, headed(SOUND), IN_HANDLE));
            String folder = "<x content='properties'><y>5</y></x>"; // not for JMS
            is_bare(there_and_back(own, headed(folder), COMPATIBLE));
        }
    }

    @Case(Case.SHARES)
    void two_of_the_options_are_2046() throws Exception {
        MQQueue own = open(connect());
        own.put(headed(SOUND), putting(NO_SYNC));
        int[] pairs = {
            BARE | FORCED, BARE | IN_HANDLE, BARE | COMPATIBLE, FORCED | COMPATIBLE, IN_HANDLE | COMPATIBLE
        };
        for (int pair : pairs) {
            reason(CMQC.MQRC_OPTIONS_ERROR, () -> got(own, pair));
        }
        is_in_the_handle(got(own, IN_HANDLE | FORCED)); // to the wire this is one option
    }

    @Case(Case.SHARES)
    void no_properties_needs_a_buffer_for_the_data_alone() throws Exception {
        MQQueue own = open(connect());
        own.put(headed(SOUND), putting(NO_SYNC));
        MQMessage found = new MQMessage();
        reason(CMQC.MQRC_TRUNCATED_MSG_FAILED, () -> own.get(found, getting(BARE), 6));
        reason(CMQC.MQRC_TRUNCATED_MSG_FAILED, () -> own.get(found, getting(FORCED), 7));
        own.get(found, getting(BARE), 7);
        is_bare(found);
    }

    @Case(Case.SHARES)
    void propctl_of_the_alias_counts() throws Exception {
        MQQueueManager connection = connect();
        MQQueue own = connection.accessQueue(named("UNFORCED"), BOTH);
        int options = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_FAIL_IF_QUIESCING;
        MQQueue alias = connection.accessQueue(named("FORCED"), options);
        own.put(headed(SOUND), putting(NO_SYNC));
        own.put(headed(SOUND), putting(NO_SYNC));
        is_headed(data(headed(SOUND)), got(alias, AS_DEFINED));
        is_in_the_handle(got(own, AS_DEFINED));
    }

    @Case(Case.SHARES)
    void maxmsgl_counts_the_data_alone() throws Exception {
        MQQueue own = connect().accessQueue(named("NARROW"), BOTH); // of 100 bytes
        MQMessage sent = bytes(pattern(100));
        sent.setStringProperty("long", "x".repeat(1000));
        MQMessage found = there_and_back(own, sent, IN_HANDLE);
        same(pattern(100), data(found));
        equal("x".repeat(1000), found.getStringProperty("long"));
        MQMessage tooLong = headed("<own><x>" + "1".repeat(90) + "</x></own>"); // no properties
        reason(CMQC.MQRC_MSG_TOO_BIG_FOR_Q, () -> own.put(tooLong, putting(NO_SYNC)));
        empty(own);
    }

    /** The classes have the header in the buffer, also for a handle. */
    @Case(Case.SHARES)
    void header_counts_for_the_buffer() throws Exception {
        MQQueue own = open(connect());
        int whole = headed(SOUND).getMessageLength();
        for (int options : new int[] {FORCED, IN_HANDLE}) {
            own.put(headed(SOUND), putting(NO_SYNC));
            MQMessage found = new MQMessage();
            reason(CMQC.MQRC_TRUNCATED_MSG_FAILED, () -> own.get(found, getting(options), whole - 1));
            own.get(found, getting(options), whole);
            equal(options == FORCED ? whole : 7, found.getMessageLength());
        }
    }

    @Case(Case.SHARES)
    void alias_with_a_selector_gives_what_matches() throws Exception {
        MQQueueManager connection = connect();
        int options = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_BROWSE | CMQC.MQOO_OUTPUT;
        MQQueue red = connection.accessQueue(named("RED.A"), options);
        MQQueue all = connection.accessQueue(named("COLOURS.A"), BOTH);
        for (String colour : List.of("blue", "red", "green", "red")) {
            MQMessage sent = text(colour);
            sent.setStringProperty("colour", colour);
            red.put(sent, putting(NO_SYNC)); // puts are not filtered
        }
        all.put(text("none"), putting(NO_SYNC));
        MQMessage seen = got(red, CMQC.MQGMO_BROWSE_FIRST | IN_HANDLE);
        equal("red", seen.getStringProperty("colour"));
        equal("red", words(got(red, CMQC.MQGMO_BROWSE_NEXT | IN_HANDLE)));
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(red, CMQC.MQGMO_BROWSE_NEXT | IN_HANDLE));
        equal("red", words(got(red, IN_HANDLE)));
        equal("red", words(got(red, IN_HANDLE)));
        empty(red);
        for (String left : List.of("blue", "green", "none")) {
            equal(left, words(got(all, IN_HANDLE)));
        }
        empty(all);
    }

    @Case(Case.SHARES)
    void alias_with_a_selector_and_match_options_then_both_must_hold() throws Exception {
        MQQueueManager connection = connect();
        MQQueue red = connection.accessQueue(
                named("RED.C"), CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_BROWSE | CMQC.MQOO_OUTPUT);
        MQQueue all = connection.accessQueue(named("COLOURS.C"), BOTH);
        for (String colour : List.of("red", "blue", "red")) {
            MQMessage sent = text(colour);
            sent.setStringProperty("colour", colour);
            sent.correlationId = pattern(24);
            sent.priority = colour.equals("blue") ? 9 : 1;
            red.put(sent, putting(NO_SYNC));
        }
        MQMessage blue = new MQMessage();
        MQGetMessageOptions options = getting(IN_HANDLE);
        options.matchOptions = CMQC.MQMO_MATCH_CORREL_ID;
        MQMessage other = new MQMessage();
        other.correlationId = new byte[] {9};
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> red.get(other, options));
        got(red, CMQC.MQGMO_BROWSE_FIRST | IN_HANDLE);
        got(red, CMQC.MQGMO_BROWSE_NEXT | CMQC.MQGMO_LOCK | IN_HANDLE);
        equal("red", words(got(red, CMQC.MQGMO_MSG_UNDER_CURSOR | IN_HANDLE)));
        got(red, CMQC.MQGMO_SYNCPOINT | CMQC.MQGMO_PROPERTIES_IN_HANDLE);
        empty(red);
        connection.backout();
        MQMessage last = new MQMessage();
        last.correlationId = pattern(24);
        red.get(last, options);
        equal("red", words(last));
        equal(1, last.backoutCount);
        blue.correlationId = pattern(24);
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> red.get(blue, options));
        all.get(blue, options);
        equal("blue", words(blue));
    }
}
