import com.ibm.mq.MQException;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.jms.MQConnectionFactory;
import com.ibm.mq.jms.MQTopicConnectionFactory;
import com.ibm.mq.jms.MQXAConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.Hashtable;
import java.util.Properties;
import javax.jms.JMSException;

/** Where and how a case connects: one channel, over TCP or TLS. */
final class Place {
    final String name;
    final String host;
    final int port;
    final String channel;
    final String cipherSuite;
    final String queueManager;
    final String user;
    final String password;
    final String administrator;
    final String administratorPassword;

    Place(String name, Properties from) {
        this.name = name;
        host = from.getProperty("host");
        port = Integer.parseInt(from.getProperty("port"));
        channel = from.getProperty(name + ".channel");
        cipherSuite = from.getProperty(name + ".cipherSuite", "");
        queueManager = from.getProperty("queueManager");
        user = from.getProperty("user");
        password = from.getProperty("password");
        administrator = from.getProperty("administrator");
        administratorPassword = from.getProperty("administratorPassword");
    }

    boolean isSecure() {
        return !cipherSuite.isEmpty();
    }

    Hashtable<String, Object> properties(String channel) {
        Hashtable<String, Object> made = new Hashtable<>();
        made.put(CMQC.TRANSPORT_PROPERTY, CMQC.TRANSPORT_MQSERIES_CLIENT);
        made.put(CMQC.HOST_NAME_PROPERTY, host);
        made.put(CMQC.PORT_PROPERTY, port);
        made.put(CMQC.CHANNEL_PROPERTY, channel);
        made.put(CMQC.APPNAME_PROPERTY, "Judge " + name);
        if (isSecure()) {
            made.put(CMQC.SSL_CIPHER_SUITE_PROPERTY, cipherSuite);
        }
        return made;
    }

    Hashtable<String, Object> properties(String channel, String user, String password) {
        Hashtable<String, Object> made = properties(channel);
        made.put(CMQC.USER_ID_PROPERTY, user);
        made.put(CMQC.PASSWORD_PROPERTY, password);
        made.put(CMQC.USE_MQCSP_AUTHENTICATION_PROPERTY, true);
        return made;
    }

    MQQueueManager connect() throws MQException {
        return new MQQueueManager(queueManager, properties(channel));
    }

    MQQueueManager connect(String channel, String user, String password) throws MQException {
        return new MQQueueManager(queueManager, properties(channel, user, password));
    }

    MQConnectionFactory factory() throws JMSException {
        return prepared(new MQConnectionFactory());
    }

    MQTopicConnectionFactory topicFactory() throws JMSException {
        MQTopicConnectionFactory made = new MQTopicConnectionFactory();
        prepared(made);
        return made;
    }

    MQXAConnectionFactory xaFactory() throws JMSException {
        MQXAConnectionFactory made = new MQXAConnectionFactory();
        prepared(made);
        return made;
    }

    private MQConnectionFactory prepared(MQConnectionFactory made) throws JMSException {
        made.setTransportType(WMQConstants.WMQ_CM_CLIENT);
        made.setHostName(host);
        made.setPort(port);
        made.setChannel(channel);
        made.setQueueManager(queueManager);
        made.setAppName("Judge " + name);
        made.setClientReconnectOptions(WMQConstants.WMQ_CLIENT_RECONNECT_DISABLED);
        if (isSecure()) {
            made.setSSLCipherSuite(cipherSuite);
        }
        return made;
    }
}
