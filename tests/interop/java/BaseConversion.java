import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.CMQCFC;
import com.ibm.mq.headers.MQDLH;
import com.ibm.mq.headers.MQHeaderList;
import com.ibm.mq.headers.MQRFH2;
import com.ibm.mq.headers.MQXQH;
import com.ibm.mq.headers.pcf.PCFMessage;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * MQGMO_CONVERT: text, headers and PCF that Java's own encoders and the classes for headers wrote in
 * one character set and encoding, got in another, and read by the classes.
 */
final class BaseConversion extends Cases {
    private static final int NO_SYNC = CMQC.MQPMO_NO_SYNCPOINT;
    private static final int CONVERT = CMQC.MQGMO_CONVERT | CMQC.MQGMO_NO_SYNCPOINT;
    private static final int FORCED = CONVERT | CMQC.MQGMO_PROPERTIES_FORCE_MQRFH2;
    private static final int REVERSED = 546;
    private static final int NORMAL = 273;
    private static final String WORDS = "Grüße an Ærø";

    private static MQMessage of(String format, int ccsid, int encoding) {
        MQMessage made = new MQMessage();
        made.format = format;
        made.characterSet = ccsid;
        made.encoding = encoding;
        return made;
    }

    private static MQMessage converted(MQQueue own, int ccsid, int encoding, int options) throws Exception {
        MQMessage found = of("", ccsid, encoding);
        own.get(found, getting(options));
        return found;
    }

    private static void is_in(int ccsid, int encoding, MQMessage found) {
        equal(ccsid, found.characterSet);
        equal(encoding, found.encoding);
    }

