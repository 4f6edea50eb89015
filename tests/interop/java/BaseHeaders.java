import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.headers.MQDLH;
import com.ibm.mq.headers.MQHeaderIterator;
import com.ibm.mq.headers.MQHeaderList;
import com.ibm.mq.headers.MQRFH2;

/** Headers that the classes write and read. */
final class BaseHeaders extends Cases {
    private static final int NO_SYNC = CMQC.MQPMO_NO_SYNCPOINT;

    @Case(Case.SHARES)
    void mqrfh2_that_the_application_wrote_comes_back() throws Exception {
        MQQueue own = open(connect());
        MQRFH2 header = new MQRFH2();
        header.setFieldValue("mine", "colour", "red");
        header.setFormat(CMQC.MQFMT_STRING);
        header.setCodedCharSetId(1208);
        header.nextEncoding(273);
        MQMessage sent = new MQMessage();
        sent.format = CMQC.MQFMT_RF_HEADER_2;
        header.write(sent);
        sent.writeString("behind it");
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own, CMQC.MQGMO_PROPERTIES_FORCE_MQRFH2 | CMQC.MQGMO_NO_SYNCPOINT);
        equal(CMQC.MQFMT_RF_HEADER_2, found.format);
        found.seek(0);
        MQRFH2 back = new MQRFH2(found);
        equal("red", back.getStringFieldValue("mine", "colour"));
        equal("behind it", found.readStringOfByteLength(found.getDataLength()));
    }

    @Case(Case.SHARES)
    void dead_letter_header_comes_back() throws Exception {
        MQQueue own = open(connect());
        MQDLH header = new MQDLH();
        header.setReason(CMQC.MQRC_Q_FULL);
        header.setDestQName("WENT.WRONG");
        header.setFormat(CMQC.MQFMT_STRING);
        MQMessage sent = new MQMessage();
        sent.format = CMQC.MQFMT_DEAD_LETTER_HEADER;
        header.write(sent);
        sent.writeString("dead");
        own.put(sent, putting(NO_SYNC));
        MQMessage found = got(own);
        found.seek(0);
        MQDLH back = (MQDLH) new MQHeaderList(found).get(0);
        equal(CMQC.MQRC_Q_FULL, back.getReason());
        equal("WENT.WRONG", back.getDestQName().trim());
    }

    @Case(Case.SHARES)
    void header_iterator_finds_them() throws Exception {
        MQQueue own = open(connect());
        own.put(text("no headers"), putting(NO_SYNC));
        MQMessage found = got(own);
        found.seek(0);
        MQHeaderIterator each = new MQHeaderIterator(found);
        equal("no headers", each.getBodyAsText());
    }
}
