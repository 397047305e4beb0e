package jobs.chassis.tls;

import java.io.IOException;
import java.nio.file.Path;

import jobs.testkit.Authority;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** Settings of which some would trust more than they say. */
class TlsAutoConfigurationTests {

	@TempDir
	private Path folder;

	private ApplicationContextRunner service;

	@BeforeEach
	void issue() throws IOException {
		Authority authority = new Authority("ours");
		authority.issue(this.folder, "server");
		authority.trust(this.folder.resolve("trust.crt"));
		this.service = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(TlsAutoConfiguration.class, SslAutoConfiguration.class))
			.withPropertyValues("server.ssl.bundle=http",
					"spring.ssl.bundle.pem.http.keystore.certificate=" + this.folder.resolve("server.crt"),
					"spring.ssl.bundle.pem.http.keystore.private-key=" + this.folder.resolve("server.key"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "want", "need", "NEED" })
	void asksForNoCertificatesThatAllAuthoritiesMayIssue(String clients) {
		this.service.withPropertyValues("server.ssl.client-auth=" + clients)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("'http' has no truststore"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.server.ssl.client-auth=want|management.server.ssl.bundle=http",
			"management.server.ssl.client-auth=need|management.server.ssl.certificate=a.crt",
			"server.ssl.client-auth=need|server.ssl.bundle=|server.ssl.certificate=a.crt",
			"server.ssl.client-auth=want|server.ssl.server-name-bundles[0].bundle=other" })
	void asksForNoneWhoseAuthorityNobodyNames(String settings) {
		this.service.withPropertyValues(settings.split("\\|"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("client-auth is set")
				.hasMessageContaining("truststore"));
	}

	@Test
	void asksForThoseOfTheAuthorityThatIsNamed() {
		this.service
			.withPropertyValues("server.ssl.client-auth=want",
					"spring.ssl.bundle.pem.http.truststore.certificate=" + this.folder.resolve("trust.crt"))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void needsNoAuthorityWhereItAsksForNoCertificates() {
		this.service.run((context) -> assertThat(context).hasSingleBean(LiveBundles.class));
	}

}