    private void there(int ccsid, String charset) throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = of(CMQC.MQFMT_STRING, ccsid, NORMAL);
        sent.write(WORDS.getBytes(Charset.forName(charset)));
        own.put(sent, putting(NO_SYNC));
        MQMessage found = converted(own, 1208, REVERSED, CONVERT);
        is_in(1208, REVERSED, found);
        same(WORDS.getBytes(StandardCharsets.UTF_8), data(found));
    }

    private void back(int ccsid, String charset) throws Exception {
        MQQueue own = open(connect());
        own.put(text(WORDS), putting(NO_SYNC));
        MQMessage found = converted(own, ccsid, NORMAL, CONVERT);
        is_in(ccsid, NORMAL, found);
        same(WORDS.getBytes(Charset.forName(charset)), data(found));
    }

    @Case(Case.SHARES)
    void text_of_ebcdic_comes_in_utf8() throws Exception {
        there(37, "IBM037");
        there(273, "IBM273");
        there(277, "IBM277");
        there(278, "IBM278");
        there(285, "IBM285");
        there(297, "IBM297");
        there(500, "IBM500");
        there(1047, "IBM1047");
        there(1141, "IBM01141");
        there(1148, "IBM01148");
    }

    @Case(Case.SHARES)
    void text_of_utf8_comes_in_ebcdic_and_others() throws Exception {
        back(37, "IBM037");
        back(280, "IBM280");
        back(284, "IBM284");
        back(871, "IBM871");
        back(1149, "IBM01149");
        back(819, "ISO-8859-1");
        back(850, "IBM850");
        back(1252, "windows-1252");
        back(1200, "UTF-16BE");
    }

    @Case(Case.SHARES)
    void character_that_the_target_lacks_is_substituted() throws Exception {
        MQQueue own = open(connect());
        own.put(text("5 €"), putting(NO_SYNC));
        same(new byte[] {'5', ' ', 0x1A}, data(converted(own, 819, NORMAL, CONVERT)));
    }

    @Case(Case.SHARES)
    void dead_letter_header_is_read_after_conversion() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = of(CMQC.MQFMT_DEAD_LETTER_HEADER, 500, NORMAL);
        MQDLH header = new MQDLH();
        header.setReason(CMQC.MQRC_Q_FULL);
        header.setDestQName("SOME.QUEUE");
        header.setEncoding(NORMAL);
        header.setCodedCharSetId(500);
        header.setFormat(CMQC.MQFMT_STRING);
        header.write(sent, NORMAL, 500);
        sent.write(WORDS.getBytes(Charset.forName("IBM500")));
        own.put(sent, putting(NO_SYNC));
        MQMessage found = converted(own, 1208, REVERSED, CONVERT);
        is_in(1208, REVERSED, found);
        MQDLH back = new MQDLH(found);
        equal(CMQC.MQRC_Q_FULL, back.getReason());
        equal("SOME.QUEUE", back.getDestQName().trim());
        equal(1208, back.getCodedCharSetId());
        equal(REVERSED, back.getEncoding());
        equal(WORDS, found.readStringOfByteLength(found.getDataLength()));
    }

    @Case(Case.SHARES)
    void chain_of_headers_is_read_after_conversion() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = of(CMQC.MQFMT_DEAD_LETTER_HEADER, 500, NORMAL);
        MQDLH first = new MQDLH();
        first.setFormat(CMQC.MQFMT_RF_HEADER_2);
        first.setEncoding(NORMAL);
        first.setCodedCharSetId(819);
        first.write(sent, NORMAL, 500);
        MQRFH2 second = new MQRFH2();
        second.setFieldValue("own", "key", "value");
        second.setFormat(CMQC.MQFMT_STRING);
        second.setEncoding(NORMAL);
        second.setCodedCharSetId(37);
        second.write(sent, NORMAL, 819);
        sent.write(WORDS.getBytes(Charset.forName("IBM037")));
        own.put(sent, putting(NO_SYNC));
        MQMessage found = converted(own, 1208, REVERSED, FORCED);
        is_in(1208, REVERSED, found);
        MQHeaderList list = new MQHeaderList(found);
        equal(2, list.size());
        MQRFH2 back = (MQRFH2) list.get(1);
        equal("value", back.getStringFieldValue("own", "key"));
        equal(1208, back.getCodedCharSetId());
        equal(WORDS, found.readStringOfByteLength(found.getDataLength()));
    }

    @Case(Case.SHARES)
    void transmission_header_is_read_after_conversion() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = of(CMQC.MQFMT_XMIT_Q_HEADER, 500, NORMAL);
        MQXQH header = new MQXQH();
        header.setRemoteQName("FAR");
        header.setRemoteQMgrName("QM9");
        header.getMsgDesc().setFormat(CMQC.MQFMT_STRING);
        header.getMsgDesc().setEncoding(NORMAL);
        header.getMsgDesc().setCodedCharSetId(500);
        header.write(sent, NORMAL, 500);
        sent.write("text".getBytes(Charset.forName("IBM500")));
        own.put(sent, putting(NO_SYNC));
        MQMessage found = converted(own, 819, REVERSED, CONVERT);
        is_in(819, REVERSED, found);
        MQXQH back = new MQXQH(found);
        equal("FAR", back.getRemoteQName().trim());
        equal(819, back.getMsgDesc().getCodedCharSetId());
        equal("text", found.readStringOfByteLength(found.getDataLength()));
    }

    @Case(Case.SHARES)
    void properties_come_in_a_header_of_the_target() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = text("text");
        sent.setStringProperty("colour", "grün");
        own.put(sent, putting(NO_SYNC));
        MQMessage found = converted(own, 37, NORMAL, FORCED);
        is_in(37, NORMAL, found);
        MQRFH2 back = (MQRFH2) new MQHeaderList(found).get(0);
        equal("grün", back.getStringFieldValue("usr", "colour"));
        equal("text", found.readStringOfByteLength(found.getDataLength()));
    }

    @Case(Case.SHARES)
    void pcf_is_read_after_conversion() throws Exception {
        MQQueue own = open(connect());
        PCFMessage command = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q);
        command.addParameter(CMQC.MQCA_Q_NAME, "ANY.*");
        command.addParameter(CMQC.MQIA_Q_TYPE, CMQC.MQQT_ALL);
        command.addParameter(CMQCFC.MQIACF_Q_ATTRS, new int[] {1, -2, 3});
        command.addParameter(CMQC.MQCA_NAMES, new String[] {"ONE", "TWO"});
        MQMessage sent = of(CMQC.MQFMT_PCF, 500, NORMAL);
        command.write(sent, NORMAL, 500);
        own.put(sent, putting(NO_SYNC));
        MQMessage found = converted(own, 1208, REVERSED, CONVERT);
        is_in(1208, REVERSED, found);
        PCFMessage back = new PCFMessage(found);
        equal(CMQCFC.MQCMD_INQUIRE_Q, back.getCommand());
        equal("ANY.*", back.getStringParameterValue(CMQC.MQCA_Q_NAME).trim());
        equal(-2, back.getIntListParameterValue(CMQCFC.MQIACF_Q_ATTRS)[1]);
        equal("TWO", back.getStringListParameterValue(CMQC.MQCA_NAMES)[1].trim());
    }

    @Case(Case.SHARES)
    void unknown_format_comes_as_it_is_with_2110() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = of("MYFMT", 500, NORMAL);
        sent.write(new byte[] {1, 2, 3});
        own.put(sent, putting(NO_SYNC));
        MQMessage found = of("", 1208, REVERSED);
        reason(CMQC.MQRC_FORMAT_ERROR, () -> own.get(found, getting(CONVERT)));
        is_in(500, NORMAL, found);
        same(new byte[] {1, 2, 3}, data(found));
        empty(own);
    }

    @Case(Case.SHARES)
    void unknown_character_sets_are_2111_and_2115() throws Exception {
        MQQueue own = open(connect());
        for (boolean of_source : new boolean[] {true, false}) {
            MQMessage sent = of(CMQC.MQFMT_STRING, of_source ? 9999 : 500, NORMAL);
            sent.write(new byte[] {65});
            own.put(sent, putting(NO_SYNC));
            MQMessage found = of("", of_source ? 1208 : 9999, REVERSED);
            int wanted = of_source ? CMQC.MQRC_SOURCE_CCSID_ERROR : CMQC.MQRC_TARGET_CCSID_ERROR;
            reason(wanted, () -> own.get(found, getting(CONVERT)));
            is_in(of_source ? 9999 : 500, NORMAL, found);
            empty(own);
        }
    }

    @Case(Case.SHARES)
    void header_is_converted_if_its_data_cannot_be() throws Exception {
        MQQueue own = open(connect());
        MQMessage sent = of(CMQC.MQFMT_DEAD_LETTER_HEADER, 500, NORMAL);
        MQDLH header = new MQDLH();
        header.setFormat("MYFMT");
        header.setEncoding(NORMAL);
        header.setCodedCharSetId(37);
        header.write(sent, NORMAL, 500);
        sent.write(new byte[] {1, 2, 3});
        own.put(sent, putting(NO_SYNC));
        MQMessage found = of("", 1208, REVERSED);
        reason(CMQC.MQRC_FORMAT_ERROR, () -> own.get(found, getting(CONVERT)));
        is_in(1208, REVERSED, found);
        found.seek(0);
        MQDLH back = new MQDLH(found);
        equal(37, back.getCodedCharSetId());
        equal(NORMAL, back.getEncoding());
        equal(3, found.getDataLength());
        empty(own);
    }
}
