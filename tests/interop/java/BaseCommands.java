import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.CMQCFC;
import com.ibm.mq.headers.MQDataException;
import com.ibm.mq.headers.pcf.PCFException;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFMessageAgent;
import java.util.Arrays;

/** Administration by PCF through the agent of the classes. */
final class BaseCommands extends Cases {
    private PCFMessageAgent agent() throws Exception {
        MQQueueManager connection = kept(place.connect(
                "J.ADMIN", place.administrator, place.administratorPassword));
        PCFMessageAgent made = new PCFMessageAgent(connection);
        keep(made::disconnect);
        return made;
    }

    private static void refused(int wanted, Attempt attempt) throws Exception {
        try {
            attempt.run();
        } catch (MQDataException refused) {
            equal(wanted, refused.reasonCode);
            return;
        }
        throw new AssertionError("reason " + wanted + " wanted, but it succeeded");
    }

    @Case(Case.ONCE)
    void ping_is_answered() throws Exception {
        PCFMessageAgent agent = agent();
        equal(place.queueManager, agent.getQManagerName().trim());
        equal(1, agent.send(new PCFMessage(CMQCFC.MQCMD_PING_Q_MGR)).length);
    }

    @Case(Case.ONCE)
    void queue_is_made_inquired_changed_and_deleted() throws Exception {
        PCFMessageAgent agent = agent();
        String name = "J.BY.PCF";
        PCFMessage create = new PCFMessage(CMQCFC.MQCMD_CREATE_Q);
        create.addParameter(CMQC.MQCA_Q_NAME, name);
        create.addParameter(CMQC.MQIA_Q_TYPE, CMQC.MQQT_LOCAL);
        create.addParameter(CMQC.MQIA_MAX_Q_DEPTH, 77);
        create.addParameter(CMQC.MQCA_Q_DESC, "made by PCF");
        agent.send(create);
        PCFMessage inquire = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q);
        inquire.addParameter(CMQC.MQCA_Q_NAME, name);
        PCFMessage[] found = agent.send(inquire);
        equal(1, found.length);
        equal(77, found[0].getIntParameterValue(CMQC.MQIA_MAX_Q_DEPTH));
        equal("made by PCF", found[0].getStringParameterValue(CMQC.MQCA_Q_DESC).trim());
        refused(CMQCFC.MQRCCF_OBJECT_ALREADY_EXISTS, () -> agent.send(create));
        PCFMessage delete = new PCFMessage(CMQCFC.MQCMD_DELETE_Q);
        delete.addParameter(CMQC.MQCA_Q_NAME, name);
        agent.send(delete);
        refused(CMQC.MQRC_UNKNOWN_OBJECT_NAME, () -> agent.send(inquire));
    }

    @Case(Case.ONCE)
    void many_answers_are_all_there() throws Exception {
        PCFMessage inquire = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q);
        inquire.addParameter(CMQC.MQCA_Q_NAME, "SYSTEM.*");
        inquire.addParameter(CMQC.MQIA_Q_TYPE, CMQC.MQQT_LOCAL);
        PCFMessage[] found = agent().send(inquire);
        holds(found.length > 10, found.length + " answers");
        for (PCFMessage one : found) {
            holds(one.getStringParameterValue(CMQC.MQCA_Q_NAME).startsWith("SYSTEM."), "name");
        }
    }

    @Case(Case.ONCE)
    void names_come_as_a_list() throws Exception {
        PCFMessage inquire = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q_NAMES);
        inquire.addParameter(CMQC.MQCA_Q_NAME, "DEV.QUEUE.*");
        String[] names = agent().send(inquire)[0].getStringListParameterValue(
                CMQCFC.MQCACF_Q_NAMES);
        equal(3, names.length);
        holds(Arrays.toString(names).contains("DEV.QUEUE.2"), Arrays.toString(names));
    }

    @Case(Case.ONCE)
    void queue_manager_and_its_status_are_inquired() throws Exception {
        PCFMessageAgent agent = agent();
        PCFMessage all = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q_MGR);
        equal(place.queueManager, agent.send(all)[0].getStringParameterValue(
                CMQC.MQCA_Q_MGR_NAME).trim());
        PCFMessage status = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q_MGR_STATUS);
        equal(CMQCFC.MQQMSTA_RUNNING, agent.send(status)[0].getIntParameterValue(
                CMQCFC.MQIACF_Q_MGR_STATUS));
    }

    @Case(Case.ONCE)
    void own_channel_is_shown_by_its_status() throws Exception {
        PCFMessage status = new PCFMessage(CMQCFC.MQCMD_INQUIRE_CHANNEL_STATUS);
        status.addParameter(CMQCFC.MQCACH_CHANNEL_NAME, "J.ADMIN");
        PCFMessage[] found = agent().send(status);
        holds(found.length >= 1, "an instance runs");
        equal(CMQCFC.MQCHS_RUNNING, found[0].getIntParameterValue(CMQCFC.MQIACH_CHANNEL_STATUS));
        equal("127.0.0.1", found[0].getStringParameterValue(
                CMQCFC.MQCACH_CONNECTION_NAME).trim());
    }

    @Case(Case.ONCE)
    void unknown_parameter_is_refused_with_its_reason() throws Exception {
        PCFMessage create = new PCFMessage(CMQCFC.MQCMD_CREATE_Q);
        create.addParameter(CMQC.MQIA_MAX_Q_DEPTH, 1);
        PCFMessageAgent agent = agent();
        try {
            agent.send(create);
        } catch (PCFException refused) {
            holds(refused.reasonCode >= 3000, "reason " + refused.reasonCode);
            return;
        }
        throw new AssertionError("a queue without a name was made");
    }
}
