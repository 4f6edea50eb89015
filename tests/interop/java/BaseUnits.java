import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;

/** Units of work. */
final class BaseUnits extends Cases {
    private static final int SYNC = CMQC.MQPMO_SYNCPOINT;

    @Case
    void uncommitted_put_is_seen_after_commit() throws Exception {
        MQQueueManager mine = connect();
        MQQueue own = open(mine);
        MQQueue theirs = open(connect());
        own.put(text("in a unit"), putting(SYNC));
        empty(theirs);
        mine.commit();
        equal("in a unit", words(got(theirs)));
    }

    @Case
    void uncommitted_put_is_got_and_browsed_by_its_own_unit() throws Exception {
        MQQueueManager mine = connect();
        MQQueue own = open(mine);
        MQQueue looks = mine.accessQueue(queue, CMQC.MQOO_BROWSE);
        MQQueue theirs = open(connect());
        own.put(text("first"), putting(SYNC));
        own.put(text("second"), putting(SYNC));
        equal("first", words(got(looks, CMQC.MQGMO_BROWSE_FIRST)));
        equal("first", words(got(own, CMQC.MQGMO_SYNCPOINT | CMQC.MQGMO_WAIT)));
        empty(theirs);
        equal(1, theirs.getCurrentDepth());
        mine.commit();
        equal("second", words(got(theirs)));
        empty(theirs);
        own.put(text("third"), putting(SYNC));
        equal("third", words(got(own, CMQC.MQGMO_SYNCPOINT)));
        mine.backout();
        empty(own);
        equal(0, own.getCurrentDepth());
    }

    @Case
    void backed_out_put_never_was() throws Exception {
        MQQueueManager mine = connect();
        MQQueue own = open(mine);
        own.put(text("never"), putting(SYNC));
        mine.backout();
        empty(own);
        equal(0, own.getCurrentDepth());
    }

    @Case
    void backed_out_get_comes_again_and_is_counted() throws Exception {
        MQQueueManager mine = connect();
        MQQueue own = open(mine);
        own.put(text("again"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        for (int turn = 0; turn < 3; turn++) {
            MQMessage found = got(own, CMQC.MQGMO_SYNCPOINT | CMQC.MQGMO_WAIT);
            equal("again", words(found));
            equal(turn, found.backoutCount);
            mine.backout();
        }
        equal(3, got(own, CMQC.MQGMO_SYNCPOINT).backoutCount);
        mine.commit();
        empty(own);
    }

    @Case
    void several_queues_in_one_unit() throws Exception {
        MQQueueManager mine = connect();
        MQQueue own = open(mine);
        MQQueue target = mine.accessQueue(named("UNITS"), BOTH);
        own.put(text("moved"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        MQMessage taken = got(own, CMQC.MQGMO_SYNCPOINT);
        target.put(taken, putting(SYNC));
        mine.backout();
        equal(1, own.getCurrentDepth());
        equal(0, target.getCurrentDepth());
        target.put(got(own, CMQC.MQGMO_SYNCPOINT), putting(SYNC));
        mine.commit();
        equal(0, own.getCurrentDepth());
        equal("moved", words(got(target)));
    }

    @Case
    void disconnect_commits() throws Exception {
        MQQueueManager mine = connect();
        open(mine).put(text("committed by the end"), putting(SYNC));
        mine.disconnect();
        equal("committed by the end", words(got(open(connect()))));
    }

    @Case
    void persistent_messages_of_a_unit_keep_their_order() throws Exception {
        MQQueueManager mine = connect();
        MQQueue own = open(mine);
        for (int at = 0; at < 20; at++) {
            MQMessage one = text("number " + at);
            one.persistence = CMQC.MQPER_PERSISTENT;
            own.put(one, putting(SYNC));
        }
        mine.commit();
        for (int at = 0; at < 20; at++) {
            equal("number " + at, words(got(own, CMQC.MQGMO_SYNCPOINT)));
        }
        mine.commit();
        equal(0, own.getCurrentDepth());
    }

    @Case
    void syncpoint_if_persistent_follows_the_message() throws Exception {
        MQQueueManager mine = connect();
        MQQueue own = open(mine);
        for (int kind : new int[] {CMQC.MQPER_PERSISTENT, CMQC.MQPER_NOT_PERSISTENT}) {
            MQMessage one = text("kind " + kind);
            one.persistence = kind;
            own.put(one, putting(CMQC.MQPMO_NO_SYNCPOINT));
        }
        got(own, CMQC.MQGMO_SYNCPOINT_IF_PERSISTENT);
        got(own, CMQC.MQGMO_SYNCPOINT_IF_PERSISTENT);
        mine.backout();
        equal("kind " + CMQC.MQPER_PERSISTENT, words(got(own)));
        empty(own);
    }

    @Case(Case.SHARES)
    void two_conversations_have_two_units() throws Exception {
        MQQueueManager one = connect();
        MQQueueManager two = connect();
        MQQueue first = open(one);
        MQQueue second = open(two);
        first.put(text("one"), putting(SYNC));
        second.put(text("two"), putting(SYNC));
        one.backout();
        two.commit();
        equal("two", words(got(first)));
        empty(first);
    }

    @Case(Case.SHARES)
    void commit_without_a_unit_is_nothing() throws Exception {
        MQQueueManager mine = connect();
        mine.commit();
        mine.backout();
        mine.commit();
    }

    @Case(Case.SHARES)
    void mark_skip_backout_is_for_another_platform_and_2046() throws Exception {
        MQQueueManager mine = connect();
        MQQueue own = open(mine);
        own.put(text("stays"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        reason(CMQC.MQRC_OPTIONS_ERROR,
                () -> got(own, CMQC.MQGMO_SYNCPOINT | CMQC.MQGMO_MARK_SKIP_BACKOUT));
        equal("stays", words(got(own)));
    }
}
