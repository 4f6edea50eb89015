import com.ibm.mq.MQException;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.exits.MQCD;
import com.ibm.mq.jms.MQConnectionFactory;
import com.ibm.mq.jmqi.JmqiDefaultPropertyHandler;
import com.ibm.mq.jmqi.JmqiDefaultThreadPoolFactory;
import com.ibm.mq.jmqi.JmqiEnvironment;
import com.ibm.mq.jmqi.JmqiFactory;
import com.ibm.mq.jmqi.JmqiMQ;
import com.ibm.mq.jmqi.JmqiXA;
import com.ibm.mq.jmqi.MQCBC;
import com.ibm.mq.jmqi.MQCBD;
import com.ibm.mq.jmqi.MQCHARV;
import com.ibm.mq.jmqi.MQCNO;
import com.ibm.mq.jmqi.MQConsumer;
import com.ibm.mq.jmqi.MQGMO;
import com.ibm.mq.jmqi.MQMD;
import com.ibm.mq.jmqi.MQOD;
import com.ibm.mq.jmqi.MQOR;
import com.ibm.mq.jmqi.MQPMO;
import com.ibm.mq.jmqi.MQPMR;
import com.ibm.mq.jmqi.MQRR;
import com.ibm.mq.jmqi.MQSD;
import com.ibm.mq.jmqi.MQSRO;
import com.ibm.mq.jmqi.MQSTS;
import com.ibm.mq.jmqi.handles.Hconn;
import com.ibm.mq.jmqi.handles.Hobj;
import com.ibm.mq.jmqi.handles.Phconn;
import com.ibm.mq.jmqi.handles.Phobj;
import com.ibm.mq.jmqi.handles.Pint;
import com.ibm.mq.jmqi.system.JmqiSP;
import com.ibm.mq.jmqi.system.SpiPutOptions;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.jms.JMSException;
import javax.jms.MessageConsumer;
import javax.jms.Session;
import javax.jms.TextMessage;
import javax.jms.Topic;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.json.JSONArray;
import org.json.JSONObject;

/**
 * Carries out verbs of the MQI that come as lines of JSON, with the MQI of IBM's client
 * (com.ibm.mq.jmqi), on which its classes for Java and for JMS are built. Structures travel by the
 * names of their fields; bytes are {"b64": ...}. Each connection has a thread of its own.
 */
public final class Bridge {
    private static final int FIRST_BUFFER = 256 * 1024;
    private static final int TEXT_BYTES = 4 * 10_240;
    private static final int CALLS_MS = 30_000;

    private final JmqiEnvironment environment;
    private final JmqiMQ mqi;
    private final PrintStream answers;
    private final Map<Integer, Connection> connections = new ConcurrentHashMap<>();

    private final class Connection {
        final ExecutorService thread = Executors.newSingleThreadExecutor();
        final Phconn handle = environment.newPhconn();
        final Map<Integer, Phobj> opened = new HashMap<>();
        final JSONArray called = new JSONArray();
        XAResource branches;
        int last;

        Hconn hconn() {
            return handle.getHconn();
        }

        int keep(Phobj one) {
            opened.put(++last, one);
            return last;
        }

        Phobj object(JSONObject asked, String name) {
            Phobj found = opened.get(asked.getInt(name));
            return found != null ? found : environment.newPhobj();
        }

        /** What the functions were called with, once there are so many calls. */
        JSONArray calls(int count) throws InterruptedException {
            synchronized (called) {
                long end = System.currentTimeMillis() + CALLS_MS;
                while (called.length() < count && System.currentTimeMillis() < end) {
                    called.wait(CALLS_MS);
                }
                return new JSONArray(called.toString());
            }
        }
    }

    /** A function of MQCB, which writes down what it is called with. */
    private final class Listener implements MQConsumer {
        private final Connection at;

        Listener(Connection at) {
            this.at = at;
        }

        @Override
        public void consumer(Hconn hconn, MQMD md, MQGMO gmo, ByteBuffer data, MQCBC context) {
            JSONObject call = new JSONObject();
            call.put("type", context.getCallType()).put("reason", context.getReason());
            try {
                if (md != null && data != null) {
                    byte[] came = new byte[context.getDataLength()];
                    data.duplicate().clear().get(came);
                    call.put("data", wrapped(came)).put("md", fields(md));
                }
            } catch (Exception fault) {
                call.put("fault", fault.toString());
            }
            synchronized (at.called) {
                at.called.put(call);
                at.called.notifyAll();
            }
        }

