// Gets with a selector from ActiveMQ Artemis: a broker in this process, its JMS client over vm://,
// one queue whose last message alone matches. benchmarks/rival_artemis.py compiles and runs it.
//
//     java ArtemisSelect MODE FOLDER MESSAGES SELECTOR WAIT_MS
//
// MODE: memory; paged, with the usual limits on what it reads from pages; paged-unlimited, without.
// MESSAGES is a file: a line for each message, CorrelId and five properties between tabs.
// It fills the queue, gets until it is warm, says "ready", then answers each line with a JSON object:
//
//     first    a new consumer gets the match               {"ms": 1.0}
//     second   a match is put, the same consumer gets it   {"get_ms": 0.1, "pair_ms": 0.2}
//     correl   a new consumer gets a message by JMSCorrelationID
//     status   of the queue; heap is what lives in bytes   {"depth": 1, "pages": 0, "heap": 1}
//
// A time is null if nothing came within WAIT_MS. It ends when its input ends.

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.paging.PagingStore;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.ActiveMQServers;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

public final class ArtemisSelect {
    private static final String NAME = "SELECT";
    private static final int BODY_BYTES = 200;
    private static final int WARM_GETS = 20; // the compiler of the JVM has finished by then
    private static final long MEMORY_BYTES = 1 << 20; // of the paged address
    private static final int PAGE_BYTES = 1 << 20;
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private final List<String> lines;
    private final String selector;
    private final long waitMs;
    private final ActiveMQServer server;
    private final Session session;
    private final Queue queue;
    private final MessageProducer producer;
    private final Random random = new Random(1);
    private final byte[] body = new byte[BODY_BYTES];
    private MessageConsumer consumer;

    private ArtemisSelect(String mode, Path folder, Path file, String selector, long waitMs)
            throws Exception {
        this.lines = Files.readAllLines(file);
        this.selector = selector;
        this.waitMs = waitMs;
        server = ActiveMQServers.newActiveMQServer(configuration(mode, folder));
        server.start();
        Connection connection = new ActiveMQConnectionFactory("vm://0").createConnection();
        connection.start();
        session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        queue = session.createQueue(NAME);
        producer = session.createProducer(queue);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
    }

