package jobs.chassis.access;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

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

	private final Credentials credentials;

	private final AccessRule rule;

	private final HttpServletRequest request;

	private long checked = System.nanoTime();

	private boolean may = true;

	private Recheck(Credentials credentials, AccessRule rule, HttpServletRequest request) {
		this.credentials = credentials;
		this.rule = rule;
		this.request = request;
	}

	/** Leaves one in a request that may go on now. */
	static void prepare(HttpServletRequest request, Credentials credentials, AccessRule rule) {
		request.setAttribute(ATTRIBUTE, new Recheck(credentials, rule, request));
	}

	/** Tells whether a request may go on: always true while security is off. */
	public static BooleanSupplier of(ServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof BooleanSupplier check) ? check : () -> true;
	}

	@Override
	public boolean getAsBoolean() {
		long now = System.nanoTime();
		if (this.may && now - this.checked >= PERIOD_NANOS) {
			this.checked = now;
			this.may = mayStill();
		}
		return this.may;
	}

	private boolean mayStill() {
		try {
			Identity known = this.credentials.identify(this.request);
			return known != null && this.rule.allows(known);
		}
		catch (AuthenticationServiceException ex) {
			// nobody can tell now: it was enough before
			return true;
		}
		catch (AuthenticationException ex) {
			return false;
		}
	}

}
