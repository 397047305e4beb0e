package jobs.endtoend.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;

import javax.net.ssl.SSLContext;

import jobs.endtoend.pair.Access;
import jobs.endtoend.rights.KafkaLock;
import jobs.endtoend.rights.MongoLock;
import jobs.testkit.Authority;
import jobs.testkit.Issuer;
import jobs.testkit.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * Everything that an installation can ask for: TLS everywhere, keys, tokens, logins at
 * Kafka and MongoDB, and the least rights there. Two authorities are trusted, and
 * certificates are of one of them.
 */
final class Locks implements AutoCloseable {

	private static final String OPERATOR = "jobs_operator";

	private static final String WATCHER = "jobs_watcher";

	/** How long a token holds, and for how long each is used. */
	private static final Duration TOKEN_LIFE = Duration.ofSeconds(60);

	private static final Duration TOKEN_USE = Duration.ofSeconds(20);

	final Issuer issuer = new Issuer();

	private final Path folder;

	private final Authority first = new Authority("first");

	private final Authority second = new Authority("second");

	private boolean isSecond;

	private volatile @Nullable Token token;

	/** Puts certificates and keys into a folder of their own. */
	Locks(Path folder) throws IOException {
		this.folder = Files.createDirectories(folder);
		this.first.trust(folder.resolve("trust.crt"), this.second);
		this.first.issue(folder, "server");
		Files.writeString(folder.resolve("keys.ndjson"), """
				{"name":"operator","sha256":"%s","roles":["dead-letters:read","dead-letters:operate"]}
				{"name":"watcher","sha256":"%s","roles":["operations:read"]}
				""".formatted(Sha256.of(OPERATOR), Sha256.of(WATCHER)));
	}

	SSLContext tls() {
		return Authority.trusting(this.first, this.second);
	}

	/** How whoever sends jobs gets in: by a token. */
	Access driver() {
		return new Access("driver", this::token, tls(), this.folder.resolve("trust.crt"));
	}

	/** A token that holds now, made without asking the issuer, and used for a while. */
	private String token() {
		Instant now = Instant.now();
		Token last = this.token;
		if (last == null || now.isAfter(last.since().plus(TOKEN_USE))) {
			last = new Token(this.issuer.token("jobs:write",
					(claims) -> claims.subject("driver").expirationTime(Date.from(now.plus(TOKEN_LIFE)))), now);
			this.token = last;
		}
		return last.text();
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
		settings.put("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUER_URI", this.issuer.uri().toString());
		settings.put("SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_AUDIENCES", Issuer.AUDIENCE);
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

	private record Token(String text, Instant since) {
	}

}