        @Override
        public int getMaxMessages() {
            return 1;
        }
    }

    private record Global(int getFormatId, byte[] getGlobalTransactionId, byte[] getBranchQualifier)
            implements Xid {}

    private Bridge() throws Exception {
        environment = JmqiFactory.getInstance(
                new JmqiDefaultThreadPoolFactory(), new JmqiDefaultPropertyHandler());
        mqi = environment.getMQI(JmqiEnvironment.REMOTE);
        answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
    }

    public static void main(String[] arguments) throws Exception {
        Bridge bridge = new Bridge();
        BufferedReader asked =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            bridge.dispatch(new JSONObject(line));
        }
        System.exit(0);
    }

    private void dispatch(JSONObject asked) {
        int number = asked.getInt("connection");
        Connection at = connections.computeIfAbsent(number, one -> new Connection());
        at.thread.execute(() -> answer(at, asked));
        if (asked.getString("verb").equals("MQDISC")) {
            connections.remove(number);
            at.thread.shutdown();
        }
    }

    private void answer(Connection at, JSONObject asked) {
        JSONObject found = new JSONObject();
        Pint comp = environment.newPint();
        Pint reason = environment.newPint();
        try {
            run(at, asked, found, comp, reason);
            found.put("comp", comp.x).put("reason", reason.x);
        } catch (Throwable fault) {
            found.put("fault", fault + " " + java.util.Arrays.asList(fault.getStackTrace()));
        }
        found.put("id", asked.getInt("id"));
        synchronized (answers) {
            answers.println(found);
            answers.flush();
        }
    }

    private void run(Connection at, JSONObject asked, JSONObject found, Pint comp, Pint reason)
            throws Exception {
        switch (asked.getString("verb")) {
            case "MQCONNX" -> connect(at, asked, found, comp, reason);
            case "MQDISC" -> mqi.MQDISC(at.handle, comp, reason);
            case "MQCMIT" -> mqi.MQCMIT(at.hconn(), comp, reason);
            case "MQBACK" -> mqi.MQBACK(at.hconn(), comp, reason);
            case "MQOPEN" -> open(at, asked, found, comp, reason);
            case "MQCLOSE" -> {
                Phobj handle = environment.newPhobj(); // one that fails makes it unusable
                handle.setHobj(at.object(asked, "hobj").getHobj());
                mqi.MQCLOSE(at.hconn(), handle, asked.getInt("options"), comp, reason);
            }
            case "MQPUT", "MQPUT1" -> put(at, asked, found, comp, reason);
            case "MQGET" -> get(at, asked, found, comp, reason);
            case "MQINQ" -> inquire(at, asked, found, comp, reason);
            case "MQSET" -> set(at, asked, comp, reason);
            case "MQSUB" -> subscribe(at, asked, found, comp, reason);
            case "MQSUBRQ" -> {
                MQSRO sro = environment.newMQSRO();
                sro.setVersion(asked.optInt("version", sro.getVersion()));
                sro.setOptions(asked.getInt("options"));
                Hobj hsub = at.object(asked, "hsub").getHobj();
                mqi.MQSUBRQ(at.hconn(), hsub, asked.getInt("action"), sro, comp, reason);
                found.put("publications", sro.getNumPublications());
            }
            case "MQSTAT" -> {
                MQSTS status = environment.newMQSTS();
                // Of version 2 it looks for ObjectString before the resolved names are over.
                status.setVersion(1);
                mqi.MQSTAT(at.hconn(), asked.getInt("type"), status, comp, reason);
                found.put("sts", fields(status));
            }
            case "JMS" -> publish(asked, found, comp, reason);
            case "MQCB" -> register(at, asked, comp, reason);
            case "MQCRTMH" -> mqi.MQCRTMH(at.hconn(), environment.newMQCMHO(),
                    environment.newPhmsg(environment.newHmsg(0)), comp, reason);
            case "MQCTL" -> mqi.MQCTL(at.hconn(), asked.getInt("operation"),
                    environment.newMQCTLO(), comp, reason);
            case "forget" -> at.called.clear();
            case "calls" -> found.put("calls", at.calls(asked.getInt("count")));
            case "xa" -> global(at, asked);
            default -> throw new IllegalArgumentException(asked.getString("verb"));
        }
    }

    private void connect(Connection at, JSONObject asked, JSONObject found, Pint comp, Pint reason) {
        MQCD channel = environment.newMQCD();
        channel.setChannelName(asked.getString("channel"));
        channel.setConnectionName(asked.getString("address"));
        channel.setTransportType(2); // TCP
        channel.setMaxMsgLength(104_857_600);
        channel.setSharingConversations(10);
        MQCNO options = environment.newMQCNO();
        options.setVersion(7);
        options.setApplName(asked.getString("application"));
        options.setClientConn(channel);
        mqi.MQCONNX(asked.getString("name"), options, at.handle, comp, reason);
        found.put("connectionId", wrapped(options.getConnectionId()));
    }

    private MQOD descriptor(JSONObject asked) throws Exception {
        MQOD od = environment.newMQOD();
        fill(od, asked.getJSONObject("od"));
        text(od.getObjectString(), asked, "objectString");
        text(od.getSelectionString(), asked, "selectionString");
        od.getResObjectString().setVsBufSize(asked.optInt("room", TEXT_BYTES));
        JSONArray records = asked.optJSONArray("records");
        if (records != null) {
            MQOR[] objects = new MQOR[records.length()];
            for (int one = 0; one < objects.length; one++) {
                objects[one] = environment.newMQOR();
                fill(objects[one], records.getJSONObject(one));
            }
            od.setObjectRecords(objects);
            od.setResponseRecords(responses(objects.length));
        }
        return od;
    }

    private MQRR[] responses(int count) {
        MQRR[] made = new MQRR[count];
        for (int one = 0; one < count; one++) {
            made[one] = environment.newMQRR();
        }
        return made;
    }

    private static void note(JSONObject found, MQRR[] responses) {
        JSONArray noted = new JSONArray();
        for (MQRR one : responses == null ? new MQRR[0] : responses) {
            noted.put(new JSONArray().put(one.getCompCode()).put(one.getReason()));
        }
        found.put("responses", noted);
    }

    private void open(Connection at, JSONObject asked, JSONObject found, Pint comp, Pint reason)
            throws Exception {
        MQOD od = descriptor(asked);
        Phobj handle = environment.newPhobj();
        mqi.MQOPEN(at.hconn(), od, asked.getInt("options"), handle, comp, reason);
        if (comp.x != 2) {
            found.put("hobj", at.keep(handle));
        }
        found.put("od", fields(od)).put("resObjectString", od.getResObjectString().getVsString());
        note(found, od.getResponseRecords());
    }

    private void put(Connection at, JSONObject asked, JSONObject found, Pint comp, Pint reason)
            throws Exception {
        MQMD md = environment.newMQMD();
        fill(md, asked.getJSONObject("md"));
        MQPMO pmo = environment.newMQPMO();
        fill(pmo, asked.getJSONObject("pmo"));
        if (asked.has("context")) {
            pmo.setContext(at.object(asked, "context").getHobj().getIntegerHandle());
        }
        JSONArray records = asked.optJSONArray("putRecords");
        MQPMR[] made = new MQPMR[records == null ? 0 : records.length()];
        for (int one = 0; one < made.length; one++) {
            made[one] = environment.newMQPMR();
            fill(made[one], records.getJSONObject(one));
        }
        if (made.length > 0) {
            pmo.setPutMsgRecords(made);
        }
        if (asked.has("responses")) {
            pmo.setResponseRecords(responses(asked.getInt("responses")));
        }
        byte[] data = bytes(asked.getJSONObject("data"));
        ByteBuffer buffer = ByteBuffer.wrap(data);
        if (asked.getString("verb").equals("MQPUT1")) {
            MQOD od = descriptor(asked);
            mqi.MQPUT1(at.hconn(), od, md, pmo, data.length, buffer, comp, reason);
            found.put("od", fields(od));
            note(found, od.getResponseRecords());
        } else {
            Hobj hobj = at.object(asked, "hobj").getHobj();
            if (asked.has("delay")) { // as the classes for JMS put it
                SpiPutOptions later = new SpiPutOptions(environment);
                later.setVersion(SpiPutOptions.lpiPUTOPTS_VERSION4);
                later.setDeliveryDelay(asked.getLong("delay"));
                ((JmqiSP) mqi).spiPut(
                        at.hconn(), hobj, md, pmo, later, data.length, buffer, comp, reason);
            } else {
                mqi.MQPUT(at.hconn(), hobj, md, pmo, data.length, buffer, comp, reason);
            }
            note(found, pmo.getResponseRecords());
        }
        found.put("md", fields(md)).put("pmo", fields(pmo));
        JSONArray identifiers = new JSONArray();
        for (MQPMR one : made) {
            identifiers.put(fields(one));
        }
        found.put("putRecords", identifiers);
    }

    private void get(Connection at, JSONObject asked, JSONObject found, Pint comp, Pint reason)
            throws Exception {
        int length = asked.getInt("length");
        int room = length < 0 ? FIRST_BUFFER : length;
        while (true) {
            MQMD md = environment.newMQMD();
            fill(md, asked.getJSONObject("md"));
            MQGMO gmo = environment.newMQGMO();
            fill(gmo, asked.getJSONObject("gmo"));
            Pint whole = environment.newPint();
            byte[] buffer = new byte[room];
            Hobj hobj = at.object(asked, "hobj").getHobj();
            mqi.MQGET(at.hconn(), hobj, md, gmo, room, ByteBuffer.wrap(buffer), whole, comp, reason);
            if (length < 0 && reason.x == 2080 && whole.x > room) {
                room = whole.x; // as IBM's classes do: once more, with a buffer that is long enough
                continue;
            }
            int came = comp.x == 2 ? 0 : Math.min(room, whole.x);
            if (came > 0 && gmo.getReturnedLength() >= 0) {
                came = gmo.getReturnedLength();
            }
            found.put("md", fields(md)).put("gmo", fields(gmo)).put("length", whole.x);
            found.put("data", wrapped(java.util.Arrays.copyOf(buffer, came)));
            return;
        }
    }

    private void register(Connection at, JSONObject asked, Pint comp, Pint reason)
            throws Exception {
        MQCBD described = environment.newMQCBD();
        described.setCallbackFunction(new Listener(at));
        described.setCallbackType(1); // a message consumer
        described.setOptions(asked.optInt("options"));
        MQMD md = environment.newMQMD();
        fill(md, asked.getJSONObject("md"));
        MQGMO gmo = environment.newMQGMO();
        fill(gmo, asked.getJSONObject("gmo"));
        Hobj hobj = at.object(asked, "hobj").getHobj();
        mqi.MQCB(at.hconn(), asked.getInt("operation"), described, hobj, md, gmo, comp, reason);
    }

    /** A call of XA, as transaction managers make it. */
    private void global(Connection at, JSONObject asked) throws Exception {
        Xid xid = new Global(asked.getInt("format"), bytes(asked.getJSONObject("transaction")),
                bytes(asked.getJSONObject("branch")));
        if (at.branches == null) {
            at.branches = environment.newJmqiXAResource((JmqiXA) mqi, at.hconn());
        }
        switch (asked.getString("call")) {
            case "start" -> at.branches.start(xid, XAResource.TMNOFLAGS);
            case "end" -> at.branches.end(xid, XAResource.TMSUCCESS);
            case "prepare" -> at.branches.prepare(xid);
            case "commit" -> at.branches.commit(xid, false);
            case "rollback" -> at.branches.rollback(xid);
            default -> throw new IllegalArgumentException(asked.getString("call"));
        }
    }

    private void inquire(Connection at, JSONObject asked, JSONObject found, Pint comp, Pint reason) {
        int[] selectors = numbers(asked.getJSONArray("selectors"));
        int[] integers = new int[asked.getInt("integers")];
        byte[] characters = new byte[asked.getInt("characters")];
        mqi.MQINQ(at.hconn(), at.object(asked, "hobj").getHobj(), selectors.length, selectors,
                integers.length, integers, characters.length, characters, comp, reason);
        found.put("integers", new JSONArray(integers)).put("characters", wrapped(characters));
    }

    private void set(Connection at, JSONObject asked, Pint comp, Pint reason) {
        int[] selectors = numbers(asked.getJSONArray("selectors"));
        int[] integers = numbers(asked.getJSONArray("integers"));
        byte[] characters = bytes(asked.getJSONObject("characters"));
        mqi.MQSET(at.hconn(), at.object(asked, "hobj").getHobj(), selectors.length, selectors,
                integers.length, integers, characters.length, characters, comp, reason);
    }

    private void subscribe(Connection at, JSONObject asked, JSONObject found, Pint comp, Pint reason)
            throws Exception {
        MQSD sd = environment.newMQSD();
        fill(sd, asked.getJSONObject("sd"));
        text(sd.getObjectString(), asked, "objectString");
        text(sd.getSubName(), asked, "subName");
        text(sd.getSubUserData(), asked, "subUserData");
        text(sd.getSelectionString(), asked, "selectionString");
        sd.getSubUserData().setVsBufSize(TEXT_BYTES);
        sd.getSelectionString().setVsBufSize(TEXT_BYTES);
        sd.getResObjectString().setVsBufSize(TEXT_BYTES);
        boolean given = asked.getInt("hobj") != 0;
        Phobj queue = given ? at.object(asked, "hobj") : environment.newPhobj();
        if (!given) {
            queue.setHobj(CMQC.jmqi_MQHO_NONE);
        }
        Phobj handle = environment.newPhobj();
        mqi.MQSUB(at.hconn(), sd, queue, handle, comp, reason);
        if (comp.x != 2) {
            found.put("hobj", given ? asked.getInt("hobj") : at.keep(queue));
            found.put("hsub", at.keep(handle));
        }
        found.put("sd", fields(sd));
        found.put("subUserData", sd.getSubUserData().getVsString());
        found.put("selectionString", sd.getSelectionString().getVsString());
        found.put("resObjectString", sd.getResObjectString().getVsString());
    }

    // ---- JMS

    /** A connection of JMS that publishes to a topic, and what a consumer of it gets. */
    private static void publish(JSONObject asked, JSONObject found, Pint comp, Pint reason)
            throws Exception {
        MQConnectionFactory factory = new MQConnectionFactory();
        factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
        factory.setQueueManager(asked.getString("name"));
        factory.setChannel(asked.getString("channel"));
        factory.setConnectionNameList(asked.getString("address"));
        try (javax.jms.Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Topic topic = session.createTopic("topic://" + asked.getString("topic"));
            MessageConsumer consumer = session.createConsumer(topic);
            session.createProducer(topic).send(session.createTextMessage(asked.getString("text")));
            TextMessage came = (TextMessage) consumer.receive(CALLS_MS);
            found.put("text", came == null ? JSONObject.NULL : came.getText());
        } catch (JMSException refused) {
            if (!(refused.getLinkedException() instanceof MQException linked)) {
                throw refused;
            }
            comp.x = linked.completionCode;
            reason.x = linked.reasonCode;
        }
    }

    // ---- structures

    private static void text(MQCHARV into, JSONObject asked, String name) {
        String given = asked.optString(name, "");
        if (!given.isEmpty()) {
            into.setVsString(given);
        }
    }

    private static void fill(Object structure, JSONObject given) throws Exception {
        for (String name : given.keySet()) {
            Object value = given.get(name);
            Class<?> kind = int.class;
            if (value instanceof String) {
                kind = String.class;
            } else if (value instanceof JSONObject) {
                kind = byte[].class;
                value = bytes((JSONObject) value);
            }
            structure.getClass().getMethod("set" + name, kind).invoke(structure, value);
        }
    }

    private static JSONObject fields(Object structure) throws Exception {
        JSONObject made = new JSONObject();
        for (Method one : structure.getClass().getMethods()) {
            String name = one.getName();
            if (!name.startsWith("get") || one.getParameterCount() > 0) {
                continue;
            }
            Class<?> kind = one.getReturnType();
            if (kind == int.class || kind == String.class) {
                made.put(name.substring(3), one.invoke(structure));
            } else if (kind == byte[].class) {
                made.put(name.substring(3), wrapped((byte[]) one.invoke(structure)));
            }
        }
        return made;
    }

    private static int[] numbers(JSONArray given) {
        int[] made = new int[given.length()];
        for (int one = 0; one < made.length; one++) {
            made[one] = given.getInt(one);
        }
        return made;
    }

    private static byte[] bytes(JSONObject wrapped) {
        return Base64.getDecoder().decode(wrapped.getString("b64"));
    }

    private static JSONObject wrapped(byte[] data) {
        byte[] plain = data == null ? new byte[0] : data;
        return new JSONObject().put("b64", Base64.getEncoder().encodeToString(plain));
    }
}
