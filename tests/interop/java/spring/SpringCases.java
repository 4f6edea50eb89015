import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.Banner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.InvalidSelectorException;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.connection.JmsTransactionManager;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** The Spring Boot starter for IBM MQ: template, listener, transactions. */
final class SpringCases extends Cases {
    @Configuration
    @EnableJms
    @EnableAutoConfiguration
    static class Sending {}

    static class Listener {
        final List<String> found = new CopyOnWriteArrayList<>();
        final List<Integer> deliveries = new CopyOnWriteArrayList<>();
        final CountDownLatch good = new CountDownLatch(3);

        @JmsListener(destination = "${judge.queue}", concurrency = "2")
        public void take(Message message) throws JMSException {
            String words = ((TextMessage) message).getText();
            int delivery = message.getIntProperty("JMSXDeliveryCount");
            if (words.startsWith("bad")) {
                deliveries.add(delivery);
                if (delivery < 3) {
                    throw new IllegalStateException("not yet");
                }
            }
            found.add(words);
            good.countDown();
        }
    }

    @Configuration
    @EnableJms
    @EnableAutoConfiguration
    static class Listening {
        @Bean
        Listener listener() {
            return new Listener();
        }
    }

    static class ChoosyListener {
        final List<String> found = new CopyOnWriteArrayList<>();
        final CountDownLatch all = new CountDownLatch(3);

        @JmsListener(destination = "${judge.queue}", concurrency = "2-2",
                selector = "colour = 'red' AND size BETWEEN 1 AND 5")
        public void take(String words) {
            found.add(words);
            all.countDown();
        }
    }

    @Configuration
    @EnableJms
    @EnableAutoConfiguration
    static class Choosing {
        @Bean
        ChoosyListener listener() {
            return new ChoosyListener();
        }
    }

    private ConfigurableApplicationContext start(Class<?> configuration) {
        Map<String, Object> settings = Map.of(
                "ibm.mq.queueManager", place.queueManager,
                "ibm.mq.channel", place.channel,
                "ibm.mq.connName", place.host + "(" + place.port + ")",
                "ibm.mq.user", place.user,
                "ibm.mq.password", place.password,
                "judge.queue", queue,
                "logging.level.root", "WARN",
                "spring.jmx.enabled", "false");
        return keep(new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.NONE).bannerMode(Banner.Mode.OFF)
                .properties(settings).registerShutdownHook(false).run());
    }

    @Case(Case.ONCE)
    void template_sends_and_receives() throws Exception {
        JmsTemplate template = start(Sending.class).getBean(JmsTemplate.class);
        template.setReceiveTimeout(5_000);
        template.convertAndSend(queue, "hello");
        equal("hello", template.receiveAndConvert(queue));
        template.setReceiveTimeout(JmsTemplate.RECEIVE_TIMEOUT_NO_WAIT);
        equal(null, template.receiveAndConvert(queue));
    }

    @Case(Case.ONCE)
    void listener_gets_what_the_template_sends_and_again_what_it_threw_at() throws Exception {
        ConfigurableApplicationContext context = start(Listening.class);
        JmsTemplate template = context.getBean(JmsTemplate.class);
        Listener listener = context.getBean(Listener.class);
        for (String words : List.of("one", "bad", "two")) {
            template.convertAndSend(queue, words);
        }
        holds(listener.good.await(30, TimeUnit.SECONDS), "three messages, not " + listener.found);
        equal(List.of(1, 2, 3), listener.deliveries);
        equal(0, open(connect()).getCurrentDepth());
    }

    @Case(Case.ONCE)
    void transaction_that_is_rolled_back_sends_nothing() throws Exception {
        ConfigurableApplicationContext context = start(Sending.class);
        JmsTemplate template = context.getBean(JmsTemplate.class);
        TransactionTemplate transactions = new TransactionTemplate(
                new JmsTransactionManager(context.getBean(ConnectionFactory.class)));
        transactions.executeWithoutResult(status -> {
            template.convertAndSend(queue, "never");
            status.setRollbackOnly();
        });
        equal(0, open(connect()).getCurrentDepth());
        transactions.executeWithoutResult(status -> template.convertAndSend(queue, "good"));
        equal(1, open(connect()).getCurrentDepth());
    }

    /** Six messages: those with an odd number are red. */
    private void fill(JmsTemplate template) {
        for (int number = 0; number < 6; number++) {
            int size = number;
            template.convertAndSend(queue, String.valueOf(number), message -> {
                message.setStringProperty("colour", size % 2 == 0 ? "blue" : "red");
                message.setIntProperty("size", size);
                message.setJMSCorrelationID("number " + size);
                return message;
            });
        }
    }

    @Case(Case.ONCE)
    void template_receives_what_is_selected() throws Exception {
        JmsTemplate template = start(Sending.class).getBean(JmsTemplate.class);
        template.setReceiveTimeout(5_000);
        fill(template);
        Message third = template.receiveSelected(queue, "size > 2 AND colour = 'red'");
        equal("3", ((TextMessage) third).getText());
        equal(3, third.getIntProperty("size"));
        equal("5", template.receiveSelectedAndConvert(queue, "JMSCorrelationID = 'number 5'"));
        equal("1", template.receiveSelectedAndConvert(queue, "colour = 'red'"));
        template.setReceiveTimeout(JmsTemplate.RECEIVE_TIMEOUT_NO_WAIT);
        equal(null, template.receiveSelected(queue, "colour = 'red'"));
        equal(null, template.receiveSelectedAndConvert(queue, "colour = 'red'"));
        equal(3, open(connect()).getCurrentDepth());
        equal("0", template.receiveAndConvert(queue));
    }

    @Case(Case.ONCE)
    void template_browses_what_is_selected() throws Exception {
        JmsTemplate template = start(Sending.class).getBean(JmsTemplate.class);
        fill(template);
        List<String> seen = template.browseSelected(queue, "colour = 'red' OR size = 0", (session, browser) -> {
            List<String> found = new ArrayList<>();
            for (Object one : Collections.list(browser.getEnumeration())) {
                found.add(((TextMessage) one).getText());
            }
            return found;
        });
        equal(List.of("0", "1", "3", "5"), seen);
        equal(6, open(connect()).getCurrentDepth());
    }

    @Case(Case.ONCE)
    void listener_with_a_selector_gets_what_matches() throws Exception {
        ConfigurableApplicationContext context = start(Choosing.class);
        fill(context.getBean(JmsTemplate.class));
        ChoosyListener listener = context.getBean(ChoosyListener.class);
        holds(listener.all.await(30, TimeUnit.SECONDS), "three messages, not " + listener.found);
        equal(3, open(connect()).getCurrentDepth());
        Collections.sort(listener.found);
        equal(List.of("1", "3", "5"), listener.found);
    }

    @Case(Case.ONCE)
    void selector_that_is_wrong_is_refused() throws Exception {
        JmsTemplate template = start(Sending.class).getBean(JmsTemplate.class);
        try {
            template.receiveSelected(queue, "colour = = 'red'");
        } catch (InvalidSelectorException expected) {
            return;
        }
        holds(false, "InvalidSelectorException");
    }
}
