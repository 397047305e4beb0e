package jobs.chassis.tls;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.context.annotation.Bean;

/** Puts {@link LiveBundles} in the place of Boot's. */
@AutoConfiguration(before = SslAutoConfiguration.class)
class TlsAutoConfiguration {

	/**
	 * Throws IllegalStateException where clients may show certificates and nothing says
	 * whose: those of all public authorities would do.
	 */
	@Bean
	LiveBundles sslBundles(ObjectProvider<SslBundleRegistrar> registrars, @Value("${server.ssl.bundle:}") String ofHttp,
			@Value("${server.ssl.client-auth:none}") String clients) {
		LiveBundles bundles = new LiveBundles();
		registrars.orderedStream().forEach((registrar) -> registrar.registerBundles(bundles));
		if (!ofHttp.isEmpty() && !clients.equalsIgnoreCase("none")
				&& bundles.getBundle(ofHttp).getStores().getTrustStore() == null) {
			throw new IllegalStateException(
					"server.ssl.client-auth is set, and the bundle '%s' has no truststore: ".formatted(ofHttp)
							+ "name the certificate of the authority whose clients are trusted");
		}
		return bundles;
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

}
