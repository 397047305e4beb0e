package jobs.endtoend.chaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

import javax.net.ssl.SSLContext;

import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Issuer;
import jobs.endtoend.rights.KafkaLock;
import jobs.endtoend.rights.MongoLock;
import jobs.testkit.Authority;

/**
 * Everything that an installation can ask for: TLS everywhere, keys, tokens, logins at
 * Kafka and MongoDB, and the least rights there. Two authorities are trusted, and
 * certificates are of one of them.
 */
final class Locks implements AutoCloseable {

	private static final String OPERATOR = "jobs_operator";

	private static final String WATCHER = "jobs_watcher";

	final Issuer issuer = new Issuer();

	private final Path folder;

	private final Authority first = new Authority("first");

	private final Authority second = new Authority("second");

	private boolean isSecond;

	/** Puts certificates and keys into a folder of their own. */
	Locks(Path folder) throws IOException {
		this.folder = Files.createDirectories(folder);
		this.first.trust(folder.resolve("trust.crt"), this.second);
		this.first.issue(folder, "server");
		Files.writeString(folder.resolve("keys.ndjson"), """
				{"name":"operator","sha256":"%s","roles":["dead-letters:read","dead-letters:operate"]}
				{"name":"watcher","sha256":"%s","roles":["operations:read"]}
				""".formatted(sha256(OPERATOR), sha256(WATCHER)));
	}

	private static String sha256(String key) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8)));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	SSLContext tls() {
		return Authority.trusting(this.first, this.second);
	}

	/** How whoever sends jobs gets in: by a token. */
	Access driver() {
		return new Access("driver", () -> this.issuer.token("jobs:write"), tls(), this.folder.resolve("trust.crt"));
	}

	/** How the operator gets in: by a key. */
	Access operator() {
		return new Access("operator", () -> OPERATOR, tls(), this.folder.resolve("trust.crt"));
	}

	/** How whoever looks gets in: by a key. */
	Access watcher() {
		return new Access("watcher", () -> WATCHER, tls(), this.folder.resolve("trust.crt"));
	}

	/** The settings of a service beside its ports and topics. */
	Map<String, String> settings(String service, String kafka, int mongo) {
		Map<String, String> settings = new HashMap<>(KafkaLock.service(this.folder, kafka, service));
		if (service.equals("kafka-to-mongo")) {
			settings.putAll(MongoLock.service(this.folder, mongo));
		}
		settings.put("SERVER_SSL_BUNDLE", "http");
		settings.put("SPRING_SSL_BUNDLE_PEM_HTTP_KEYSTORE_CERTIFICATE", this.folder.resolve("server.crt").toString());
		settings.put("SPRING_SSL_BUNDLE_PEM_HTTP_KEYSTORE_PRIVATE_KEY", this.folder.resolve("server.key").toString());
		settings.put("JOBS_SECURITY_ENABLED", "true");
		settings.put("JOBS_SECURITY_KEYS_FILE", this.folder.resolve("keys.ndjson").toString());
		settings.put("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUER_URI", this.issuer.uri());
		settings.put("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_AUDIENCES", "jobs");
		return settings;
	}

	/**
	 * Puts a certificate of the other authority in the place of the one that is there.
	 */
	void replaceCertificate() throws IOException {
		this.isSecond = !this.isSecond;
		(this.isSecond ? this.second : this.first).issue(this.folder, "server");
	}

	@Override
	public void close() {
		this.issuer.close();
	}

}
