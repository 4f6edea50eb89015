import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.CMQCFC;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFMessageAgent;
import com.ibm.mq.jms.MQConnectionFactory;
import com.ibm.mq.jms.MQTopic;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.jms.Connection;
import javax.jms.IllegalStateException;
import javax.jms.InvalidClientIDException;
import javax.jms.InvalidDestinationException;
import javax.jms.InvalidDestinationRuntimeException;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.IllegalStateRuntimeException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;
import javax.jms.TemporaryTopic;
import javax.jms.TextMessage;
import javax.jms.Topic;
import javax.jms.TopicConnection;
import javax.jms.TopicSession;

/** Topics: consumers, durable subscriptions, selectors, noLocal, retained and temporary ones. */
final class JmsTopics extends JmsCases {
    private static final long SHORT_MS = 300;

    /** A topic below one that no other case has. */
    private Topic topic(Session session, String below) throws JMSException {
        return session.createTopic("topic://" + queue + "/" + below);
    }

    private Connection client(String client) throws JMSException {
        MQConnectionFactory factory = place.factory();
        factory.setClientID(queue + client);
        Connection made = keep(factory.createConnection());
        made.start();
        return made;
    }

    private static void publish(Session session, Topic to, String... words) throws JMSException {
        MessageProducer producer = session.createProducer(to);
        for (String one : words) {
            producer.send(session.createTextMessage(one));
        }
        producer.close();
    }

    private static List<String> all(MessageConsumer from) throws JMSException {
        List<String> found = new ArrayList<>();
        for (Message one = from.receive(SHORT_MS); one != null; one = from.receive(SHORT_MS)) {
            found.add(((TextMessage) one).getText());
        }
        return found;
    }

    /** What a JMS call refuses; the class of the exception must be this. */
    private static void refuses(Class<? extends Exception> kind, Attempt attempt) throws Exception {
        try {
            attempt.run();
        } catch (Exception refused) {
            holds(kind.isInstance(refused), kind + " wanted: " + Judge.describe(refused));
            return;
        }
        throw new AssertionError("not refused: " + kind);
    }

    @Case
    void consumer_when_published_before_and_after_then_gets_what_came_after() throws Exception {
        Session session = automatic(started());
        Topic topic = topic(session, "a");
        publish(session, topic, "before");
        MessageConsumer consumer = session.createConsumer(topic);
        publish(session, topic, "after");
        Message found = consumer.receive(WAIT_MS);
        equal("after", ((TextMessage) found).getText());
        equal("topic://" + queue + "/a", found.getJMSDestination().toString());
        equal(null, consumer.receive(SHORT_MS));
    }

    @Case(Case.PLAIN)
    void durable_when_there_is_no_client_id_then_refused() throws Exception {
        Session session = automatic(started());
        refuses(IllegalStateException.class, () -> session.createDurableSubscriber(topic(session, "a"), "d"));
        try (JMSContext context = place.factory().createContext()) {
            Topic topic = context.createTopic("topic://" + queue + "/a");
            refuses(IllegalStateRuntimeException.class, () -> context.createDurableConsumer(topic, "d"));
        }
    }

    @Case(Case.PLAIN)
    void client_id_when_set_after_another_call_then_refused() throws Exception {
        Connection connection = keep(place.factory().createConnection());
        automatic(connection);
        refuses(IllegalStateException.class, () -> connection.setClientID(queue));
    }

    @Case(Case.PLAIN)
    void client_id_when_used_twice_then_the_second_is_refused() throws Exception {
        automatic(client("c"));
        refuses(InvalidClientIDException.class, () -> automatic(client("c")));
    }

    @Case
    void durable_when_closed_and_made_again_then_gets_what_came_meanwhile() throws Exception {
        Session session = automatic(client("c"));
        Topic topic = topic(session, "a");
        session.createDurableSubscriber(topic, "d1").close();
        publish(session, topic, "1", "2", "3");
        MessageConsumer again = session.createDurableSubscriber(topic, "d1");
        equal(List.of("1", "2", "3"), all(again));
        again.close();
        session.unsubscribe("d1");
    }

