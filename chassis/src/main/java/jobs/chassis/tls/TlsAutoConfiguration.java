package jobs.chassis.tls;

import org.springframework.beans.factory.ObjectProvider;
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

	@Bean
	LiveBundles sslBundles(ObjectProvider<SslBundleRegistrar> registrars) {
		LiveBundles bundles = new LiveBundles();
		registrars.orderedStream().forEach((registrar) -> registrar.registerBundles(bundles));
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
