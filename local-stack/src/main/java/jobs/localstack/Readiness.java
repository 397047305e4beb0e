package jobs.localstack;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import org.jspecify.annotations.Nullable;

/**
 * Asks services of this machine whether they are ready.
 */
public final class Readiness {

	private final HttpClient http;

	private final String scheme;

	/** Asks over HTTP. */
	public Readiness() {
		this(false);
	}

	/**
	 * Asks over HTTP or TLS.
	 * @param tls whether the services speak TLS. Whose certificate they show is not
	 * looked at, since nothing secret is said.
	 */
	public Readiness(boolean tls) {
		HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1));
		this.http = (tls ? client.sslContext(new TrustAll().context()) : client).build();
		this.scheme = tls ? "https" : "http";
	}

	/**
	 * Asks a service.
	 * @param port where it serves
	 * @return whether it says so within 5 s
	 */
	public boolean isAt(int port) {
		return read(port, "/actuator/health/readiness") != null;
	}

	/** What a service answers to a GET within 5 s, or {@code null} where it refuses. */
	public @Nullable String read(int port, String path) {
		try {
			HttpResponse<String> answer = this.http
				.send(HttpRequest.newBuilder(URI.create("%s://127.0.0.1:%d%s".formatted(this.scheme, port, path)))
					.timeout(Duration.ofSeconds(5))
					.build(), BodyHandlers.ofString());
			return (answer.statusCode() == 200) ? answer.body() : null;
		}
		catch (IOException ex) {
			return null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	/** Takes whatever certificate is shown. */
	private static final class TrustAll extends X509ExtendedTrustManager {

		SSLContext context() {
			try {
				SSLContext context = SSLContext.getInstance("TLS");
				context.init(null, new TrustManager[] { this }, null);
				return context;
			}
			catch (GeneralSecurityException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
			// all
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
			// all
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
			// all
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
			// all
		}

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String type) {
			// all
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String type) {
			// all
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return new X509Certificate[0];
		}

	}

}
