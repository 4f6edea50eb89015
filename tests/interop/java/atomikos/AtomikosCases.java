import com.atomikos.icatch.jta.UserTransactionManager;
import com.atomikos.jms.AtomikosConnectionFactoryBean;
import jakarta.jms.Connection;
import jakarta.jms.Message;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

/** A pool of XA connections under Atomikos. */
final class AtomikosCases extends Cases {
    private static UserTransactionManager manager;

    private static synchronized UserTransactionManager manager() throws Exception {
        if (manager == null) {
            System.setProperty("com.atomikos.icatch.log_base_dir", ".");
            System.setProperty("com.atomikos.icatch.registered", "true");
            UserTransactionManager made = new UserTransactionManager();
            made.init();
            manager = made;
        }
        return manager;
    }

    private AtomikosConnectionFactoryBean pool(String name) throws Exception {
        AtomikosConnectionFactoryBean made = new AtomikosConnectionFactoryBean();
        made.setUniqueResourceName(name + queue);
        made.setXaConnectionFactory(place.xaFactory());
        made.setPoolSize(2);
        keep(made::close);
        return made;
    }

    private static void send(AtomikosConnectionFactoryBean pool, String target, String words) throws Exception {
        try (Connection connection = pool.createConnection()) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            session.createProducer(session.createQueue("queue:///" + target))
                    .send(session.createTextMessage(words));
            session.close();
        }
    }

    private static String receive(AtomikosConnectionFactoryBean pool, String from) throws Exception {
        try (Connection connection = pool.createConnection()) {
            connection.start();
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            Message found = session.createConsumer(session.createQueue("queue:///" + from)).receive(5_000);
            session.close();
            return found == null ? null : ((TextMessage) found).getText();
        }
    }

    @Case(Case.ONCE)
    void two_pools_commit_and_roll_back_together() throws Exception {
        UserTransactionManager transactions = manager();
        AtomikosConnectionFactoryBean one = pool("one");
        AtomikosConnectionFactoryBean two = pool("two");
        transactions.begin();
        send(one, queue, "never");
        send(two, named("REPLIES"), "never");
        transactions.rollback();
        equal(0, open(connect()).getCurrentDepth());
        transactions.begin();
        send(one, queue, "both");
        send(two, named("REPLIES"), "both");
        transactions.commit();
        equal(1, open(connect()).getCurrentDepth());
        transactions.begin();
        equal("both", receive(one, queue));
        equal("both", receive(two, named("REPLIES")));
        transactions.rollback();
        transactions.begin();
        equal("both", receive(one, queue));
        equal("both", receive(two, named("REPLIES")));
        transactions.commit();
        equal(0, open(connect()).getCurrentDepth());
    }
}
