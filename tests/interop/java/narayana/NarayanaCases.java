import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.TextMessage;
import jakarta.jms.XAConnection;
import jakarta.jms.XASession;
import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionManager;

/** Two sessions in one transaction that Narayana coordinates. */
final class NarayanaCases extends Cases {
    private static TransactionManager manager;

    private XASession one;
    private XASession two;

    private static synchronized TransactionManager manager() throws CoreEnvironmentBeanException {
        if (manager == null) {
            arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier("judge");
            for (String store : new String[] {null, "communicationStore", "stateStore"}) {
                BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
                        .setObjectStoreDir("narayana");
            }
            manager = com.arjuna.ats.jta.TransactionManager.transactionManager();
        }
        return manager;
    }

    private void begin() throws Exception {
        if (one == null) {
            one = session();
            two = session();
        }
        manager().begin();
        manager().getTransaction().enlistResource(one.getXAResource());
        manager().getTransaction().enlistResource(two.getXAResource());
    }

    private XASession session() throws Exception {
        XAConnection connection = keep(place.xaFactory().createXAConnection());
        connection.start();
        return connection.createXASession();
    }

    private Queue other(XASession session) throws Exception {
        return session.createQueue("queue:///" + named("UNITS"));
    }

    private void send_to_both(String words) throws Exception {
        one.createProducer(one.createQueue("queue:///" + queue)).send(one.createTextMessage(words));
        two.createProducer(other(two)).send(two.createTextMessage(words));
    }

    private String received() throws Exception {
        MessageConsumer consumer = one.createConsumer(one.createQueue("queue:///" + queue));
        TextMessage found = (TextMessage) consumer.receive(5_000);
        consumer.close();
        return found == null ? null : found.getText();
    }

    @Case(Case.ONCE)
    void two_phases_commit_and_roll_back() throws Exception {
        begin();
        send_to_both("never");
        manager().rollback();
        equal(0, open(connect()).getCurrentDepth());
        begin();
        send_to_both("both");
        manager().commit();
        equal(1, open(connect()).getCurrentDepth());
        begin();
        equal("both", received());
        manager().rollback();
        equal(1, open(connect()).getCurrentDepth());
        begin();
        equal("both", received());
        manager().commit();
        equal(0, open(connect()).getCurrentDepth());
    }

    @Case(Case.ONCE)
    void transaction_whose_send_failed_is_rolled_back() throws Exception {
        begin();
        send_to_both("never");
        one.createProducer(null).send(
                one.createQueue("queue:///J.NOT.THERE"), one.createTextMessage("lost"));
        try {
            manager().commit();
            throw new AssertionError("it was committed");
        } catch (RollbackException rolledBack) {
            equal(0, open(connect()).getCurrentDepth());
        }
        begin();
        send_to_both("next");
        manager().commit();
        equal(1, open(connect()).getCurrentDepth());
    }
}
