import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.constants.CMQC;

/** The longest message. */
final class BaseLarge extends Cases {
    @Case(Case.LARGE)
    void of_100_megabytes() throws Exception {
        MQQueue own = connect().accessQueue("J.LARGE", BOTH);
        byte[] data = pattern(100 << 20);
        own.put(bytes(data), putting(CMQC.MQPMO_NO_SYNCPOINT));
        MQMessage found = got(own);
        equal(100 << 20, found.getMessageLength());
        same(data, data(found));
    }
}
