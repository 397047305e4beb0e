package jobs.chassis.security;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jobs.chassis.identity.BearerTokens;

import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;

/**
 * Lets requests that go on for long ask, once a second, whether their key or token is
 * still enough.
 */
public final class Recheck implements Filter {

	private static final String ATTRIBUTE = Recheck.class.getName();

	private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final BearerTokens tokens;

	private final AccessRules rules;

	Recheck(BearerTokens tokens, AccessRules rules) {
		this.tokens = tokens;
		this.rules = rules;
	}

	/** What tells whether a request may go on: always true while security is off. */
	public static BooleanSupplier of(ServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof BooleanSupplier check) ? check : () -> true;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		request.setAttribute(ATTRIBUTE, new Check((HttpServletRequest) request));
		chain.doFilter(request, response);
	}

	private boolean may(Authentication token, HttpServletRequest request) {
		try {
			return this.rules.may(this.tokens.authenticate(token), request);
		}
		catch (AuthenticationServiceException ex) {
			// nobody can tell now: it was enough before
			return true;
		}
		catch (AuthenticationException ex) {
			return false;
		}
	}

	/** Of one request, and used by its thread alone. */
	private final class Check implements BooleanSupplier {

		private final HttpServletRequest request;

		private long checked = System.nanoTime();

		private boolean may = true;

		private Check(HttpServletRequest request) {
			this.request = request;
		}

		@Override
		public boolean getAsBoolean() {
			long now = System.nanoTime();
			if (this.may && now - this.checked >= PERIOD_NANOS) {
				this.checked = now;
				Authentication token = Recheck.this.tokens.convert(this.request);
				this.may = token == null || Recheck.this.may(token, this.request);
			}
			return this.may;
		}

	}

}
