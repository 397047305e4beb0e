package jobs.chassis.tls;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.WeakHashMap;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslManagerBundle;

/**
 * Spring's bundles, each of which has the files as they are now. Boot renews Tomcat's
 * alone: the clients of Kafka and MongoDB would go on with what they had at the start.
 */
final class LiveBundles extends DefaultSslBundleRegistry {

	private static final Logger logger = LoggerFactory.getLogger(LiveBundles.class);

	/** What clients connect by; whatever none uses any more goes by itself. */
	private final Set<SSLContext> contexts = Collections
		.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	@Override
	public void registerBundle(String name, SslBundle bundle) {
		super.registerBundle(name, loaded(bundle));
		addBundleUpdateHandler(name, (updated) -> renewed(name));
	}

	/**
	 * Leaves all as it was where the files can't be used: an exception is thrown then.
	 */
	@Override
	public void updateBundle(String name, SslBundle updated) {
		super.updateBundle(name, loaded(updated));
	}

	/** What the bundle's own managers would read from its stores at each handshake. */
	private static SslBundle loaded(SslBundle bundle) {
		SslManagerBundle managers = bundle.getManagers();
		return SslBundle.of(bundle.getStores(), bundle.getKey(), bundle.getOptions(), bundle.getProtocol(),
				SslManagerBundle.of(managers.getKeyManagerFactory(), managers.getTrustManagerFactory()));
	}

	/** Throws NoSuchSslBundleException for a name that no setting has. */
	@Override
	public SslBundle getBundle(String name) {
		super.getBundle(name);
		return new LiveBundle(() -> super.getBundle(name), this.contexts::add);
	}

	/** A session that is resumed would not ask whom to trust. */
	private void renewed(String name) {
		logger.atInfo().addKeyValue("bundle", name).log("The certificates of a TLS bundle were read again");
		Set<SSLContext> all;
		synchronized (this.contexts) {
			all = new HashSet<>(this.contexts);
		}
		all.forEach((context) -> forget(context.getClientSessionContext()));
	}

	private static void forget(SSLSessionContext sessions) {
		for (byte[] id : Collections.list(sessions.getIds())) {
			SSLSession session = sessions.getSession(id);
			if (session != null) {
				session.invalidate();
			}
		}
	}

}