    @Case(Case.PLAIN)
    void durable_when_it_has_a_consumer_then_a_second_is_refused() throws Exception {
        Session session = automatic(client("c"));
        Topic topic = topic(session, "a");
        MessageConsumer first = session.createDurableSubscriber(topic, "d1");
        refuses(JMSException.class, () -> session.createDurableSubscriber(topic, "d1"));
        publish(session, topic, "1");
        equal(List.of("1"), all(first));
        first.close();
        session.unsubscribe("d1");
    }

    @Case(Case.PLAIN)
    void durable_when_made_again_with_another_selector_then_as_new() throws Exception {
        Session session = automatic(client("c"));
        Topic topic = topic(session, "a");
        session.createDurableSubscriber(topic, "d1", "n > 5", false).close();
        MessageProducer producer = session.createProducer(topic);
        for (int number = 6; number < 8; number++) {
            TextMessage message = session.createTextMessage("" + number);
            message.setIntProperty("n", number);
            producer.send(message);
        }
        MessageConsumer same = session.createDurableSubscriber(topic, "d1", "n > 5", false);
        equal("6", received(same));
        same.close();
        MessageConsumer other = session.createDurableSubscriber(topic, "d1", "n > 6", false);
        equal(List.of(), all(other));
        other.close();
        MessageConsumer elsewhere = session.createDurableSubscriber(topic(session, "b"), "d1");
        publish(session, topic(session, "b"), "there");
        equal(List.of("there"), all(elsewhere));
        elsewhere.close();
        session.unsubscribe("d1");
    }

    @Case(Case.PLAIN)
    void durable_when_active_and_asked_for_with_another_selector_then_goes_on() throws Exception {
        Session session = automatic(client("c"));
        Topic topic = topic(session, "a");
        MessageConsumer first = session.createDurableSubscriber(topic, "d1");
        refuses(JMSException.class, () -> session.createDurableSubscriber(topic, "d1", "n = 1", false));
        publish(session, topic, "1");
        equal(List.of("1"), all(first));
        first.close();
        session.unsubscribe("d1");
    }

    @Case(Case.PLAIN)
    void unsubscribe_when_unknown_or_in_use_then_refused() throws Exception {
        Session session = automatic(client("c"));
        refuses(InvalidDestinationException.class, () -> session.unsubscribe("none"));
        MessageConsumer active = session.createDurableSubscriber(topic(session, "a"), "d1");
        refuses(JMSException.class, () -> session.unsubscribe("d1"));
        active.close();
        session.unsubscribe("d1");
        refuses(InvalidDestinationException.class, () -> session.unsubscribe("d1"));
    }

    @Case(Case.PLAIN)
    void unsubscribe_when_of_a_context_then_refused_likewise() throws Exception {
        MQConnectionFactory factory = place.factory();
        factory.setClientID(queue + "c");
        JMSContext context = keep(factory.createContext());
        refuses(InvalidDestinationRuntimeException.class, () -> context.unsubscribe("none"));
        Topic topic = context.createTopic("topic://" + queue + "/a");
        JMSConsumer active = context.createDurableConsumer(topic, "d1");
        refuses(JMSRuntimeException.class, () -> context.unsubscribe("d1"));
        active.close();
        context.unsubscribe("d1");
        refuses(InvalidDestinationRuntimeException.class, () -> context.unsubscribe("d1"));
    }

    /** While there is a consumer it is refused. Without one the client does not refuse it, and the
     * queue manager knows of no acknowledgement. */
    @Case(Case.PLAIN)
    void unsubscribe_when_a_message_is_not_acknowledged_then_it_goes_too() throws Exception {
        Connection connection = client("c");
        Session session = keep(connection.createSession(false, Session.CLIENT_ACKNOWLEDGE));
        Topic topic = topic(session, "a");
        MessageConsumer consumer = session.createDurableSubscriber(topic, "d1");
        publish(automatic(connection), topic, "1");
        equal("1", received(consumer));
        refuses(JMSException.class, () -> session.unsubscribe("d1"));
        consumer.close();
        session.unsubscribe("d1");
        session.recover();
        MessageConsumer again = session.createDurableSubscriber(topic, "d1");
        equal(null, again.receive(SHORT_MS));
        again.close();
        session.unsubscribe("d1");
    }