    private static Configuration configuration(String mode, Path folder) throws Exception {
        AddressSettings settings = new AddressSettings();
        settings.setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE);
        switch (mode) {
            case "memory" -> settings.setMaxSizeBytes(-1);
            case "paged" -> settings.setMaxSizeBytes(MEMORY_BYTES).setPageSizeBytes(PAGE_BYTES);
            case "paged-unlimited" -> { // it then reads all pages at once, and keeps what they hold
                settings.setMaxSizeBytes(MEMORY_BYTES).setPageSizeBytes(PAGE_BYTES);
                // With -1 for all of them it stops at the address's maximum size again.
                settings.setMaxReadPageBytes(NO_LIMIT).setMaxReadPageMessages(NO_LIMIT);
                settings.setPrefetchPageBytes(NO_LIMIT).setPrefetchPageMessages(NO_LIMIT);
            }
            default -> throw new IllegalArgumentException("no mode " + mode);
        }
        ConfigurationImpl config = new ConfigurationImpl();
        config.setBrokerInstance(new File(folder.toString()));
        config.setSecurityEnabled(false).setJMXManagementEnabled(false);
        config.setJournalType(JournalType.NIO).setMaxDiskUsage(-1).setGlobalMaxSize(-1);
        config.addAcceptorConfiguration(
                new TransportConfiguration(InVMAcceptorFactory.class.getName()));
        config.addAddressSetting("#", settings);
        config.addQueueConfiguration(
                QueueConfiguration.of(NAME).setRoutingType(RoutingType.ANYCAST));
        return config;
    }

    private void put(String line) throws JMSException {
        String[] cells = line.split("\t");
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(body);
        message.setJMSCorrelationID(cells[0]);
        message.setStringProperty("colour", cells[1]);
        message.setIntProperty("size", Integer.parseInt(cells[2]));
        message.setDoubleProperty("weight", Double.parseDouble(cells[3]));
        message.setBooleanProperty("fragile", Boolean.parseBoolean(cells[4]));
        message.setStringProperty("customer", cells[5]);
        producer.send(message);
    }

    private void putMatch() throws Exception {
        put(lines.get(lines.size() - 1));
        awaitDepth(lines.size());
    }

    // Sends are not answered; this returns when the broker has them all.
    private void awaitDepth(long depth) throws Exception {
        while (server.locateQueue(NAME).getMessageCount() != depth) {
            Thread.sleep(1);
        }
    }

    private void fill() throws Exception {
        for (String line : lines) {
            put(line);
        }
        awaitDepth(lines.size());
    }

    private static String millis(long start, long end, Message found) {
        return found == null ? "null" : String.format(Locale.ROOT, "%.6f", (end - start) / 1e6);
    }

    // Before it, and after it if nothing is found, one message matches; otherwise none.
    private String first() throws Exception {
        if (consumer != null) {
            consumer.close();
        }
        if (server.locateQueue(NAME).getMessageCount() < lines.size()) {
            putMatch();
        }
        long start = System.nanoTime();
        consumer = session.createConsumer(queue, selector);
        Message found = consumer.receive(waitMs);
        String took = millis(start, System.nanoTime(), found);
        settle(found);
        return "{\"ms\": " + took + "}";
    }

    private String second() throws Exception {
        long start = System.nanoTime();
        put(lines.get(lines.size() - 1));
        long middle = System.nanoTime();
        Message found = consumer.receive(waitMs);
        long end = System.nanoTime();
        settle(found);
        return "{\"get_ms\": " + millis(middle, end, found)
                + ", \"pair_ms\": " + millis(start, end, found) + "}";
    }

    // Acknowledgements are not answered either.
    private void settle(Message found) throws Exception {
        if (found != null) {
            awaitDepth(lines.size() - 1);
        }
    }

    private String correl() throws Exception {
        String line = lines.get(random.nextInt(lines.size() - 1));
        String wanted = "JMSCorrelationID = '" + line.split("\t")[0] + "'";
        long depth = server.locateQueue(NAME).getMessageCount();
        long start = System.nanoTime();
        MessageConsumer own = session.createConsumer(queue, wanted);
        Message found = own.receive(waitMs);
        long end = System.nanoTime();
        own.close();
        if (found != null) {
            put(line);
            awaitDepth(depth);
        }
        return "{\"ms\": " + millis(start, end, found) + "}";
    }

    private PagingStore store() throws Exception {
        return server.getPagingManager().getPageStore(SimpleString.of(NAME));
    }

    private String status() throws Exception {
        System.gc();
        Runtime jvm = Runtime.getRuntime();
        return "{\"depth\": " + server.locateQueue(NAME).getMessageCount()
                + ", \"pages\": " + (store().isPaging() ? store().getNumberOfPages() : 0)
                + ", \"heap\": " + (jvm.totalMemory() - jvm.freeMemory()) + "}";
    }

    private void warm() throws Exception {
        for (int round = 0; round < WARM_GETS; round++) {
            if (first().contains("null")) {
                return; // it would not get better
            }
            second();
            correl();
        }
    }

    private String answer(String order) throws Exception {
        return switch (order) {
            case "first" -> first();
            case "second" -> second();
            case "correl" -> correl();
            case "status" -> status();
            default -> throw new IllegalArgumentException("no order " + order);
        };
    }

    public static void main(String[] words) throws Exception {
        ArtemisSelect rival = new ArtemisSelect(
                words[0], Path.of(words[1]), Path.of(words[2]), words[3], Long.parseLong(words[4]));
        rival.fill();
        rival.warm();
        System.out.println("ready");
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            System.out.println(rival.answer(line));
        }
        System.exit(0); // its folder is removed; nothing has to be kept
    }
}
