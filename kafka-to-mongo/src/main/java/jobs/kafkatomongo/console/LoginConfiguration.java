package jobs.kafkatomongo.console;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import jobs.chassis.access.Credentials;
import jobs.chassis.http.Problem;
import jobs.chassis.operations.SettingException;
import org.apache.catalina.Session;
import org.apache.catalina.session.StandardManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.userinfo.OAuth2UserRequest;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestRedirectFilter;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;
import org.springframework.security.oauth2.core.user.DefaultOAuth2User;
import org.springframework.security.oauth2.core.user.OAuth2User;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.RequestRejectedHandler;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Lets people log in by Spring Security, where a client of the issuer is set. Its filters
 * see requests with a session and those of the login alone, and sessions are bounded.
 */
@Configuration(proxyBeanMethods = false)
@LoginConfiguration.ConditionalOnLogin
@EnableWebSecurity
class LoginConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(LoginConfiguration.class);

	/** Comes before the filter that asks who may. */
	private static final int ORDER = -200;

	/** Sessions of people who log in, or began to. */
	private static final int SESSIONS = 1000;

	@Bean
	DelegatingFilterProxyRegistrationBean loginFilters() {
		DelegatingFilterProxyRegistrationBean filters = new DelegatingFilterProxyRegistrationBean(
				"springSecurityFilterChain");
		filters.setOrder(ORDER);
		return filters;
	}

	@Bean
	static Credentials.TokenSource tokensOfSessions() {
		return SessionToken::of;
	}

	/** Throws SettingException where nobody could log in. */
	@Bean
	SecurityFilterChain login(HttpSecurity http, Credentials credentials,
			@Value("${spring.security.oauth2.resourceserver.jwt.issuer-uri:}") String issuer) {
		if (issuer.isEmpty()) {
			throw new SettingException("jobs.security.login.client-id is set: set "
					+ "spring.security.oauth2.resourceserver.jwt.issuer-uri beside it, whose tokens people get");
		}
		http.securityMatcher((request) -> request.getRequestedSessionId() != null || isOfLogin(request.getRequestURI()))
			.authorizeHttpRequests((all) -> all.anyRequest().permitAll())
			.requestCache((cache) -> cache.disable())
			// it would bind all ports of this name for a year
			.headers((headers) -> headers.httpStrictTransportSecurity((pin) -> pin.disable()))
			.csrf((csrf) -> csrf.spa())
			.exceptionHandling((failures) -> failures.accessDeniedHandler((request, response, failure) -> Problem
				.of(HttpServletResponse.SC_FORBIDDEN,
						"Whoever is logged in must send the value of the cookie XSRF-TOKEN as X-XSRF-TOKEN")
				.writeTo(response)))
			.oauth2Login((login) -> login.loginPage("/")
				.authorizedClientRepository(new SessionToken())
				.userInfoEndpoint((user) -> user.userService((request) -> user(request, credentials)))
				.successHandler((request, response, user) -> response.sendRedirect("/"))
				.failureHandler((request, response, failure) -> {
					// who is not logged in yet chooses its text
					logger.warn("A login has failed: {}",
							String.valueOf(failure.getMessage()).replaceAll("\\p{Cntrl}", "?"));
					response.sendRedirect("/?login=failed");
				})
				.addObjectPostProcessor(unavailableWhereNoLoginCanBegin()))
			.logout((logout) -> logout.logoutSuccessHandler(
					(request, response, user) -> response.setStatus(HttpServletResponse.SC_NO_CONTENT)));
		return http.build();
	}

	/** As where there are too many sessions. */
	private static ObjectPostProcessor<OAuth2AuthorizationRequestRedirectFilter> unavailableWhereNoLoginCanBegin() {
		return new ObjectPostProcessor<>() {

			@Override
			public <O extends OAuth2AuthorizationRequestRedirectFilter> O postProcess(O filter) {
				filter.setAuthenticationFailureHandler((request, response, failure) -> Problem
					.unavailable("Too many people log in, or the login does not exist")
					.writeTo(response));
				return filter;
			}

		};
	}

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

	private static boolean isOfLogin(String path) {
		return path.startsWith("/oauth2/") || path.startsWith("/login/") || path.equals("/logout");
	}

	/**
	 * The access token says who logs in, verified as one that a machine brings. Throws
	 * AuthenticationException for a token that is not valid here.
	 */
	private static OAuth2User user(OAuth2UserRequest request, Credentials credentials) {
		String name = credentials.identify(request.getAccessToken().getTokenValue()).name();
		return new DefaultOAuth2User(List.of(new SimpleGrantedAuthority("console")), Map.of("name", name), "name");
	}

	/**
	 * Keeps the access token of who logs in with their session, where it counts for each
	 * request as one that a machine brings: until it ends, or the issuer has other keys.
	 */
	static final class SessionToken implements OAuth2AuthorizedClientRepository {

		private static final String ATTRIBUTE = SessionToken.class.getName();

		/** How long a session lasts without a request, once somebody has logged in. */
		private static final Duration IDLE = Duration.ofMinutes(30);

		/** The token of who has logged in for the session of a request, if it has one. */
		static @Nullable String of(HttpServletRequest request) {
			HttpSession session = request.getSession(false);
			return (session != null) ? of(session) : null;
		}

		/** The token of who has logged in for a session, or {@code null}. */
		static @Nullable String of(HttpSession session) {
			return (session.getAttribute(ATTRIBUTE) instanceof String token) ? token : null;
		}

		@Override
		public <T extends OAuth2AuthorizedClient> @Nullable T loadAuthorizedClient(String client, Authentication user,
				HttpServletRequest request) {
			return null;
		}

		@Override
		public void saveAuthorizedClient(OAuth2AuthorizedClient client, Authentication user, HttpServletRequest request,
				HttpServletResponse response) {
			// whoever has planted the session must not have it for a moment
			HttpSession session = request.getSession();
			request.changeSessionId();
			session.setAttribute(ATTRIBUTE, client.getAccessToken().getTokenValue());
			session.setMaxInactiveInterval(Math.toIntExact(IDLE.toSeconds()));
		}

		@Override
		public void removeAuthorizedClient(String client, Authentication user, HttpServletRequest request,
				HttpServletResponse response) {
			HttpSession session = request.getSession(false);
			if (session != null) {
				session.removeAttribute(ATTRIBUTE);
			}
		}

	}

	/** Tells the console that people can log in, and where. */
	@RestController
	@ConditionalOnLogin
	static class LoginController {

		@GetMapping("/console/login")
		Map<String, String> login() {
			return Map.of("login", "oauth2/authorization/console");
		}

	}

	/**
	 * A browser that begins a login gets a session, of which there is a bound. The oldest
	 * of those in which nobody has logged in goes first, so that who begins many keeps
	 * out nobody else.
	 */
	private static final class BoundedSessions extends StandardManager {

		private BoundedSessions() {
			setMaxActiveSessions(SESSIONS);
		}

		@Override
		public synchronized Session createSession(@Nullable String id) {
			if (getActiveSessions() >= SESSIONS) {
				Arrays.stream(findSessions())
					.filter((one) -> one.isValid() && SessionToken.of(one.getSession()) == null)
					.min(Comparator.comparing(Session::getCreationTimeInternal))
					.ifPresent(Session::expire);
			}
			return super.createSession(id);
		}

	}

	/** Marks a configuration or a bean that is there where people can log in, only. */
	@Target(ElementType.TYPE)
	@Retention(RetentionPolicy.RUNTIME)
	@ConditionalOnBooleanProperty("jobs.security.enabled")
	@ConditionalOnProperty("jobs.security.login.client-id")
	@interface ConditionalOnLogin {

	}

}