    @Case(Case.PLAIN)
    void durable_when_made_then_the_queue_manager_shows_whose_it_is() throws Exception {
        Session session = automatic(client("c"));
        session.createDurableSubscriber(topic(session, "a"), "d1").close();
        PCFMessageAgent agent = new PCFMessageAgent(kept(place.connect(
                "J.ADMIN", place.administrator, place.administratorPassword)));
        PCFMessage inquire = new PCFMessage(CMQCFC.MQCMD_INQUIRE_SUBSCRIPTION);
        String name = "JMS:" + place.queueManager + ":" + queue + "c:d1";
        inquire.addParameter(CMQCFC.MQCACF_SUB_NAME, name);
        PCFMessage found = agent.send(inquire)[0];
        agent.disconnect();
        equal(CMQC.MQSUB_DURABLE_YES, found.getIntParameterValue(CMQCFC.MQIACF_DURABLE_SUBSCRIPTION));
        equal(CMQCFC.MQSUBTYPE_API, found.getIntParameterValue(CMQCFC.MQIACF_SUB_TYPE));
        equal(queue + "/a", found.getStringParameterValue(CMQC.MQCA_TOPIC_STRING).trim());
        session.unsubscribe("d1");
    }

    @Case(Case.ONCE)
    void client_id_when_extensions_are_supported_then_it_may_be_used_twice() throws Exception {
        extended("client_id_is_used_twice");
    }

    @Case(Case.ONCE)
    void no_local_when_extensions_are_supported_then_it_is_by_connection() throws Exception {
        extended("no_local_is_by_connection");
    }

