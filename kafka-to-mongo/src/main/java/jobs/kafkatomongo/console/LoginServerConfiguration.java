package jobs.kafkatomongo.console;

import java.util.Arrays;
import java.util.Comparator;

import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.http.Problem;
import org.apache.catalina.Session;
import org.apache.catalina.session.StandardManager;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.security.web.firewall.StrictHttpFirewall;

/** Bounds the sessions of a login, and lets it see all paths that the service has. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLogin
class LoginServerConfiguration {

	/** Sessions of people who log in, or began to. */
	private static final int SESSIONS = 1000;

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedSessions() {
		return (factory) -> factory.addContextCustomizers((context) -> context.setManager(new BoundedSessions()));
	}

	/** Ids may have any letter; {@code AccessRules} looks where a path leads. */
	@Bean
	HttpFirewall firewall() {
		StrictHttpFirewall firewall = new StrictHttpFirewall();
		firewall.setAllowUrlEncodedSlash(true);
		firewall.setAllowUrlEncodedDoubleSlash(true);
		firewall.setAllowUrlEncodedPercent(true);
		firewall.setAllowUrlEncodedPeriod(true);
		firewall.setAllowSemicolon(true);
		firewall.setAllowBackSlash(true);
		firewall.setAllowUrlEncodedCarriageReturn(true);
		firewall.setAllowUrlEncodedLineFeed(true);
		firewall.setAllowUrlEncodedLineSeparator(true);
		firewall.setAllowUrlEncodedParagraphSeparator(true);
		firewall.setAllowNull(true);
		return firewall;
	}

	@Bean
	RequestRejectedHandler refusedByFirewall() {
		return (request, response, refusal) -> Problem
			.of(HttpServletResponse.SC_BAD_REQUEST, "The request is malformed")
			.writeTo(response);
	}

	/**
	 * Whoever begins a login gets a session, of which there is a bound. The oldest of
	 * those in which nobody has logged in goes first, so that who begins many keeps out
	 * nobody else.
	 */
	private static final class BoundedSessions extends StandardManager {

		private BoundedSessions() {
			setMaxActiveSessions(SESSIONS);
		}

		@Override
		public synchronized Session createSession(@Nullable String id) {
			if (getActiveSessions() >= SESSIONS) {
				Arrays.stream(findSessions())
					.filter((one) -> one.isValid() && LoginConfiguration.SessionToken.of(one.getSession()) == null)
					.min(Comparator.comparing(Session::getCreationTimeInternal))
					.ifPresent(Session::expire);
			}
			return super.createSession(id);
		}

	}

}
