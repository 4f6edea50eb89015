import jakarta.jms.ConnectionFactory;
import java.util.List;
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
        int options = com.ibm.mq.constants.CMQC.MQOO_INPUT_SHARED | com.ibm.mq.constants.CMQC.MQOO_INQUIRE;
        com.ibm.mq.MQQueueManager connection = place.connect();
        try {
            return connection.accessQueue(named(purpose), options).getCurrentDepth();
        } finally {
            connection.disconnect();
        }
    }
}
