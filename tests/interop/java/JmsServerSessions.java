import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.ConnectionConsumer;
import javax.jms.JMSException;
import javax.jms.ServerSession;
import javax.jms.ServerSessionPool;
import javax.jms.Session;
import javax.jms.TextMessage;

/** Connection consumers, with which application servers feed their sessions. */
final class JmsServerSessions extends JmsCases {
    private final List<String> found = new ArrayList<>();
    private CountDownLatch all;

    private final class Pool implements ServerSessionPool {
        private final Session session;

        Pool(Session session) throws JMSException {
            this.session = session;
            session.setMessageListener(message -> {
                try {
                    synchronized (found) {
                        found.add(((TextMessage) message).getText());
                    }
                    if (session.getTransacted()) {
                        session.commit();
                    }
                } catch (JMSException error) {
                    throw new IllegalStateException(error);
                }
                all.countDown();
            });
        }

        @Override
        public ServerSession getServerSession() {
            return new ServerSession() {
                @Override
                public Session getSession() {
                    return session;
                }

                @Override
                public void start() {
                    session.run();
                }
            };
        }
    }

    private void feeds(boolean transacted) throws Exception {
        all = new CountDownLatch(4);
        Connection connection = started();
        Session other = automatic(connection);
        send(other, own(other), "before 1");
        send(other, own(other), "before 2");
        Session fed = transacted ? transacted(connection) : automatic(connection);
        ConnectionConsumer consumer =
                connection.createConnectionConsumer(own(other), null, new Pool(fed), 1);
        while (all.getCount() > 2) {
            Thread.sleep(20);
        }
        send(other, own(other), "after 1");
        send(other, own(other), "after 2");
        holds(all.await(20, TimeUnit.SECONDS), "four messages, not " + found);
        consumer.close();
        equal(List.of("before 1", "before 2", "after 1", "after 2"), found);
        equal(0, open(connect()).getCurrentDepth());
    }

    @Case(Case.SHARES)
    void connection_consumer_is_given_what_is_there_and_what_comes() throws Exception {
        feeds(false);
    }

    @Case(Case.SHARES)
    void connection_consumer_of_a_transacted_session() throws Exception {
        feeds(true);
    }
}
