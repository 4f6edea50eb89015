import com.ibm.mq.MQQueue;
import com.ibm.mq.constants.CMQC;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.jms.InvalidSelectorException;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.QueueBrowser;
import javax.jms.Session;
import javax.jms.TextMessage;

/**
 * The language of selectors: what each selects, and what is refused. Over SHARECNV(0) the client
 * selects by itself, with rules of its own, so most cases are not for that.
 */
final class JmsSelectorRules extends JmsCases {
    private Session session;

    private void send(String words, Object... properties) throws JMSException {
        TextMessage message = session.createTextMessage(words);
        for (int at = 0; at < properties.length; at += 2) {
            message.setObjectProperty((String) properties[at], properties[at + 1]);
        }
        MessageProducer producer = session.createProducer(own(session));
        producer.send(message);
        producer.close();
    }

    private void stock() throws JMSException {
        session = automatic(started());
        send("pen", "colour", "red", "price", 2L, "fresh", true, "code", "12993", "raw", "1");
        send("ink", "colour", "blue", "price", 7.5, "fresh", false, "code", "_a", "small", (byte) 5);
        send("nib", "price", (byte) -3, "code", "literal's", "small", (short) 5, "light", 0.25f);
        send("jar", "price", "2", "code", 3);
    }

    private static List<String> seen(Session session, Queue queue, String selector) throws JMSException {
        QueueBrowser browser = session.createBrowser(queue, selector);
        List<String> found = new ArrayList<>();
        for (Object one : Collections.list(browser.getEnumeration())) {
            found.add(((TextMessage) one).getText());
        }
        browser.close();
        return found;
    }

    /** Pairs of a selector and what it selects: browsed, and got and put back. */
    private void select(String... pairs) throws Exception {
        stock();
        Session unit = transacted(started());
        for (int at = 0; at < pairs.length; at += 2) {
            String selector = pairs[at];
            List<String> wanted = pairs[at + 1].isEmpty() ? List.of() : List.of(pairs[at + 1].split(" "));
            holds(wanted.equals(seen(session, own(session), selector)),
                    selector + " selects " + seen(session, own(session), selector) + ", not " + wanted);
            MessageConsumer consumer = unit.createConsumer(own(unit), selector);
            for (String one : wanted) {
                equal(one, received(consumer));
            }
            equal(null, consumer.receiveNoWait());
            unit.rollback();
            consumer.close();
        }
    }

    /** A consumer and a browser with the selector are refused, with the reason if it is not 0. */
    private void refuse(int wanted, String... selectors) throws Exception {
        session = automatic(started());
        for (String selector : selectors) {
            for (Attempt attempt : List.<Attempt>of(
                    () -> session.createConsumer(own(session), selector),
                    () -> session.createBrowser(own(session), selector).getEnumeration())) {
                try {
                    attempt.run();
                } catch (InvalidSelectorException refused) {
                    if (wanted != 0) {
                        linkedReason(wanted, () -> {
                            throw refused;
                        });
                    }
                    continue;
                }
                throw new AssertionError("InvalidSelectorException wanted for " + selector.substring(
                        0, Math.min(60, selector.length())));
            }
        }
    }

    @Case(Case.SHARED)
    void constant_that_is_true_selects_every_message() throws Exception {
        select("TRUE", "pen ink nib jar", "TRUE <> FALSE", "pen ink nib jar", "2 > 1", "pen ink nib jar");
    }

    @Case(Case.SHARED)
    void constant_that_is_not_true_is_refused() throws Exception {
        refuse(CMQC.MQRC_SELECTOR_ALWAYS_FALSE, "FALSE", "1 > 2", "'a' = 'b'");
    }

    @Case(Case.SHARED)
    void three_values() throws Exception {
        select("fresh AND NOT FALSE", "pen",
                "fresh OR price < 0", "pen nib",
                "NOT fresh", "ink",
                "fresh IS NULL AND colour IS NULL", "nib jar",
                "NOT (colour = 'red' AND price > 0)", "ink nib jar",
                "colour <> 'red'", "ink");
    }

