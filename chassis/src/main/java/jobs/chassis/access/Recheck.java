package jobs.chassis.access;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;

import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.core.AuthenticationException;

/**
 * Lets a request that goes on for long ask, once a second, whether its key or token is
 * still enough. It is of one request, and used by that one's thread alone.
 */
public final class Recheck implements BooleanSupplier {

	private static final String ATTRIBUTE = Recheck.class.getName();

	private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** So long a request may go on while nobody can tell whether it may. */
	private static final long UNSURE_NANOS = TimeUnit.SECONDS.toNanos(30);

	private final Credentials credentials;

	private final AccessRule rule;

	private final HttpServletRequest request;

	private final LongSupplier nanos;

	private long checked;

	/** When it was sure at last that the request may go on. */
	private long sure;

	private boolean may = true;

	Recheck(Credentials credentials, AccessRule rule, HttpServletRequest request, LongSupplier nanos) {
		this.credentials = credentials;
		this.rule = rule;
		this.request = request;
		this.nanos = nanos;
		this.checked = nanos.getAsLong();
		this.sure = this.checked;
	}

	/** Leaves one in a request that may go on now. */
	static void prepare(HttpServletRequest request, Credentials credentials, AccessRule rule) {
		request.setAttribute(ATTRIBUTE, new Recheck(credentials, rule, request, System::nanoTime));
	}

	/** Tells whether a request may go on: always true while security is off. */
	public static BooleanSupplier of(ServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof BooleanSupplier check) ? check : () -> true;
	}

	@Override
	public boolean getAsBoolean() {
		long now = this.nanos.getAsLong();
		if (this.may && now - this.checked >= PERIOD_NANOS) {
			this.checked = now;
			this.may = mayStill(now);
		}
		return this.may;
	}

	private boolean mayStill(long now) {
		try {
			Identity known = this.credentials.identify(this.request);
			this.sure = now;
			return known != null && this.rule.allows(known);
		}
		catch (AuthenticationServiceException ex) {
			// nobody can tell now: it was enough lately
			return now - this.sure < UNSURE_NANOS;
		}
		catch (AuthenticationException ex) {
			return false;
		}
	}

}
