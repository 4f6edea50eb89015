import com.ibm.mq.MQMessage;
import com.ibm.mq.MQProcess;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;

/** Opening, inquiring, setting; dynamic, alias and remote queues. */
final class BaseObjects extends Cases {
    @Case
    void unknown_queue_is_2085() throws Exception {
        MQQueueManager connection = connect();
        reason(CMQC.MQRC_UNKNOWN_OBJECT_NAME,
                () -> connection.accessQueue("J.NOT.THERE", CMQC.MQOO_OUTPUT));
    }

    @Case(Case.SHARES)
    void unknown_object_queue_manager_is_2087() throws Exception {
        MQQueueManager connection = connect();
        reason(CMQC.MQRC_UNKNOWN_REMOTE_Q_MGR,
                () -> connection.accessQueue(queue, CMQC.MQOO_OUTPUT, "NO.QMGR", null, null));
    }

    @Case
    void queue_without_authority_is_2035() throws Exception {
        MQQueueManager connection = connect();
        reason(CMQC.MQRC_NOT_AUTHORIZED,
                () -> connection.accessQueue("SECRET.QUEUE", CMQC.MQOO_OUTPUT));
    }

    @Case(Case.SHARES)
    void name_that_no_object_can_have_is_2085() throws Exception {
        MQQueueManager connection = connect();
        reason(CMQC.MQRC_UNKNOWN_OBJECT_NAME,
                () -> connection.accessQueue("J NOT VALID", CMQC.MQOO_OUTPUT));
    }

    @Case(Case.SHARES)
    void put_on_a_queue_opened_for_input_is_2039() throws Exception {
        MQQueue own = open(connect(), CMQC.MQOO_INPUT_SHARED);
        reason(CMQC.MQRC_NOT_OPEN_FOR_OUTPUT, () -> own.put(text("no")));
    }

    @Case(Case.SHARES)
    void get_on_a_queue_opened_for_output_is_2037() throws Exception {
        MQQueue own = open(connect(), CMQC.MQOO_OUTPUT);
        reason(CMQC.MQRC_NOT_OPEN_FOR_INPUT, () -> got(own, CMQC.MQGMO_NO_WAIT));
    }

    @Case(Case.SHARES)
    void inquire_on_a_queue_not_opened_for_it_is_2038() throws Exception {
        MQQueue own = open(connect(), CMQC.MQOO_OUTPUT);
        reason(CMQC.MQRC_NOT_OPEN_FOR_INQUIRE, own::getCurrentDepth);
    }

    @Case(Case.SHARES)
    void options_that_exclude_each_other_are_2046() throws Exception {
        MQQueueManager connection = connect();
        reason(CMQC.MQRC_OPTIONS_ERROR, () -> connection.accessQueue(
                queue, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_INPUT_EXCLUSIVE));
    }

    @Case
    void exclusive_input_keeps_others_out_with_2042() throws Exception {
        MQQueue first = open(connect(), CMQC.MQOO_INPUT_EXCLUSIVE);
        MQQueueManager second = connect();
        reason(CMQC.MQRC_OBJECT_IN_USE, () -> open(second, CMQC.MQOO_INPUT_SHARED));
        first.close();
        open(second, CMQC.MQOO_INPUT_SHARED).close();
    }

    @Case(Case.SHARES)
    void closed_queue_is_2019() throws Exception {
        MQQueue own = open(connect());
        own.close();
        reason(CMQC.MQRC_HOBJ_ERROR, () -> own.put(text("no")));
    }

