import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Objects;
import javax.jms.JMSException;

/** What every class of cases has: a place, a queue of its own, and the means to judge. */
abstract class Cases {
    static final int BOTH =
            CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT | CMQC.MQOO_INQUIRE | CMQC.MQOO_FAIL_IF_QUIESCING;

    Place place;
    String queue;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    interface Attempt {
        void run() throws Exception;
    }

    /** Something to end when the case has ended, whichever way. */
    <T extends AutoCloseable> T keep(T one) {
        opened.push(one);
        return one;
    }

    void tidy() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception already) {
                // the case itself has judged
            }
        }
    }

    /** Returns when another thread waits inside a get of IBM's client: until then that does not
     * notify the queue manager of a close or stop, because no call is under way. */
    static void until_it_waits_in_a_get(Thread other) throws Exception {
        long until = System.nanoTime() + 15_000_000_000L;
        while (!waits_in_a_get(other)) {
            holds(other.isAlive(), "the thread that gets is there");
            holds(System.nanoTime() < until, "a get that waits: " + Arrays.asList(other.getStackTrace()));
            Thread.sleep(2);
        }
    }

    private static boolean waits_in_a_get(Thread other) {
        Thread.State state = other.getState();
        boolean waits = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
        boolean gets = false;
        for (StackTraceElement call : other.getStackTrace()) {
            if (call.getClassName().startsWith("com.ibm.mq.jmqi.remote.")) {
                String method = call.getMethodName();
                waits |= method.equals("receive"); // it reads a socket that it shares with nobody
                gets |= method.startsWith("jmqiGet") || method.contains("MQGET");
            }
        }
        return waits && gets;
    }

    // ---- base classes

    MQQueueManager connect() throws MQException {
        return kept(place.connect());
    }

    MQQueueManager kept(MQQueueManager made) {
        opened.push(made::disconnect);
        return made;
    }

    MQQueue open(MQQueueManager connection, int options) throws MQException {
        return connection.accessQueue(queue, options);
    }

    MQQueue open(MQQueueManager connection) throws MQException {
        return open(connection, BOTH);
    }

    /** The name of a queue that the place has for a purpose. */
    String named(String purpose) {
        return "J." + place.name.toUpperCase() + "." + purpose;
    }

    static MQMessage text(String words) throws Exception {
        MQMessage made = new MQMessage();
        made.format = CMQC.MQFMT_STRING;
        made.characterSet = 1208;
        made.writeString(words);
        return made;
    }

    static MQMessage bytes(byte[] data) throws Exception {
        MQMessage made = new MQMessage();
        made.write(data);
        return made;
    }

    /** An MQRFH2, as bytes: the classes would check its folders. */
    static void write_header(MQMessage into, String format, String... folders) throws Exception {
        int length = CMQC.MQRFH_STRUC_LENGTH_FIXED_2;
        for (String folder : folders) {
            length += 4 + padded(folder).length;
        }
        into.writeString(CMQC.MQRFH_STRUC_ID);
        into.writeInt(CMQC.MQRFH_VERSION_2);
        into.writeInt(length);
        into.writeInt(CMQC.MQENC_NATIVE);
        into.writeInt(1208);
        into.writeString(String.format("%-8s", format));
        into.writeInt(0);
        into.writeInt(1208);
        for (String folder : folders) {
            into.writeInt(padded(folder).length);
            into.write(padded(folder));
        }
    }

    private static byte[] padded(String folder) {
        String blanks = " ".repeat((4 - folder.length() % 4) % 4);
        return (folder + blanks).getBytes(StandardCharsets.UTF_8);
    }

    /** A payload behind an MQRFH2. */
    static MQMessage headed(String... folders) throws Exception {
        MQMessage made = new MQMessage();
        made.format = CMQC.MQFMT_RF_HEADER_2;
        made.characterSet = 1208;
        write_header(made, CMQC.MQFMT_STRING, folders);
        made.writeString("payload");
        return made;
    }

    static String words(MQMessage message) throws Exception {
        message.seek(0);
        return message.readStringOfByteLength(message.getMessageLength());
    }

    static byte[] data(MQMessage message) throws Exception {
        byte[] made = new byte[message.getMessageLength()];
        message.seek(0);
        message.readFully(made);
        return made;
    }

    static MQGetMessageOptions getting(int options) {
        MQGetMessageOptions made = new MQGetMessageOptions();
        made.options = options | CMQC.MQGMO_FAIL_IF_QUIESCING;
        made.matchOptions = CMQC.MQMO_NONE;
        if ((options & CMQC.MQGMO_WAIT) != 0) {
            made.waitInterval = 15_000;
        }
        return made;
    }

    static MQPutMessageOptions putting(int options) {
        MQPutMessageOptions made = new MQPutMessageOptions();
        made.options = options | CMQC.MQPMO_FAIL_IF_QUIESCING;
        return made;
    }

    static MQMessage got(MQQueue from, int options) throws MQException {
        MQMessage made = new MQMessage();
        from.get(made, getting(options));
        return made;
    }

    static MQMessage got(MQQueue from) throws MQException {
        return got(from, CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT);
    }

    static void empty(MQQueue from) throws Exception {
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(from, CMQC.MQGMO_NO_SYNCPOINT));
    }

    // ---- judging

    static void equal(Object wanted, Object found) {
        if (!Objects.deepEquals(wanted, found)) {
            throw new AssertionError("wanted " + shown(wanted) + ", found " + shown(found));
        }
    }

    static void holds(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private static String shown(Object one) {
        if (one instanceof byte[]) {
            byte[] data = (byte[]) one;
            String some = Arrays.toString(data.length > 40 ? Arrays.copyOf(data, 40) : data);
            return data.length + " bytes " + some;
        }
        return String.valueOf(one);
    }

    static void same(byte[] wanted, byte[] found) {
        int at = Arrays.mismatch(wanted, found);
        if (at >= 0) {
            throw new AssertionError(wanted.length + " bytes wanted, " + found.length
                    + " found, which differ at " + at);
        }
    }

    /** The attempt must fail with this reason code. */
    static MQException reason(int wanted, Attempt attempt) throws Exception {
        try {
            attempt.run();
        } catch (MQException refused) {
            if (refused.reasonCode != wanted) {
                throw new AssertionError("reason " + wanted + " wanted: " + Judge.describe(refused));
            }
            return refused;
        }
        throw new AssertionError("reason " + wanted + " wanted, but it succeeded");
    }

    /** The same for JMS: the reason code is in an exception that is linked. */
    static JMSException linkedReason(int wanted, Attempt attempt) throws Exception {
        try {
            attempt.run();
        } catch (JMSException refused) {
            for (Throwable at = refused; at != null; at = next(at)) {
                if (at instanceof MQException && ((MQException) at).reasonCode == wanted) {
                    return refused;
                }
            }
            throw new AssertionError("reason " + wanted + " wanted: " + Judge.describe(refused));
        }
        throw new AssertionError("reason " + wanted + " wanted, but it succeeded");
    }

    private static Throwable next(Throwable at) {
        Exception linked = at instanceof JMSException ? ((JMSException) at).getLinkedException() : null;
        return linked != null ? linked : at.getCause();
    }

    static byte[] pattern(int length) {
        byte[] made = new byte[length];
        int state = length;
        for (int at = 0; at < length; at++) {
            state = state * 1103515245 + 12345;
            made[at] = (byte) (state >> 16);
        }
        return made;
    }
}
