package jobs.chassis.tls;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

import jobs.testkit.Authority;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A client whose context was made once, and a server that asks for its certificate. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveBundlesTests {

	private final Authority ours = new Authority("ours");

	private final Authority other = new Authority("other");

	private final LiveBundles bundles = new LiveBundles();

	@TempDir
	private Path folder;

	private SSLContext client;

	private SSLServerSocket server;

	@BeforeEach
	void start() throws Exception {
		this.bundles.registerBundle("kafka", bundle(this.ours, this.ours));
		this.client = this.bundles.getBundle("kafka").createSslContext();
		this.server = (SSLServerSocket) this.ours.client("server").getServerSocketFactory().createServerSocket(0);
		this.server.setNeedClientAuth(true);
		Thread.startVirtualThread(this::serve);
	}

	@AfterEach
	void stop() throws IOException {
		this.server.close();
	}

	@Test
	void connectsWithWhatItHasAtTheStart() {
		assertThat(connects()).isTrue();
	}

	/** The session of before is none to be resumed. */
	@Test
	void trustsAnAuthorityNoLongerThatIsWithdrawn() throws Exception {
		assertThat(connects()).isTrue();

		this.bundles.updateBundle("kafka", bundle(this.ours, this.other));

		assertThat(connects()).isFalse();
	}

	@Test
	void showsTheNewCertificate() throws Exception {
		this.bundles.updateBundle("kafka", bundle(this.other, this.ours));
		assertThat(connects()).isFalse();

		this.bundles.updateBundle("kafka", bundle(this.ours, this.ours));
		assertThat(connects()).isTrue();
	}

	@Test
	void staysAsItWasWhereTheFilesCanNotBeUsed() throws Exception {
		SslBundle broken = SslBundle.of(new PemSslStoreBundle(null, PemSslStoreDetails.forCertificate("nonsense")));

		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.bundles.updateBundle("kafka", broken));
		assertThat(connects()).isTrue();
	}

	@Test
	void knowsNoBundleThatNoSettingNames() {
		assertThatExceptionOfType(NoSuchSslBundleException.class).isThrownBy(() -> this.bundles.getBundle("mongo"));
	}

	private SslBundle bundle(Authority issuer, Authority trusted) throws IOException {
		issuer.issue(this.folder, "client");
		trusted.trust(this.folder.resolve("trust.crt"));
		String place = this.folder.toUri().toString();
		return SslBundle.of(new PemSslStoreBundle(
				PemSslStoreDetails.forCertificate(place + "client.crt").withPrivateKey(place + "client.key"),
				PemSslStoreDetails.forCertificate(place + "trust.crt")));
	}

	/** Whether both took each other: a byte goes there and back. */
	private boolean connects() {
		try (SSLSocket socket = (SSLSocket) this.client.getSocketFactory()
			.createSocket("localhost", this.server.getLocalPort())) {
			socket.setSoTimeout(10_000);
			socket.getOutputStream().write(1);
			return socket.getInputStream().read() == 1;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private void serve() {
		while (!this.server.isClosed()) {
			try (Socket socket = this.server.accept()) {
				socket.getOutputStream().write(socket.getInputStream().read());
			}
			catch (IOException ex) {
				// a client that was refused, or the end
			}
		}
	}

}
