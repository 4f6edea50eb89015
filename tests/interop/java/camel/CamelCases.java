import com.ibm.mq.MQQueue;
import com.ibm.mq.constants.CMQC;
import jakarta.jms.ConnectionFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.jms.JmsComponent;
import org.apache.camel.impl.DefaultCamelContext;

/** Routes of Apache Camel that begin and end with queues. */
final class CamelCases extends Cases {
    private DefaultCamelContext start(RouteBuilder routes) throws Exception {
        DefaultCamelContext made = keep(new DefaultCamelContext());
        ConnectionFactory factory = place.factory();
        made.addComponent("mq", JmsComponent.jmsComponentTransacted(factory));
        made.addComponent("plain", JmsComponent.jmsComponentAutoAcknowledge(factory));
        made.addRoutes(routes);
        made.start();
        return made;
    }

    @Case(Case.ONCE)
    void route_moves_messages_from_queue_to_queue() throws Exception {
        String target = named("LISTEN");
        CountDownLatch all = new CountDownLatch(20);
        List<String> found = new CopyOnWriteArrayList<>();
        DefaultCamelContext context = start(new RouteBuilder() {
            @Override
            public void configure() {
                from("mq:queue:" + queue).to("mq:queue:" + target);
                from("mq:queue:" + target).process(exchange -> {
                    found.add(exchange.getMessage().getBody(String.class));
                    all.countDown();
                });
            }
        });
        ProducerTemplate template = keep(context.createProducerTemplate());
        for (int number = 0; number < 20; number++) {
            template.sendBody("plain:queue:" + queue, "message " + number);
        }
        holds(all.await(30, TimeUnit.SECONDS), "20 messages, not " + found.size());
        equal(20, found.size());
    }

    @Case(Case.ONCE)
    void request_is_answered_through_a_temporary_queue() throws Exception {
        DefaultCamelContext context = start(new RouteBuilder() {
            @Override
            public void configure() {
                from("plain:queue:" + queue).setBody(simple("answer to ${body}"));
            }
        });
        ProducerTemplate template = keep(context.createProducerTemplate());
        for (int number = 0; number < 3; number++) {
            equal("answer to " + number,
                    template.requestBody("plain:queue:" + queue, String.valueOf(number), String.class));
        }
    }

    /** Two applications ask, and look for their answers on one queue by selectors. */
    private void answers_on_a_shared_queue(String replies, String options) throws Exception {
        start(new RouteBuilder() {
            @Override
            public void configure() {
                from("plain:queue:" + queue + "?concurrentConsumers=2").setBody(simple("answer to ${body}"));
            }
        });
        String asked = "plain:queue:" + queue + "?replyTo=" + replies
                + "&replyToType=Shared&receiveTimeout=500&requestTimeout=30000" + options;
        RouteBuilder nothing = new RouteBuilder() {
            @Override
            public void configure() {}
        };
        MQQueue shared = connect().accessQueue(replies, BOTH);
        shared.put(text("for somebody else"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        ProducerTemplate[] asking = {
            keep(start(nothing).createProducerTemplate()), keep(start(nothing).createProducerTemplate())
        };
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int number = 0; number < 10; number++) {
            answers.add(asking[number % 2].asyncRequestBody(asked, String.valueOf(number), String.class));
        }
        for (int number = 0; number < 10; number++) {
            equal("answer to " + number, answers.get(number).get(40, TimeUnit.SECONDS));
        }
        equal(1, shared.getCurrentDepth());
        equal("for somebody else", words(got(shared)));
    }

    @Case(Case.ONCE)
    void requests_are_answered_on_a_shared_queue() throws Exception {
        answers_on_a_shared_queue(named("ANSWERS.A"), "");
    }

    @Case(Case.ONCE)
    void requests_are_answered_on_a_shared_queue_by_message_identifiers() throws Exception {
        answers_on_a_shared_queue(named("ANSWERS.B"), "&useMessageIDAsCorrelationID=true");
    }

    @Case(Case.ONCE)
    void routes_with_selectors_share_a_queue() throws Exception {
        List<String> red = new CopyOnWriteArrayList<>();
        List<String> others = new CopyOnWriteArrayList<>();
        CountDownLatch all = new CountDownLatch(8);
        DefaultCamelContext context = start(new RouteBuilder() {
            @Override
            public void configure() {
                from("mq:queue:" + queue + "?selector=colour='red'").process(exchange -> {
                    red.add(exchange.getMessage().getBody(String.class));
                    all.countDown();
                });
                from("plain:queue:" + queue + "?selector=colour<>'red' AND size>0").process(exchange -> {
                    others.add(exchange.getMessage().getBody(String.class));
                    all.countDown();
                });
            }
        });
        ProducerTemplate template = keep(context.createProducerTemplate());
        for (int number = 0; number < 9; number++) {
            String colour = number % 2 == 0 ? "blue" : "red";
            template.sendBodyAndHeaders("plain:queue:" + queue, String.valueOf(number),
                    Map.of("colour", colour, "size", number));
        }
        holds(all.await(30, TimeUnit.SECONDS), "8 messages, not " + red + " and " + others);
        Collections.sort(red);
        Collections.sort(others);
        equal(List.of("1", "3", "5", "7"), red);
        equal(List.of("2", "4", "6", "8"), others);
        equal("0", words(got(open(connect()), CMQC.MQGMO_NO_PROPERTIES | CMQC.MQGMO_NO_SYNCPOINT)));
    }

    @Case(Case.ONCE)
    void route_that_fails_backs_out_until_the_backout_queue_has_it() throws Exception {
        String target = named("POISON.A");
        CountDownLatch tried = new CountDownLatch(3);
        DefaultCamelContext context = start(new RouteBuilder() {
            @Override
            public void configure() {
                from("mq:queue:" + target).process(exchange -> {
                    tried.countDown();
                    throw new IllegalStateException("poison");
                });
            }
        });
        int before = depth("BACKED.OUT.A");
        ProducerTemplate template = keep(context.createProducerTemplate());
        template.sendBody("plain:queue:" + target, "poison");
        holds(tried.await(20, TimeUnit.SECONDS), "three deliveries");
        for (int round = 0; round < 100 && depth("BACKED.OUT.A") == before; round++) {
            Thread.sleep(100);
        }
        equal(before + 1, depth("BACKED.OUT.A"));
    }

    private int depth(String purpose) throws Exception {
        int options = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_INQUIRE;
        com.ibm.mq.MQQueueManager connection = place.connect();
        try {
            return connection.accessQueue(named(purpose), options).getCurrentDepth();
        } finally {
            connection.disconnect();
        }
    }
}
