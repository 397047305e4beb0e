package jobs.chassis.tls;

import java.util.List;

import jobs.chassis.operations.SettingException;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Puts {@link LiveBundles} in the place of Boot's. */
@AutoConfiguration(before = SslAutoConfiguration.class)
class TlsAutoConfiguration {

	/** Where the settings of a port's TLS stand: the service's, and one of operators. */
	private static final List<String> PORTS = List.of("server.ssl", "management.server.ssl");

	/**
	 * Throws SettingException where clients of a port may show certificates and nothing
	 * says whose: those of all public authorities would do.
	 */
	@Bean
	LiveBundles sslBundles(ObjectProvider<SslBundleRegistrar> registrars, Environment settings) {
		LiveBundles bundles = new LiveBundles();
		registrars.orderedStream().forEach((registrar) -> registrar.registerBundles(bundles));
		for (String port : PORTS) {
			if (!settings.getProperty(port + ".client-auth", "none").equalsIgnoreCase("none")) {
				requireAuthorities(bundles, settings, port);
			}
		}
		return bundles;
	}

	private static void requireAuthorities(LiveBundles bundles, Environment settings, String port) {
		String bundle = settings.getProperty(port + ".bundle", "");
		if (bundle.isEmpty() || settings.containsProperty(port + ".server-name-bundles[0].bundle")) {
			throw new SettingException(
					"%1$s.client-auth is set: set %1$s.bundle to one that has a truststore, and no other"
						.formatted(port));
		}
		if (bundles.getBundle(bundle).getStores().getTrustStore() == null) {
			throw new SettingException(
					"%s.client-auth is set, and the bundle '%s' has no truststore: ".formatted(port, bundle)
							+ "name the certificate of the authority whose clients are trusted");
		}
	}

	/**
	 * A certificate and its key are two files: who reads one before and one after their
	 * change would let all handshakes fail.
	 */
	@Bean
	static BeanPostProcessor keysOfTheirCertificates() {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessBeforeInitialization(Object bean, String name) {
				if (bean instanceof SslProperties settings) {
					settings.getBundle()
						.getPem()
						.values()
						.stream()
						.map(PemSslBundleProperties::getKeystore)
						.filter((store) -> store.getPrivateKey() != null)
						.forEach((store) -> store.setVerifyKeys(true));
				}
				return bean;
			}

		};
	}

	/**
	 * Refuses a second handshake on a connection of TLS 1.2: it costs a client nothing,
	 * and no deadline is over it. Java reads the property before its first connection.
	 */
	static final class NoRenegotiation implements EnvironmentPostProcessor {

		@Override
		public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
			System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
		}

	}

}
