import com.ibm.mq.constants.CMQC;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import javax.jms.MessageConsumer;
import javax.jms.Session;
import javax.jms.XAConnection;
import javax.jms.XASession;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** Units of work that a transaction manager coordinates (XA). */
final class JmsDistributed extends JmsCases {
    private static final AtomicLong NUMBER = new AtomicLong(System.nanoTime());

    private static final class Branch implements Xid {
        private final byte[] global;
        private final byte[] qualifier;

        Branch() {
            global = ByteBuffer.allocate(16)
                    .putLong(0x4A55444745L).putLong(NUMBER.incrementAndGet()).array();
            qualifier = new byte[] {1, 2, 3};
        }

        Branch(Branch same) {
            global = same.global;
            qualifier = new byte[] {4};
        }

        @Override
        public int getFormatId() {
            return 4711;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return global;
        }

        @Override
        public byte[] getBranchQualifier() {
            return qualifier;
        }
    }

    private XASession session;
    private XAResource resource;
    private Session inner;

    private void begin() throws Exception {
        XAConnection connection = keep(place.xaFactory().createXAConnection());
        connection.start();
        session = connection.createXASession();
        resource = session.getXAResource();
        inner = session.getSession();
    }

    private void send_in(Xid xid, String words) throws Exception {
        resource.start(xid, XAResource.TMNOFLAGS);
        send(inner, own(inner), words);
        resource.end(xid, XAResource.TMSUCCESS);
    }

    private int depth() throws Exception {
        return open(connect()).getCurrentDepth();
    }

    private String only() throws Exception {
        return received(automatic(started()).createConsumer(own(inner)));
    }

    @Case
    void one_phase_commit() throws Exception {
        begin();
        Xid xid = new Branch();
        send_in(xid, "one phase");
        resource.commit(xid, true);
        equal("one phase", only());
    }

    @Case
    void two_phases_commit() throws Exception {
        begin();
        Xid xid = new Branch();
        send_in(xid, "two phases");
        equal(XAResource.XA_OK, resource.prepare(xid));
        empty(open(connect()));
        resource.commit(xid, false);
        equal("two phases", only());
    }

    @Case
    void rollback_before_and_after_prepare() throws Exception {
        begin();
        Xid first = new Branch();
        send_in(first, "never");
        resource.rollback(first);
        Xid second = new Branch();
        send_in(second, "never");
        equal(XAResource.XA_OK, resource.prepare(second));
        resource.rollback(second);
        equal(0, depth());
    }

    @Case
    void unit_without_work_is_read_only() throws Exception {
        begin();
        Xid xid = new Branch();
        resource.start(xid, XAResource.TMNOFLAGS);
        resource.end(xid, XAResource.TMSUCCESS);
        int vote = resource.prepare(xid);
        holds(vote == XAResource.XA_RDONLY || vote == XAResource.XA_OK, "vote " + vote);
        if (vote == XAResource.XA_OK) {
            resource.rollback(xid);
        }
    }

    @Case
    void receive_in_a_unit_comes_back_by_rollback() throws Exception {
        begin();
        Session plain = automatic(started());
        send(plain, own(plain), "twice");
        Xid xid = new Branch();
        resource.start(xid, XAResource.TMNOFLAGS);
        MessageConsumer consumer = inner.createConsumer(own(inner));
        equal("twice", received(consumer));
        resource.end(xid, XAResource.TMSUCCESS);
        equal(XAResource.XA_OK, resource.prepare(xid));
        resource.rollback(xid);
        Xid again = new Branch();
        resource.start(again, XAResource.TMNOFLAGS);
        equal("twice", received(consumer));
        resource.end(again, XAResource.TMSUCCESS);
        resource.commit(again, true);
        consumer.close();
        equal(0, depth());
    }

    @Case
    void recover_lists_what_is_in_doubt() throws Exception {
        begin();
        Xid xid = new Branch();
        send_in(xid, "in doubt");
        resource.prepare(xid);
        XAResource first = resource;
        begin();
        Xid[] found = resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN);
        long mine = Arrays.stream(found).filter(one -> Arrays.equals(
                one.getGlobalTransactionId(), xid.getGlobalTransactionId())).count();
        equal(1L, mine);
        resource.commit(xid, false);
        equal("in doubt", only());
        holds(first != resource, "another connection decided");
    }

    @Case
    void unknown_branch_is_xaer_nota() throws Exception {
        begin();
        try {
            resource.commit(new Branch(), false);
        } catch (XAException refused) {
            equal(XAException.XAER_NOTA, refused.errorCode);
            return;
        }
        throw new AssertionError("a branch that nobody knows was committed");
    }

    @Case
    void branch_that_is_begun_twice_is_xaer_dupid() throws Exception {
        begin();
        Xid xid = new Branch();
        send_in(xid, "once");
        try {
            resource.start(xid, XAResource.TMNOFLAGS);
        } catch (XAException refused) {
            equal(XAException.XAER_DUPID, refused.errorCode);
            resource.rollback(xid);
            return;
        }
        throw new AssertionError("a branch was begun twice");
    }

    @Case
    void many_units_one_after_another() throws Exception {
        begin();
        for (int turn = 0; turn < 10; turn++) {
            Xid xid = new Branch();
            send_in(xid, "turn " + turn);
            resource.prepare(xid);
            resource.commit(xid, false);
        }
        equal(10, depth());
        Session plain = automatic(started());
        MessageConsumer consumer = plain.createConsumer(own(plain));
        for (int turn = 0; turn < 10; turn++) {
            equal("turn " + turn, received(consumer));
        }
    }

    @Case(Case.SHARES)
    void two_sessions_have_two_branches_of_one_transaction() throws Exception {
        begin();
        XAResource first = resource;
        Session session = inner;
        Branch xid = new Branch();
        Branch other = new Branch(xid);
        send_in(xid, "one branch");
        begin();
        send_in(other, "another");
        equal(XAResource.XA_OK, first.prepare(xid));
        equal(XAResource.XA_OK, resource.prepare(other));
        first.commit(xid, false);
        resource.commit(other, false);
        equal(2, depth());
        holds(session != inner, "two sessions");
        MessageConsumer consumer = automatic(started()).createConsumer(own(inner));
        received(consumer);
        received(consumer);
    }
}
