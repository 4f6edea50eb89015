import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;

/** Browsing: cursors, locks, getting what is under the cursor. */
final class BaseBrowse extends Cases {
    private static final int BROWSE = BOTH | CMQC.MQOO_BROWSE;

    private MQQueue filled(MQQueueManager connection, int count) throws Exception {
        MQQueue own = open(connection, BROWSE);
        for (int at = 0; at < count; at++) {
            own.put(text("number " + at), putting(CMQC.MQPMO_NO_SYNCPOINT));
        }
        return own;
    }

    @Case
    void first_and_next_walk_the_queue() throws Exception {
        MQQueue own = filled(connect(), 3);
        equal("number 0", words(got(own, CMQC.MQGMO_BROWSE_FIRST)));
        equal("number 1", words(got(own, CMQC.MQGMO_BROWSE_NEXT)));
        equal("number 2", words(got(own, CMQC.MQGMO_BROWSE_NEXT)));
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(own, CMQC.MQGMO_BROWSE_NEXT));
        equal("number 0", words(got(own, CMQC.MQGMO_BROWSE_FIRST)));
        equal(3, own.getCurrentDepth());
    }

    @Case
    void message_under_cursor_can_be_browsed_again_and_got() throws Exception {
        MQQueue own = filled(connect(), 3);
        got(own, CMQC.MQGMO_BROWSE_FIRST);
        equal("number 1", words(got(own, CMQC.MQGMO_BROWSE_NEXT)));
        equal("number 1", words(got(own, CMQC.MQGMO_BROWSE_MSG_UNDER_CURSOR)));
        equal("number 1",
                words(got(own, CMQC.MQGMO_MSG_UNDER_CURSOR | CMQC.MQGMO_NO_SYNCPOINT)));
        equal("number 0", words(got(own)));
        equal("number 2", words(got(own)));
    }

    @Case
    void nothing_under_the_cursor_is_2034() throws Exception {
        MQQueue own = filled(connect(), 1);
        reason(CMQC.MQRC_NO_MSG_UNDER_CURSOR,
                () -> got(own, CMQC.MQGMO_MSG_UNDER_CURSOR | CMQC.MQGMO_NO_SYNCPOINT));
        equal("number 0", words(got(own, CMQC.MQGMO_BROWSE_NEXT)));
        equal("number 0", words(got(own)));
    }

    @Case
    void locked_message_is_not_for_others() throws Exception {
        MQQueue mine = filled(connect(), 2);
        equal("number 0", words(got(mine, CMQC.MQGMO_BROWSE_FIRST | CMQC.MQGMO_LOCK)));
        MQQueue theirs = open(connect(), BROWSE);
        equal("number 1", words(got(theirs, CMQC.MQGMO_NO_SYNCPOINT)));
        empty(theirs);
        MQGetMessageOptions unlock = new MQGetMessageOptions();
        unlock.options = CMQC.MQGMO_UNLOCK;
        mine.get(new MQMessage(), unlock);
        equal("number 0", words(got(theirs, CMQC.MQGMO_NO_SYNCPOINT)));
    }

    @Case
    void browse_waits_for_a_message() throws Exception {
        MQQueue own = open(connect(), BROWSE);
        MQGetMessageOptions options = getting(CMQC.MQGMO_BROWSE_NEXT | CMQC.MQGMO_WAIT);
        options.waitInterval = 100;
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> own.get(new MQMessage(), options));
        own.put(text("there"), putting(CMQC.MQPMO_NO_SYNCPOINT));
        MQMessage seen = new MQMessage();
        own.get(seen, options);
        equal("there", words(seen));
    }

    @Case
    void browse_of_a_long_message_is_whole() throws Exception {
        MQQueue own = open(connect(), BROWSE);
        byte[] data = pattern(150_000);
        own.put(bytes(data), putting(CMQC.MQPMO_NO_SYNCPOINT));
        same(data, data(got(own, CMQC.MQGMO_BROWSE_FIRST)));
        same(data, data(got(own)));
    }

    @Case
    void browse_by_correlation_skips_others() throws Exception {
        MQQueue own = filled(connect(), 3);
        MQMessage special = text("special");
        special.correlationId = new byte[24];
        special.correlationId[0] = 7;
        own.put(special, putting(CMQC.MQPMO_NO_SYNCPOINT));
        MQMessage seen = new MQMessage();
        seen.correlationId = special.correlationId;
        MQGetMessageOptions options = getting(CMQC.MQGMO_BROWSE_FIRST);
        options.matchOptions = CMQC.MQMO_MATCH_CORREL_ID;
        own.get(seen, options);
        equal("special", words(seen));
    }

    @Case(Case.SHARES)
    void browse_truncated_shows_the_length() throws Exception {
        MQQueue own = filled(connect(), 1);
        MQMessage cut = new MQMessage();
        reason(CMQC.MQRC_TRUNCATED_MSG_ACCEPTED, () -> own.get(
                cut, getting(CMQC.MQGMO_BROWSE_FIRST | CMQC.MQGMO_ACCEPT_TRUNCATED_MSG), 3));
        equal("num", words(cut));
        equal(8, cut.getTotalMessageLength());
        equal(1, own.getCurrentDepth());
    }

    @Case(Case.SHARES)
    void cooperating_browsers_see_each_message_once() throws Exception {
        int options = BROWSE | CMQC.MQOO_CO_OP;
        MQQueue filling = filled(connect(), 4);
        MQQueue one = open(connect(), options);
        MQQueue two = open(connect(), options);
        int mark = CMQC.MQGMO_BROWSE_FIRST | CMQC.MQGMO_UNMARKED_BROWSE_MSG
                | CMQC.MQGMO_MARK_BROWSE_CO_OP;
        equal("number 0", words(got(one, mark)));
        equal("number 1", words(got(two, mark)));
        equal("number 2", words(got(one, mark)));
        equal("number 3", words(got(two, mark)));
        reason(CMQC.MQRC_NO_MSG_AVAILABLE, () -> got(one, mark));
        equal(4, filling.getCurrentDepth());
    }

    @Case(Case.SHARES)
    void message_token_finds_its_message() throws Exception {
        MQQueue own = filled(connect(), 3);
        MQGetMessageOptions browsing = getting(CMQC.MQGMO_BROWSE_FIRST);
        MQMessage seen = new MQMessage();
        own.get(seen, browsing);
        browsing.options = CMQC.MQGMO_BROWSE_NEXT;
        own.get(new MQMessage(), browsing);
        MQGetMessageOptions byToken = getting(CMQC.MQGMO_NO_SYNCPOINT);
        byToken.matchOptions = CMQC.MQMO_MATCH_MSG_TOKEN;
        byToken.msgToken = browsing.msgToken;
        MQMessage found = new MQMessage();
        own.get(found, byToken);
        equal("number 1", words(found));
    }
}
