package jobs.chassis.tls;

import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;

/**
 * A bundle that has at each moment what its files had when they were read last. What was
 * made from it before looks there, too.
 *
 * @param current the bundle as it is now
 * @param made is told each context that is made
 */
record LiveBundle(Supplier<SslBundle> current, Consumer<SSLContext> made) implements SslBundle, SslManagerBundle {

	@Override
	public SslStoreBundle getStores() {
		return this.current.get().getStores();
	}

	@Override
	public SslBundleKey getKey() {
		return this.current.get().getKey();
	}

	@Override
	public SslOptions getOptions() {
		return this.current.get().getOptions();
	}

	@Override
	public String getProtocol() {
		return this.current.get().getProtocol();
	}

	@Override
	public SslManagerBundle getManagers() {
		return this;
	}

	@Override
	public KeyManagerFactory getKeyManagerFactory() {
		return this.current.get().getManagers().getKeyManagerFactory();
	}

	@Override
	public TrustManagerFactory getTrustManagerFactory() {
		return this.current.get().getManagers().getTrustManagerFactory();
	}

	@Override
	public KeyManager[] getKeyManagers() {
		return new KeyManager[] { new LiveKeyManager(() -> this.current.get().getManagers().getKeyManagers()) };
	}

	@Override
	public TrustManager[] getTrustManagers() {
		return new TrustManager[] { new LiveTrustManager(() -> this.current.get().getManagers().getTrustManagers()) };
	}

	@Override
	public SSLContext createSslContext(String protocol) {
		SSLContext context = SslManagerBundle.super.createSslContext(protocol);
		this.made.accept(context);
		return context;
	}

}
