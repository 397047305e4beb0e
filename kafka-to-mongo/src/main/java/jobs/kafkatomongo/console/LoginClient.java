package jobs.kafkatomongo.console;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import jobs.chassis.access.AccessRules;
import jobs.chassis.operations.SettingException;
import jobs.contract.Roles;
import jobs.contract.resources.Resources;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.security.oauth2.client.endpoint.OAuth2AccessTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.OAuth2AuthorizationCodeGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.web.client.RestClient;

/** Sets up what the issuer knows as the console, and how it is asked for a token. */
@Configuration(proxyBeanMethods = false)
@LoginConfiguration.ConditionalOnLogin
@EnableConfigurationProperties(LoginClient.LoginSettings.class)
class LoginClient {

	/** The name of the client in addresses. */
	private static final String CLIENT = "console";

	/** The longest time for an answer of the issuer. */
	private static final Duration ANSWER_TIME = Duration.ofSeconds(3);

	@Bean
	ClientRegistrationRepository clients(LoginSettings settings, Resources resources) {
		boolean isPublic = settings.clientSecret() == null;
		return new InMemoryClientRegistrationRepository(ClientRegistration.withRegistrationId(CLIENT)
			.clientId(settings.clientId())
			.clientSecret(isPublic ? "" : settings.clientSecret())
			.clientAuthenticationMethod(
					isPublic ? ClientAuthenticationMethod.NONE : ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
			.authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
			.authorizationUri(String.valueOf(settings.authorizationUri()))
			.tokenUri(String.valueOf(settings.tokenUri()))
			.redirectUri("{baseUrl}/login/oauth2/code/{registrationId}")
			.scope(settings.scopes().isEmpty() ? ofTheConsole(resources) : settings.scopes())
			.build());
	}

	private static Set<String> ofTheConsole(Resources resources) {
		Set<String> scopes = new LinkedHashSet<>(Set.of(AccessRules.OPERATIONS_READ));
		resources.names()
			.stream()
			.map(Roles::of)
			.forEach((roles) -> scopes
				.addAll(List.of(roles.read(), roles.readDeadLetters(), roles.operateDeadLetters())));
		return scopes;
	}

	@Bean
	OAuth2AccessTokenResponseClient<OAuth2AuthorizationCodeGrantRequest> tokens() {
		JdkClientHttpRequestFactory bounded = new JdkClientHttpRequestFactory(
				HttpClient.newBuilder().connectTimeout(ANSWER_TIME).build());
		bounded.setReadTimeout(ANSWER_TIME);
		RestClientAuthorizationCodeTokenResponseClient client = new RestClientAuthorizationCodeTokenResponseClient();
		client.setRestClient(RestClient.builder()
			.requestFactory(bounded)
			.configureMessageConverters((converters) -> converters.addCustomConverter(new FormHttpMessageConverter())
				.addCustomConverter(new OAuth2AccessTokenResponseHttpMessageConverter()))
			.defaultStatusHandler(new OAuth2ErrorResponseErrorHandler())
			.build());
		return client;
	}

	/**
	 * Where people log in for the console (OAuth 2, authorization code with PKCE). The
	 * issuer is that of the JWTs.
	 *
	 * @param clientId how the issuer knows the console; without it nobody logs in
	 * @param clientSecret the secret of that client, where it has one
	 * @param authorizationUri where a browser is sent
	 * @param tokenUri where a code becomes a token
	 * @param scopes what is asked for; the roles that the console needs where none is
	 * named
	 */
	@ConfigurationProperties("jobs.security.login")
	record LoginSettings(String clientId, @Nullable String clientSecret, @Nullable URI authorizationUri,
			@Nullable URI tokenUri, @DefaultValue Set<String> scopes) {

		LoginSettings {
			if (authorizationUri == null || tokenUri == null) {
				throw new SettingException("jobs.security.login.client-id is set: set authorization-uri and token-uri "
						+ "beside it, as the issuer's configuration has them");
			}
			if (scopes.contains("openid")) {
				throw new SettingException(
						"jobs.security.login.scopes may not have openid: who logs in is known by the access token");
			}
		}

	}

}
