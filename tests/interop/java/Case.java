import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/**
 * Marks a method as a case. The harness reads the places out of this source; nothing here does.
 * EVERY: each SHARECNV over TCP, and TLS 1.2 and 1.3. SHARES: each SHARECNV over TCP.
 * SHARED: EVERY but SHARECNV(0), where the client has no JMS 2.0; PLAIN: those of them over TCP.
 * SECURE: each kind of TLS. LARGE: one over TCP and one over TLS. ONCE: one.
 */
@Retention(RetentionPolicy.RUNTIME)
@interface Case {
    String EVERY = "EVERY";
    String SHARES = "SHARES";
    String SHARED = "SHARED";
    String PLAIN = "PLAIN";
    String SECURE = "SECURE";
    String LARGE = "LARGE";
    String ONCE = "ONCE";

    String value() default EVERY;
}
