package jobs.chassis.security;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jobs.chassis.identity.BearerTokens;
import jobs.chassis.identity.IdentityConfiguration;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.server.resource.web.authentication.BearerTokenAuthenticationFilter;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.access.ExceptionTranslationFilter;
import org.springframework.security.web.access.intercept.AuthorizationFilter;
import org.springframework.security.web.authentication.AuthenticationConverter;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.context.SecurityContextHolderFilter;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.security.web.savedrequest.NullRequestCache;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.servletapi.SecurityContextHolderAwareRequestFilter;
import org.springframework.security.web.util.matcher.AnyRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;

/**
 * Asks who sends a request, and whether they may, where {@code jobs.security.enabled} is
 * set. Elsewhere no filter is in the way.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty("jobs.security.enabled")
@Import(IdentityConfiguration.class)
class SecurityAutoConfiguration {

	private static final String OPERATIONS = "/actuator/**";

	/** Comes before all filters of a service. */
	private static final int ORDER = -100;

	@Bean
	FilterRegistrationBean<FilterChainProxy> security(BearerTokens tokens, AccessRules rules,
			@Value("${server.port:0}") String port, @Value("${management.server.port:}") String portOfOperators) {
		if (!portOfOperators.isBlank() && !portOfOperators.equals(port) && !portOfOperators.startsWith("-")) {
			throw new IllegalStateException("management.server.port can't be another port while jobs.security.enabled "
					+ "is set: nothing asks there who may");
		}
		SecurityProblems problems = new SecurityProblems(rules);
		SecurityContextHolderAwareRequestFilter userOfTheRequest = new SecurityContextHolderAwareRequestFilter();
		userOfTheRequest.setRolePrefix("");
		RequestMatcher operations = PathPatternRequestMatcher.pathPattern(OPERATIONS);
		FilterChainProxy proxy = new FilterChainProxy(List.of(
				// the health asks the request for its user, and nothing else does
				new DefaultSecurityFilterChain(operations,
						chain(optional(tokens, rules), tokens, rules, problems, List.of(userOfTheRequest))),
				new DefaultSecurityFilterChain(rules::isOpen), new DefaultSecurityFilterChain(
						AnyRequestMatcher.INSTANCE, chain(tokens, tokens, rules, problems, List.of()))));
		proxy.setFirewall(firewall());
		proxy.setRequestRejectedHandler(problems);
		FilterRegistrationBean<FilterChainProxy> registration = new FilterRegistrationBean<>(proxy);
		registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
		registration.setOrder(ORDER);
		return registration;
	}

	/** Where all may, nobody is turned away for a key or token that is not valid. */
	private static AuthenticationConverter optional(BearerTokens tokens, AccessRules rules) {
		return (request) -> {
			if (!rules.isOpen(request)) {
				return tokens.convert(request);
			}
			try {
				Authentication token = tokens.convert(request);
				return (token != null && tokens.authenticate(token).isAuthenticated()) ? token : null;
			}
			catch (AuthenticationException ex) {
				return null;
			}
		};
	}

	private static List<Filter> chain(AuthenticationConverter converter, BearerTokens tokens, AccessRules rules,
			SecurityProblems problems, List<Filter> more) {
		BearerTokenAuthenticationFilter authentication = new BearerTokenAuthenticationFilter(tokens, converter);
		authentication.setAuthenticationEntryPoint(problems);
		authentication.setAuthenticationFailureHandler(problems);
		// there are no sessions, in which a request could be kept for later
		ExceptionTranslationFilter refusals = new ExceptionTranslationFilter(problems, new NullRequestCache());
		refusals.setAccessDeniedHandler(problems);
		List<Filter> filters = new ArrayList<>(
				List.of(new SecurityContextHolderFilter(new RequestAttributeSecurityContextRepository())));
		filters.add(authentication);
		filters.addAll(more);
		filters.add(refusals);
		filters.add(new AuthorizationFilter(rules));
		filters.add(new Recheck(tokens, rules));
		return filters;
	}

	/**
	 * Ids of jobs may have any character. {@link AccessRules} refuses what leads
	 * elsewhere.
	 */
	private static StrictHttpFirewall firewall() {
		StrictHttpFirewall firewall = new StrictHttpFirewall();
		firewall.setAllowSemicolon(true);
		firewall.setAllowUrlEncodedSlash(true);
		firewall.setAllowUrlEncodedDoubleSlash(true);
		firewall.setAllowUrlEncodedPercent(true);
		firewall.setAllowUrlEncodedPeriod(true);
		firewall.setAllowBackSlash(true);
		firewall.setAllowNull(true);
		firewall.setAllowUrlEncodedLineFeed(true);
		firewall.setAllowUrlEncodedCarriageReturn(true);
		firewall.setAllowUrlEncodedLineSeparator(true);
		firewall.setAllowUrlEncodedParagraphSeparator(true);
		firewall.setUnsafeAllowAnyHttpMethod(true);
		return firewall;
	}

}
