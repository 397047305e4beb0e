package jobs.endtoend.bounds;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Client;
import jobs.endtoend.pair.Footprint;
import jobs.endtoend.pair.Pair;
import jobs.testkit.Issuer;
import jobs.testkit.Sha256;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ten thousand wrong tokens, each of its own, so that none is known from before: whoever
 * has a key, or a token that was verified, is answered beside them, and nothing is left.
 */
@Tag("night")
@EnabledOnOs(OS.LINUX)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WrongTokensTests {

	private static final int WRONG = 10_000;

	private static final int CONNECTIONS = 32;

	private static final String KEY = "jobs_good";

	private static final byte[] JOB = "{\"title\":\"good\"}".getBytes(StandardCharsets.UTF_8);

	private static final Issuer ISSUER = new Issuer();

	@TempDir
	private static Path folder;

	private static Pair pair;

	@BeforeAll
	static void start() throws Exception {
		Path keys = Files.writeString(folder.resolve("keys.ndjson"),
				"{\"name\":\"good\",\"sha256\":\"%s\",\"roles\":[\"jobs:write\"]}".formatted(Sha256.of(KEY)));
		pair = new Pair(Map.of("JOBS_SECURITY_ENABLED", "true", "JOBS_SECURITY_KEYS_FILE", keys.toString(),
				"SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUER_URI", ISSUER.uri().toString(),
				"SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_AUDIENCES", Issuer.AUDIENCE))
			.start();
	}

	@AfterAll
	static void stop() {
		pair.close();
		ISSUER.close();
	}

	@Test
	void letsGoodClientsInBesideThem() throws Exception {
		String token = ISSUER.token("jobs:write", (claims) -> {
		});
		Access byKey = new Access("good", () -> KEY, null, null);
		Access byToken = new Access("driver", () -> token, null, null);
		// the issuer's keys are there, and the token is verified
		Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> post(byKey) == 202 && post(byToken) == 202);
		Footprint before = Footprint.of(pair.restToKafka);
		AtomicLong number = new AtomicLong();
		AtomicBoolean taken = new AtomicBoolean();
		// the same claims with another signature each
		String claims = token.substring(0, token.lastIndexOf('.') + 1);
		Access wrong = new Access("wrong", () -> "%s%0342d".formatted(claims, number.incrementAndGet()), null, null);
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			List<Future<?>> attackers = new ArrayList<>();
			for (int i = 0; i < CONNECTIONS; i++) {
				attackers.add(threads.submit(() -> {
					try (Client client = new Client(pair.port, wrong)) {
						while (number.get() < WRONG) {
							int status = client.post("/jobs", "application/json", null, JOB).status();
							// whether it is wrong is not found out where too many come at
							// once
							taken.compareAndSet(false, status != 401 && status != 503);
						}
					}
				}));
			}
			try (Client key = new Client(pair.port, byKey); Client known = new Client(pair.port, byToken)) {
				do {
					assertThat(key.post("/jobs", "application/json", null, JOB).status()).isEqualTo(202);
					assertThat(known.post("/jobs", "application/json", null, JOB).status()).isEqualTo(202);
				}
				while (number.get() < WRONG);
			}
			for (Future<?> attacker : attackers) {
				attacker.get();
			}
		}
		assertThat(taken).isFalse();
		before.awaitIn(pair.restToKafka);
	}

	private static int post(Access access) {
		try (Client client = new Client(pair.port, access)) {
			return client.post("/jobs", "application/json", null, JOB).status();
		}
	}

}