    @Case(Case.SHARED)
    void test_of_another_type_is_false() throws Exception {
        select("price = 2", "pen",
                "price = '2'", "jar",
                "price <> 2", "ink nib",
                "fresh = 'true'", "",
                "code = 3", "jar",
                "small = 5", "ink nib",
                "code LIKE '3'", "");
    }

    @Case(Case.PLAIN)
    void like_between_and_in() throws Exception {
        select("code LIKE '12%3'", "pen",
                "code LIKE '\\_%' ESCAPE '\\'", "ink",
                "code LIKE '*'", "",
                "code NOT LIKE '1%'", "ink nib",
                "price BETWEEN 2 AND 7.5", "pen ink",
                "price NOT BETWEEN 2 AND 7.5", "nib",
                "colour IN ('red', 'green')", "pen",
                "colour NOT IN ('red', 'green')", "ink");
    }

    @Case(Case.SHARED)
    void arithmetic() throws Exception {
        select("price * 2 + 1 = 5", "pen",
                "price + 1 * 2 = 4", "pen",
                "(price + 1) * 2 = 6", "pen",
                "-price = 3", "nib",
                "price / 0 = 1 OR price < 0", "nib",
                "9223372036854775807 + price > 0", "ink nib",
                "price / 2 = 3.75", "ink");
    }

    @Case(Case.SHARED)
    void literals() throws Exception {
        select("price = 0x2", "pen",
                "price = 2.0", "pen",
                "price = 75.E-1", "ink",
                "price = 0.75e1", "ink",
                "price = -3L", "nib",
                "light = 0.25f", "nib",
                "light = 25E-2D", "nib",
                "code = 'literal''s'", "nib");
    }

    @Case(Case.SHARED)
    void wrong_syntax_is_refused() throws Exception {
        refuse(0, "colour = = 'red'", "a != 1", "a && b", "a IS 3", "20 < b < 30", "a = \"red\"", "(a = 1", "a = 09");
    }

    @Case(Case.PLAIN)
    void selector_of_10240_characters_is_accepted() throws Exception {
        stock();
        String selector = "colour = 'red'";
        String padded = selector + " ".repeat(10_240 - selector.length());
        equal(List.of("pen"), seen(session, own(session), padded));
        String words = "colour IN ('red', '" + "x".repeat(10_240 - 21) + "')";
        equal(10_240, words.length());
        equal(List.of("pen"), seen(session, own(session), words));
    }

    @Case(Case.PLAIN)
    void selector_of_10241_characters_is_refused() throws Exception {
        refuse(CMQC.MQRC_SELECTION_STRING_ERROR, "colour IN ('red', '" + "x".repeat(10_241 - 21) + "')");
    }

    @Case(Case.PLAIN)
    void empty_selector_is_none() throws Exception {
        stock();
        equal(List.of("pen", "ink", "nib", "jar"), seen(session, own(session), ""));
        equal(List.of("pen", "ink", "nib", "jar"), seen(session, own(session), null));
        equal("pen", received(session.createConsumer(own(session), "")));
    }

    @Case(Case.PLAIN)
    void hundred_tests_are_accepted() throws Exception {
        stock();
        String many = " OR colour = 'none'".repeat(99);
        equal(List.of("pen"), seen(session, own(session), "colour = 'red'" + many));
        equal("pen", received(session.createConsumer(own(session), "colour = 'red'" + many)));
    }

    @Case(Case.PLAIN)
    void more_than_hundred_tests_are_refused() throws Exception {
        refuse(CMQC.MQRC_SELECTOR_SYNTAX_ERROR, "colour = 'red'" + " OR colour = 'none'".repeat(100));
    }

    @Case(Case.PLAIN)
    void many_parentheses_are_refused() throws Exception {
        refuse(0, "(".repeat(4_000) + "colour = 'red'" + ")".repeat(4_000));
    }

