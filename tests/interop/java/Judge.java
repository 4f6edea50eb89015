import com.ibm.mq.MQException;
import com.ibm.mq.headers.MQDataException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.JMSException;

/**
 * Runs the cases of a plan and writes one line for each:
 * number, outcome (passed, failed, hung), milliseconds, what was wrong.
 * A line of the plan: number, place, class, method, queue.
 */
public final class Judge {
    private static final long LIMIT_MS = 60_000;
    private static final long LONG_LIMIT_MS = 150_000; // for what has 100 MB to carry
    private static final int LANES = 2;

    static String settingsPath = ""; // for a process that a case starts
    private final Properties places = new Properties();
    private final List<String> plan;
    private final PrintStream told;
    private final AtomicInteger next = new AtomicInteger();

    private Judge(String settings, String plan) throws Exception {
        places.load(Files.newBufferedReader(Path.of(settings)));
        this.plan = Files.readAllLines(Path.of(plan));
        told = System.out;
        System.setOut(System.err);
    }

    public static void main(String[] arguments) throws Exception {
        MQException.logExclude(null);
        settingsPath = arguments[0];
        Judge judge = new Judge(arguments[0], arguments[1]);
        Thread[] lanes = new Thread[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = new Thread(judge::work, "lane " + lane);
            lanes[lane].start();
        }
        for (Thread lane : lanes) {
            lane.join();
        }
        judge.told.println("end");
        judge.told.flush();
        Runtime.getRuntime().halt(0); // threads of a case that hung must not keep it
    }

    private void work() {
        for (int at = next.getAndIncrement(); at < plan.size(); at = next.getAndIncrement()) {
            String[] words = plan.get(at).split("\t");
            try {
                one(words);
            } catch (InterruptedException stopped) {
                return;
            }
        }
    }

    private void one(String[] words) throws InterruptedException {
        Throwable[] wrong = new Throwable[1];
        long begun = System.nanoTime();
        Thread runner = new Thread(() -> wrong[0] = run(words), words[2] + "." + words[3]);
        runner.setDaemon(true);
        runner.start();
        runner.join(words[2].equals("BaseLarge") ? LONG_LIMIT_MS : LIMIT_MS);
        String outcome = "passed";
        String text = "";
        if (runner.isAlive()) {
            outcome = "hung";
            text = where(runner.getStackTrace());
        } else if (wrong[0] != null) {
            outcome = "failed";
            text = describe(wrong[0]);
            wrong[0].printStackTrace();
        }
        long spent = (System.nanoTime() - begun) / 1_000_000;
        synchronized (told) {
            told.println(String.join("\t", words[0], outcome, String.valueOf(spent), text));
            told.flush();
        }
    }

    private Throwable run(String[] words) {
        try {
            Class<?> kind = Class.forName(words[2]);
            Cases made = (Cases) kind.getDeclaredConstructor().newInstance();
            made.place = new Place(words[1], places);
            made.queue = words[4];
            Method method = kind.getDeclaredMethod(words[3]);
            method.setAccessible(true);
            try {
                method.invoke(made);
            } finally {
                made.tidy();
            }
            return null;
        } catch (InvocationTargetException outer) {
            return outer.getCause();
        } catch (Throwable error) {
            return error;
        }
    }

    private static String where(StackTraceElement[] stack) {
        StringBuilder made = new StringBuilder("still at");
        for (StackTraceElement frame : stack) {
            made.append(' ').append(frame.getClassName()).append('.').append(frame.getMethodName());
            made.append(':').append(frame.getLineNumber());
        }
        return made.toString();
    }

    static String describe(Throwable error) {
        StringWriter made = new StringWriter();
        for (Throwable at = error; at != null; at = cause(at)) {
            made.append(at == error ? "" : " <- ").append(at.getClass().getSimpleName());
            if (at instanceof MQException) {
                made.append(" reason ").append(String.valueOf(((MQException) at).reasonCode));
            } else if (at instanceof MQDataException) {
                made.append(" reason ").append(String.valueOf(((MQDataException) at).reasonCode));
            }
            made.append(": ").append(String.valueOf(at.getMessage()));
        }
        for (StackTraceElement frame : error.getStackTrace()) {
            if (frame.getClassName().indexOf('.') < 0 && !frame.getClassName().equals("Cases")) {
                made.append(" at ").append(frame.toString());
                break;
            }
        }
        return made.toString().replaceAll("\\s+", " ");
    }

    private static Throwable cause(Throwable error) {
        if (error instanceof JMSException && ((JMSException) error).getLinkedException() != null) {
            return ((JMSException) error).getLinkedException();
        }
        return error.getCause() == error ? null : error.getCause();
    }
}
