import com.ibm.mq.MQDestination;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.MQTopic;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.CMQCFC;
import com.ibm.mq.headers.pcf.MQCFGR;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFParameter;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Resources on system topics, discovered and read by IBM's classes of PCF. */
final class BaseResources extends Cases {
    private static final int MANAGED =
            CMQC.MQSO_CREATE | CMQC.MQSO_MANAGED | CMQC.MQSO_NON_DURABLE | CMQC.MQSO_FAIL_IF_QUIESCING;

    private static PCFMessage next(MQDestination from, int wait) throws Exception {
        MQGetMessageOptions options = new MQGetMessageOptions();
        options.options = CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT | CMQC.MQGMO_NO_PROPERTIES | CMQC.MQGMO_CONVERT;
        options.waitInterval = wait;
        MQMessage found = new MQMessage();
        from.get(found, options);
        equal("MQADMIN ", found.format);
        return new PCFMessage(found);
    }

    private MQTopic subscriber(MQQueueManager connection, String topic) throws Exception {
        return connection.accessTopic(topic, null, CMQC.MQTOPIC_OPEN_AS_SUBSCRIPTION, MANAGED);
    }

    private PCFMessage retained(MQQueueManager connection, String topic) throws Exception {
        MQTopic listening = subscriber(connection, topic);
        PCFMessage found = next(listening, 15_000);
        listening.close();
        return found;
    }

    private static List<Map<Integer, Object>> groups(PCFMessage message) {
        List<Map<Integer, Object>> found = new ArrayList<>();
        for (Enumeration<?> all = message.getParameters(); all.hasMoreElements();) {
            Object one = all.nextElement();
            if (one instanceof MQCFGR) {
                Map<Integer, Object> values = new HashMap<>();
                for (Enumeration<?> of = ((MQCFGR) one).getParameters(); of.hasMoreElements();) {
                    PCFParameter member = (PCFParameter) of.nextElement();
                    values.put(member.getParameter(), member.getValue());
                }
                found.add(values);
            }
        }
        return found;
    }

    @Case(Case.SHARES)
    void metadata_when_discovered_then_classes_types_and_elements() throws Exception {
        MQQueueManager connection = connect();
        String root = "$SYS/MQ/INFO/QMGR/" + connection.getName().trim() + "/Monitor";
        List<String> names = new ArrayList<>();
        int elements = 0;
        for (Map<Integer, Object> of_class : groups(retained(connection, root + "/METADATA/CLASSES"))) {
            equal(5, of_class.size());
            names.add((String) of_class.get(CMQCFC.MQCAMO_MONITOR_CLASS));
            String types = (String) of_class.get(CMQC.MQCA_TOPIC_STRING);
            for (Map<Integer, Object> of_type : groups(retained(connection, types))) {
                equal(4, of_type.size());
                PCFMessage kind = retained(connection, (String) of_type.get(CMQC.MQCA_TOPIC_STRING));
                holds(kind.getStringParameterValue(CMQC.MQCA_TOPIC_STRING).startsWith(root), "a data topic");
                for (Map<Integer, Object> element : groups(kind)) {
                    equal(3, element.size());
                    elements++;
                }
            }
        }
        equal("[CPU, DISK, STATMQI, STATQ]", names.toString());
        holds(elements > 100, "elements: " + elements);
    }

    @Case(Case.ONCE)
    void data_when_ten_seconds_pass_then_it_comes() throws Exception {
        MQQueueManager connection = connect();
        String root = "$SYS/MQ/INFO/QMGR/" + connection.getName().trim() + "/Monitor";
        MQTopic listening = subscriber(connection, root + "/STATQ/" + queue + "/GENERAL");
        PCFMessage found = next(listening, 30_000);
        equal(3, found.getIntParameterValue(CMQCFC.MQIAMO_MONITOR_CLASS));
        equal(4, found.getIntParameterValue(CMQCFC.MQIAMO_MONITOR_TYPE));
        equal(queue, found.getStringParameterValue(CMQC.MQCA_Q_NAME).trim());
        holds(found.getInt64ParameterValue(CMQCFC.MQIAMO64_MONITOR_INTERVAL) > 0, "an interval");
        equal(0, found.getIntParameterValue(3)); // Queue depth
        listening.close();
    }

    @Case(Case.ONCE)
    void activity_when_traced_then_the_calls_of_this_program() throws Exception {
        MQQueueManager connection = connect();
        String root = "$SYS/MQ/INFO/QMGR/" + connection.getName().trim() + "/ActivityTrace/ConnectionId/#";
        MQTopic listening = subscriber(connection, root);
        connection.accessQueue(queue, BOTH).close();
        PCFMessage found = next(listening, 15_000);
        equal(CMQCFC.MQCMD_ACTIVITY_TRACE, found.getCommand());
        holds(groups(found).size() > 0, "calls");
        listening.close();
    }
}
