package jobs.crawler.frontier;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

import com.carrotsearch.hppc.LongHashSet;

/**
 * Which URLs are known, in some 16 bytes of memory each: a look at the disk for each link
 * would cost more than the pages. Each has the first 64 bits of its SHA-256, so of a
 * million URLs one is taken for another one in one of 37 million crawls.
 */
final class Fingerprints {

	private final LongHashSet known = new LongHashSet();

	private final MessageDigest digest;

	Fingerprints() {
		try {
			this.digest = MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Adds a URL, and returns whether it was not known. */
	boolean add(String url) {
		return this.known.add(of(url));
	}

	/** Whether a URL is known. */
	boolean contains(String url) {
		return this.known.contains(of(url));
	}

	/** Forgets a URL. */
	void remove(String url) {
		this.known.removeAll(of(url));
	}

	private long of(String url) {
		return ByteBuffer.wrap(this.digest.digest(url.getBytes(StandardCharsets.UTF_8))).getLong();
	}

}
