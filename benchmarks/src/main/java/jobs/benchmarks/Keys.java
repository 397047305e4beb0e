package jobs.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Record keys as long as the services', all different and increasing with time like
 * theirs, so that the database's index grows in the same way.
 */
final class Keys {

	private static final AtomicLong NEXT = new AtomicLong(System.currentTimeMillis() << 22);

	private static final long PROCESS = UUID.randomUUID().getLeastSignificantBits();

	private Keys() {
	}

	static byte[] next() {
		return new UUID(NEXT.incrementAndGet(), PROCESS).toString().getBytes(StandardCharsets.ISO_8859_1);
	}

}
