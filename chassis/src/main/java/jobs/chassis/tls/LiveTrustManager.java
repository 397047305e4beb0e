package jobs.chassis.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts whom the bundle trusts when a connection begins. */
final class LiveTrustManager extends X509ExtendedTrustManager {

	private final Supplier<TrustManager[]> current;

	LiveTrustManager(Supplier<TrustManager[]> current) {
		this.current = current;
	}

	private X509ExtendedTrustManager now() {
		for (TrustManager manager : this.current.get()) {
			if (manager instanceof X509ExtendedTrustManager found) {
				return found;
			}
		}
		throw new IllegalStateException("The bundle has no manager of X.509 trust");
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
		now().checkClientTrusted(chain, type, socket);
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
		now().checkServerTrusted(chain, type, socket);
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
		now().checkClientTrusted(chain, type, engine);
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
		now().checkServerTrusted(chain, type, engine);
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
		now().checkClientTrusted(chain, type);
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
		now().checkServerTrusted(chain, type);
	}

	@Override
	public X509Certificate[] getAcceptedIssuers() {
		return now().getAcceptedIssuers();
	}

}
