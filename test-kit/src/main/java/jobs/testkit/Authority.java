package jobs.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import org.jspecify.annotations.Nullable;

/**
 * An authority that issues certificates for this machine, as files that services take.
 */
public final class Authority {

	private static final char[] NO_PASSWORD = {};

	private static final Duration LIFETIME = Duration.ofDays(2);

	private final X509Bundle root;

	/**
	 * Makes an authority.
	 * @param name its name
	 */
	public Authority(String name) {
		this.root = made(() -> new CertificateBuilder().ecp256()
			.subject("CN=" + name)
			.setIsCertificateAuthority(true)
			.buildSelfSigned());
	}

	private X509Bundle issue(String name) {
		return issue(name, LIFETIME);
	}

	private X509Bundle issue(String name, Duration lifetime) {
		return made(() -> new CertificateBuilder().ecp256()
			.subject("CN=" + name)
			.notAfter(Instant.now().plus(lifetime))
			.addSanDnsName("localhost")
			.addSanIpAddress(InetAddress.getByAddress(new byte[] { 127, 0, 0, 1 }))
			.buildIssuedBy(this.root));
	}

	/**
	 * Issues a certificate for localhost, in the place of one that is there.
	 * @param folder where it is written as NAME.crt, its key as NAME.key, and both in
	 * NAME.pem
	 * @param name what its subject is named
	 */
	public void issue(Path folder, String name) throws IOException {
		X509Bundle issued = issue(name);
		replace(folder.resolve(name + ".key"), issued.getPrivateKeyPEM());
		replace(folder.resolve(name + ".crt"), issued.getCertificatePEM());
		replace(folder.resolve(name + ".pem"), issued.getPrivateKeyPEM() + issued.getCertificatePEM());
	}

	/**
	 * Writes whom to trust: this authority, and others beside it.
	 * @param file in the place of which it is written
	 * @param others more authorities
	 */
	public void trust(Path file, Authority... others) throws IOException {
		StringBuilder all = new StringBuilder(this.root.getCertificatePEM());
		for (Authority other : others) {
			all.append(other.root.getCertificatePEM());
		}
		replace(file, all.toString());
	}

	/** Whoever reads the file finds all of it, before or after. */
	private static void replace(Path file, String text) throws IOException {
		Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), text);
		Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
	}

	/**
	 * What a client connects with that trusts this authority alone.
	 * @param name of its certificate, or {@code null} for none
	 * @return the context
	 */
	public SSLContext client(@Nullable String name) {
		return client(name, this);
	}

	/**
	 * What a client connects with that trusts this authority alone.
	 * @param name of its certificate, or {@code null} for none
	 * @param issuer who has issued that one
	 * @return the context
	 */
	public SSLContext client(@Nullable String name, Authority issuer) {
		return context((name != null) ? issuer.issue(name) : null, this);
	}

	/**
	 * What a client connects with whose certificate will have expired.
	 * @param name of its certificate
	 * @param lifetime of that, at least a second
	 * @return the context
	 */
	public SSLContext clientFor(String name, Duration lifetime) {
		return context(issue(name, lifetime), this);
	}

	/**
	 * What a client without a certificate connects with.
	 * @param authorities whom it trusts
	 * @return the context
	 */
	public static SSLContext trusting(Authority... authorities) {
		return context(null, authorities);
	}

	private static SSLContext context(@Nullable X509Bundle certificate, Authority... trusted) {
		return made(() -> {
			KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
			KeyStore none = null;
			keys.init((certificate != null) ? certificate.toKeyStore(NO_PASSWORD) : none, NO_PASSWORD);
			KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
			store.load(null, null);
			for (int i = 0; i < trusted.length; i++) {
				store.setCertificateEntry("authority-" + i, trusted[i].root.getCertificate());
			}
			TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			trust.init(store);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
			return context;
		});
	}

	private static <T> T made(Maker<T> maker) {
		try {
			return maker.make();
		}
		catch (Exception ex) {
			throw new IllegalStateException("A certificate can't be made", ex);
		}
	}

	private interface Maker<T> {

		T make() throws Exception;

	}

}