    @Case
    void inquires_integers_of_a_queue() throws Exception {
        MQQueue own = open(connect());
        own.put(text("one"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        equal(1, own.getCurrentDepth());
        equal(5000, own.getMaximumDepth());
        equal(4194304, own.getMaximumMessageLength());
        equal(CMQC.MQQT_LOCAL, own.getQueueType());
        equal(CMQC.MQQDT_PREDEFINED, own.getDefinitionType());
        equal(CMQC.MQQA_PUT_ALLOWED, own.getInhibitPut());
        equal(CMQC.MQQA_GET_ALLOWED, own.getInhibitGet());
        equal(1, own.getOpenInputCount());
        equal(1, own.getOpenOutputCount());
        equal(CMQC.MQQA_SHAREABLE, own.getShareability());
        equal(CMQC.MQTC_OFF, own.getTriggerControl());
        equal(CMQC.MQTT_FIRST, own.getTriggerType());
        equal(1, own.getTriggerDepth());
        equal(0, own.getTriggerMessagePriority());
        got(own);
    }

    @Case
    void inquires_integers_and_characters_together() throws Exception {
        MQQueue own = open(connect());
        int[] selectors = {
            CMQC.MQCA_Q_NAME, CMQC.MQIA_MAX_Q_DEPTH, CMQC.MQCA_Q_DESC, CMQC.MQIA_DEF_PRIORITY
        };
        int[] integers = new int[2];
        byte[] characters = new byte[48 + 64];
        own.inquire(selectors, integers, characters);
        equal(5000, integers[0]);
        equal(0, integers[1]);
        String all = new String(characters, "US-ASCII");
        equal(queue, all.substring(0, 48).trim());
        holds(all.substring(48).startsWith("BaseObjects"), "the description: " + all);
        equal(64, own.getDescription().length());
        holds(own.getCreationDateTime() != null, "it was created at some time");
    }

    @Case(Case.SHARES)
    void selector_that_a_queue_does_not_have_is_2067() throws Exception {
        MQQueue own = open(connect());
        reason(CMQC.MQRC_SELECTOR_ERROR,
                () -> own.inquire(new int[] {9999999}, new int[1], new byte[0]));
    }

    @Case
    void inquires_the_queue_manager() throws Exception {
        MQQueueManager connection = connect();
        holds(connection.getCommandLevel() >= 910, "command level " + connection.getCommandLevel());
        holds(connection.getCharacterSet() > 0, "character set");
        equal(104857600, connection.getMaximumMessageLength());
        equal(9, connection.getMaximumPriority());
        equal(CMQC.MQSP_AVAILABLE, connection.getSyncpointAvailability());
        equal("SYSTEM.ADMIN.COMMAND.QUEUE", connection.getCommandInputQueueName().trim());
        holds(connection.getAttributeString(CMQC.MQCA_Q_MGR_IDENTIFIER, 48).startsWith(
                place.queueManager), "its identifier");
        connection.getDescription();
        connection.getDistributionListCapable();
    }

    @Case(Case.SHARES)
    void inquires_a_process() throws Exception {
        MQProcess process = connect().accessProcess("J.PROCESS", CMQC.MQOO_INQUIRE);
        equal("program", process.getApplicationId().trim());
        equal("environment", process.getEnvironmentData().trim());
        equal("user data", process.getUserData().trim());
        process.close();
    }

    @Case
    void sets_and_inquires_attributes() throws Exception {
        MQQueue own = open(connect(), BOTH | CMQC.MQOO_SET);
        own.setTriggerData("data of the trigger");
        own.setTriggerDepth(17);
        own.setTriggerMessagePriority(3);
        own.setTriggerType(CMQC.MQTT_DEPTH);
        equal("data of the trigger", own.getTriggerData().trim());
        equal(17, own.getTriggerDepth());
        equal(3, own.getTriggerMessagePriority());
        equal(CMQC.MQTT_DEPTH, own.getTriggerType());
    }

    @Case
    void inhibited_put_is_2051_and_inhibited_get_is_2016() throws Exception {
        MQQueue own = open(connect(), BOTH | CMQC.MQOO_SET);
        own.setInhibitPut(CMQC.MQQA_PUT_INHIBITED);
        reason(CMQC.MQRC_PUT_INHIBITED, () -> own.put(text("no")));
        own.setInhibitPut(CMQC.MQQA_PUT_ALLOWED);
        own.put(text("yes"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        own.setInhibitGet(CMQC.MQQA_GET_INHIBITED);
        equal(CMQC.MQQA_GET_INHIBITED, own.getInhibitGet());
        reason(CMQC.MQRC_GET_INHIBITED, () -> got(own, CMQC.MQGMO_NO_WAIT));
        own.setInhibitGet(CMQC.MQQA_GET_ALLOWED);
        equal("yes", words(got(own)));
    }

    @Case
    void model_queue_gives_a_dynamic_reply_queue() throws Exception {
        MQQueueManager asking = connect();
        MQQueue replies = asking.accessQueue(
                "J.MODEL", CMQC.MQOO_INPUT_EXCLUSIVE | CMQC.MQOO_INQUIRE, null, "J.REPLY.*", null);
        String name = replies.getName().trim();
        holds(name.startsWith("J.REPLY.") && name.length() > 8, "the name: " + name);
        equal(CMQC.MQQDT_TEMPORARY_DYNAMIC, replies.getDefinitionType());
        MQMessage request = text("how many?");
        request.messageType = CMQC.MQMT_REQUEST;
        request.replyToQueueName = name;
        open(asking, CMQC.MQOO_OUTPUT).put(request, putting(CMQC.MQPMO_NO_SYNCPOINT));

        MQQueueManager answering = connect();
        MQMessage asked = got(open(answering, CMQC.MQOO_INPUT_SHARED));
        equal(name, asked.replyToQueueName.trim());
        equal(place.queueManager, asked.replyToQueueManagerName.trim());
        MQMessage answer = text("two");
        answer.messageType = CMQC.MQMT_REPLY;
        answer.correlationId = asked.messageId;
        answering.put(asked.replyToQueueName, answer, putting(CMQC.MQPMO_NO_SYNCPOINT));

        MQMessage reply = new MQMessage();
        reply.correlationId = request.messageId;
        var options = getting(CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT);
        options.matchOptions = CMQC.MQMO_MATCH_CORREL_ID;
        replies.get(reply, options);
        equal("two", words(reply));
        replies.close();
        reason(CMQC.MQRC_UNKNOWN_OBJECT_NAME,
                () -> answering.accessQueue(name, CMQC.MQOO_OUTPUT));
    }

    @Case(Case.SHARES)
    void permanent_dynamic_queue_goes_when_asked() throws Exception {
        MQQueueManager connection = connect();
        MQQueue made = connection.accessQueue("J.MODEL.PERMANENT", BOTH, null, "J.PERM.*", null);
        String name = made.getName().trim();
        made.put(text("stays"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        made.setCloseOptions(CMQC.MQCO_DELETE);
        reason(CMQC.MQRC_Q_NOT_EMPTY, made::close);
        MQQueue again = connection.accessQueue(name, BOTH);
        equal(1, again.getCurrentDepth());
        again.setCloseOptions(CMQC.MQCO_DELETE_PURGE);
        again.close();
        reason(CMQC.MQRC_UNKNOWN_OBJECT_NAME, () -> connection.accessQueue(name, BOTH));
    }

    @Case(Case.SHARES)
    void alias_leads_to_its_target() throws Exception {
        MQQueueManager connection = connect();
        MQQueue alias = connection.accessQueue(named("ALIAS"), BOTH);
        alias.put(text("by another name"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        equal(CMQC.MQQT_ALIAS, alias.getQueueType());
        equal("by another name",
                words(got(connection.accessQueue(named("TARGET"), BOTH))));
    }

    @Case(Case.SHARES)
    void remote_definition_fills_its_transmission_queue() throws Exception {
        MQQueueManager connection = connect();
        connection.accessQueue(named("REMOTE"), CMQC.MQOO_OUTPUT)
                .put(text("far away"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        MQMessage found = got(connection.accessQueue(named("XMIT"), BOTH));
        equal(CMQC.MQFMT_XMIT_Q_HEADER, found.format);
        String all = new String(data(found), "ISO-8859-1");
        holds(all.startsWith("XQH ") && all.endsWith("far away"), "header, then data: " + all);
    }

    @Case(Case.SHARES)
    void handles_are_counted() throws Exception {
        MQQueueManager connection = connect();
        MQQueue[] many = new MQQueue[40];
        for (int at = 0; at < many.length; at++) {
            many[at] = open(connection);
        }
        equal(many.length, many[7].getOpenInputCount());
        for (int at = 1; at < many.length; at++) {
            many[at].close();
        }
        equal(1, many[0].getOpenInputCount());
    }
}