    @Case
    void alias_with_a_selector_gives_what_matches() throws Exception {
        session = automatic(started());
        Queue red = session.createQueue("queue:///" + named("RED.B"));
        Queue all = session.createQueue("queue:///" + named("COLOURS.B"));
        MessageProducer producer = session.createProducer(red);
        for (int number = 0; number < 6; number++) {
            TextMessage message = session.createTextMessage("" + number);
            message.setStringProperty("colour", number % 2 == 0 ? "red" : "blue");
            message.setIntProperty("size", number);
            producer.send(message); // puts are not filtered
        }
        equal(List.of("0", "2", "4"), seen(session, red, null));
        equal(List.of("2", "4"), seen(session, red, "size > 0"));
        MessageConsumer both = session.createConsumer(red, "size BETWEEN 1 AND 2");
        equal("2", received(both));
        equal(null, both.receiveNoWait());
        both.close();
        MessageConsumer alias = session.createConsumer(red);
        equal("0", received(alias));
        equal("4", received(alias));
        equal(null, alias.receiveNoWait());
        equal(List.of("1", "3", "5"), seen(session, all, null));
        MessageConsumer rest = session.createConsumer(all);
        for (String one : List.of("1", "3", "5")) {
            equal(one, received(rest));
        }
    }

    @Case(Case.PLAIN)
    void messages_of_a_group_are_selected_one_by_one() throws Exception {
        session = automatic(started());
        String group = "ID:0102030405060708090a0b0c0d0e0f101112131415161718";
        for (int number = 1; number <= 3; number++) {
            send("" + number, "JMSXGroupID", group, "JMSXGroupSeq", number, "size", number);
        }
        send("alone", "size", 2);
        String selector = "JMSXGroupID = '" + group + "'";
        equal(List.of("1", "2", "3"), seen(session, own(session), selector));
        equal("2", received(session.createConsumer(own(session), selector + " AND size = 2")));
        equal("3", received(session.createConsumer(own(session), "JMSXGroupSeq = 3")));
        equal(List.of("1", "alone"), seen(session, own(session), null));
    }

    @Case(Case.PLAIN)
    void identifiers_as_bytes_are_found() throws Exception {
        session = automatic(started());
        String id = "ID:0102030405060708090a0b0c0d0e0f101112131415161718";
        for (String correlation : List.of("a text", id, "ID:ff02030405060708090a0b0c0d0e0f101112131415161718")) {
            TextMessage message = session.createTextMessage(correlation);
            message.setJMSCorrelationID(correlation);
            session.createProducer(own(session)).send(message);
        }
        String selector = "JMSCorrelationID = '" + id + "'";
        equal(List.of(id), seen(session, own(session), selector));
        equal(List.of("a text", id), seen(session, own(session), selector + " OR JMSCorrelationID = 'a text'"));
        equal(id, received(session.createConsumer(own(session), selector)));
        equal(List.of(), seen(session, own(session), selector));
    }

    /** A header of the application: its elements have the types of JMS. */
    @Case(Case.PLAIN)
    void elements_of_jms_without_a_type_have_that_of_jms() throws Exception {
        MQQueue base = open(connect());
        base.put(headed(
                "<jms><Dlv>2</Dlv><Exp>9</Exp><Pri>7</Pri><Tms>5</Tms><Seq>1</Seq></jms>",
                "<usr><a>1</a></usr>"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        session = automatic(started());
        equal(List.of(), seen(session, own(session), "a = 1"));
        equal(List.of("payload"), seen(session, own(session),
                "jms.Dlv = 2 AND jms.Exp = 9 AND jms.Pri = 7 AND jms.Tms = 5 AND jms.Seq = 1 AND a = '1'"));
        Message found = session.createConsumer(own(session), "jms.Pri BETWEEN 7 AND 8").receive(WAIT_MS);
        equal("payload", ((TextMessage) found).getText());
    }

    @Case(Case.PLAIN)
    void folder_that_is_not_sound_is_not_seen() throws Exception {
        MQQueue base = open(connect());
        for (String folder : List.of("<usr><a>1</usr>", "<usr><a>1</a>", "usr")) {
            base.put(headed(folder), putting(CMQC.MQPMO_NO_SYNCPOINT));
        }
        base.put(headed("<usr><a>1</a></usr>"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        session = automatic(started());
        MessageConsumer consumer = session.createConsumer(own(session), "a IS NOT NULL");
        equal("1", consumer.receive(WAIT_MS).getStringProperty("a"));
        equal(null, consumer.receiveNoWait());
        equal(3, base.getCurrentDepth());
    }
}
