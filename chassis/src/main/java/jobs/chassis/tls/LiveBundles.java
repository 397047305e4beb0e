package jobs.chassis.tls;

import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;

import nl.altindag.ssl.util.KeyManagerUtils;
import nl.altindag.ssl.util.SSLSessionUtils;
import nl.altindag.ssl.util.TrustManagerUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;

/**
 * Spring's bundles, each of which has the files as they are now. Boot renews Tomcat's
 * alone: the clients of Kafka and MongoDB would go on with what they had at the start.
 */
final class LiveBundles extends DefaultSslBundleRegistry {

	private static final Logger logger = LoggerFactory.getLogger(LiveBundles.class);

	/** The managers of each bundle, which clients keep for as long as they run. */
	private final Map<String, Managers> managers = new ConcurrentHashMap<>();

	/** The contexts of clients; one that no client uses any more goes by itself. */
	private final Set<SSLContext> contexts = Collections
		.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	@Override
	public void registerBundle(String name, SslBundle bundle) {
		SslBundle loaded = loaded(bundle);
		Managers first = Managers.of(loaded);
		this.managers.put(name, new Managers(KeyManagerUtils.createSwappableKeyManager(first.keys()),
				TrustManagerUtils.createSwappableTrustManager(first.trust())));
		super.registerBundle(name, loaded);
		addBundleUpdateHandler(name, (updated) -> renewed(name));
	}

	/**
	 * Takes what the files have now. Throws an exception where they can't be used, and
	 * leaves all as it was.
	 */
	@Override
	public void updateBundle(String name, SslBundle updated) {
		SslBundle loaded = loaded(updated);
		Managers now = Managers.of(loaded);
		Managers live = live(name);
		KeyManagerUtils.swapKeyManager(live.keys(), now.keys());
		TrustManagerUtils.swapTrustManager(live.trust(), now.trust());
		super.updateBundle(name, loaded);
	}

	/** Throws NoSuchSslBundleException for a name that no setting has. */
	private Managers live(String name) {
		super.getBundle(name);
		return Objects.requireNonNull(this.managers.get(name));
	}

	/**
	 * Loads the managers once; a bundle's own would read its stores at each handshake.
	 */
	private static SslBundle loaded(SslBundle bundle) {
		SslManagerBundle managers = bundle.getManagers();
		return SslBundle.of(bundle.getStores(), bundle.getKey(), bundle.getOptions(), bundle.getProtocol(),
				SslManagerBundle.of(managers.getKeyManagerFactory(), managers.getTrustManagerFactory()));
	}

	/** Throws NoSuchSslBundleException for a name that no setting has. */
	@Override
	public SslBundle getBundle(String name) {
		return new LiveBundle(() -> super.getBundle(name), live(name), this.contexts::add);
	}

	/** A session that is resumed would not ask whom to trust. */
	private void renewed(String name) {
		logger.atInfo().addKeyValue("bundle", name).log("The certificates of a TLS bundle were read again");
		Set<SSLContext> all;
		synchronized (this.contexts) {
			all = new HashSet<>(this.contexts);
		}
		all.forEach(SSLSessionUtils::invalidateClientCaches);
	}

	/** The managers by which connections show a certificate and trust others. */
	private record Managers(X509KeyManager keys, X509TrustManager trust) {

		static Managers of(SslBundle bundle) {
			return new Managers(first(X509KeyManager.class, bundle.getManagers().getKeyManagers()),
					first(X509TrustManager.class, bundle.getManagers().getTrustManagers()));
		}

		private static <T> T first(Class<T> type, Object[] managers) {
			return Stream.of(managers)
				.filter(type::isInstance)
				.map(type::cast)
				.findFirst()
				.orElseThrow(() -> new IllegalStateException("The bundle has no " + type.getSimpleName()));
		}

	}

	/**
	 * A bundle that has at each moment what its files had when they were read last.
	 *
	 * @param current the bundle as it is now
	 * @param live its managers, into which those of now are swapped
	 * @param made is told each context that is made
	 */
	private record LiveBundle(Supplier<SslBundle> current, Managers live,
			Consumer<SSLContext> made) implements SslBundle, SslManagerBundle {

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
			return new KeyManager[] { this.live.keys() };
		}

		@Override
		public TrustManager[] getTrustManagers() {
			return new TrustManager[] { this.live.trust() };
		}

		@Override
		public SSLContext createSslContext(String protocol) {
			SSLContext context = SslManagerBundle.super.createSslContext(protocol);
			this.made.accept(context);
			return context;
		}

	}

}