    /** A method of JmsExtended, in a process whose JMS has the extensions of MQ. */
    private void extended(String method) throws Exception {
        Path plan = Files.createTempFile("extended", ".plan");
        Files.writeString(plan, String.join("\t", "0", place.name, "JmsExtended", method, queue) + "\n");
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Dcom.ibm.mq.jms.SupportMQExtensions=true",
                "-Dcom.ibm.msg.client.commonservices.log.status=OFF",
                "-Duser.name=" + System.getProperty("user.name"),
                "-cp", System.getProperty("java.class.path"),
                "Judge", Judge.settingsPath, plan.toString()));
        Process other = new ProcessBuilder(command)
                .directory(new File(System.getProperty("user.dir")))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String told = new String(other.getInputStream().readAllBytes());
        Files.delete(plan);
        holds(told.contains("0\tpassed\t"), told);
    }

    @Case(Case.PLAIN)
    void durable_when_made_again_with_other_no_local_then_as_new() throws Exception {
        Session session = automatic(client("c"));
        Session other = automatic(started());
        Topic topic = topic(session, "a");
        session.createDurableSubscriber(topic, "d1", null, false).close();
        publish(other, topic, "before");
        MessageConsumer again = session.createDurableSubscriber(topic, "d1", null, true);
        publish(session, topic, "own");
        publish(other, topic, "other");
        equal(List.of("other"), all(again));
        again.close();
        session.unsubscribe("d1");
    }

    @Case(Case.PLAIN)
    void temporary_topic_when_its_connection_is_closed_then_it_is_gone() throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        TemporaryTopic topic = session.createTemporaryTopic();
        MessageConsumer consumer = session.createConsumer(topic);
        publish(session, topic, "here");
        equal(List.of("here"), all(consumer));
        connection.close();
        Session other = automatic(started());
        refuses(JMSException.class, () -> other.createConsumer(topic));
    }

    @Case(Case.PLAIN)
    void no_local_when_published_by_the_same_connection_then_not_received() throws Exception {
        Session session = automatic(client("c"));
        Session other = automatic(started());
        Topic topic = topic(session, "a");
        MessageConsumer consumer = session.createConsumer(topic, null, true);
        MessageConsumer durable = session.createDurableSubscriber(topic, "d1", null, true);
        publish(session, topic, "own");
        publish(other, topic, "other");
        equal(List.of("other"), all(consumer));
        equal(List.of("other"), all(durable));
        durable.close();
        session.unsubscribe("d1");
    }

    @Case(Case.PLAIN)
    void selector_when_few_publications_match_then_only_those_come() throws Exception {
        Session session = automatic(started());
        Topic topic = topic(session, "a");
        MessageConsumer consumer = session.createConsumer(topic, "n > 5");
        MessageProducer producer = session.createProducer(topic);
        for (int number = 0; number < 100; number++) {
            TextMessage message = session.createTextMessage("" + number);
            message.setIntProperty("n", number % 10 == 9 ? 6 : 5);
            producer.send(message);
        }
        equal(10, all(consumer).size());
    }

    @Case(Case.PLAIN)
    void retained_when_sent_then_a_new_consumer_gets_it() throws Exception {
        Session session = automatic(started());
        Topic topic = topic(session, "r");
        MessageProducer producer = session.createProducer(topic);
        TextMessage message = session.createTextMessage("kept");
        message.setIntProperty("JMS_IBM_Retain", 1);
        producer.send(message);
        publish(session, topic, "not kept");
        Message found = session.createConsumer(topic).receive(WAIT_MS);
        equal("kept", ((TextMessage) found).getText());
        equal(1, found.getIntProperty("JMS_IBM_Retain"));
    }

    @Case(Case.PLAIN)
    void user_data_when_of_an_administrative_subscription_then_a_property() throws Exception {
        Session session = automatic(started());
        String mine = "J." + place.name.toUpperCase();
        Topic topic = session.createTopic("topic://" + mine + "/user/data");
        publish(session, topic, "told");
        MessageConsumer consumer = session.createConsumer(session.createQueue("queue:///" + mine + ".USER.DATA"));
        Message found = consumer.receive(WAIT_MS);
        equal("told", ((TextMessage) found).getText());
        equal("the data", found.getStringProperty("JMS_IBM_SubscriptionUserData"));
    }

    @Case(Case.PLAIN)
    void temporary_topic_when_used_then_for_its_own_connection() throws Exception {
        Connection connection = started();
        Session session = automatic(connection);
        TemporaryTopic topic = session.createTemporaryTopic();
        MessageConsumer consumer = session.createConsumer(topic);
        publish(session, topic, "here");
        equal(List.of("here"), all(consumer));
        Session other = automatic(started());
        refuses(JMSException.class, () -> other.createConsumer(topic));
        refuses(JMSException.class, topic::delete);
        consumer.close();
        topic.delete();
    }

    @Case(Case.PLAIN)
    void wildcards_when_by_topic_and_by_character_then_each_matches_its_own() throws Exception {
        Session session = automatic(started());
        MessageConsumer levels = session.createConsumer(topic(session, "a/+"));
        MQTopic byCharacter = (MQTopic) topic(session, "a/*");
        byCharacter.setIntProperty(WMQConstants.WMQ_WILDCARD_FORMAT, WMQConstants.WMQ_WILDCARD_CHAR_ONLY);
        MessageConsumer characters = session.createConsumer(byCharacter);
        publish(session, topic(session, "a/b"), "one level");
        publish(session, topic(session, "a/b/c"), "two levels");
        equal(List.of("one level"), all(levels));
        equal(List.of("one level", "two levels"), all(characters));
    }

    @Case(Case.PLAIN)
    void transacted_when_rolled_back_then_nothing_published_and_redelivered() throws Exception {
        Connection connection = started();
        Session session = transacted(connection);
        Topic topic = topic(session, "a");
        MessageConsumer consumer = session.createConsumer(topic);
        publish(session, topic, "lost");
        session.rollback();
        publish(session, topic, "sent");
        session.commit();
        equal("sent", received(consumer));
        session.rollback();
        Message again = consumer.receive(WAIT_MS);
        equal("sent", ((TextMessage) again).getText());
        equal(2, again.getIntProperty("JMSXDeliveryCount"));
        session.commit();
        equal(null, consumer.receive(SHORT_MS));
    }

    @Case(Case.PLAIN)
    void topic_session_when_asked_for_queues_then_refused() throws Exception {
        TopicConnection connection = keep(place.topicFactory().createTopicConnection());
        TopicSession session = connection.createTopicSession(false, Session.AUTO_ACKNOWLEDGE);
        refuses(IllegalStateException.class, () -> session.createQueue("queue:///" + queue));
        refuses(IllegalStateException.class, session::createTemporaryQueue);
        refuses(IllegalStateException.class, () -> session.createBrowser(null));
    }
}
