package jobs.resttokafka.publish;

import java.util.UUID;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.NameBasedGenerator;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Makes the one id that a job keeps from HTTP to MongoDB.
 * <p>
 * Without an {@code Idempotency-Key} it is a UUIDv7 (RFC 9562), which grows with time.
 * With one it is a name-based UUIDv5 of the key, so that a repeated request meets the
 * same document; in an upload, of the key and the line's number.
 */
@Component
public class JobIds {

	private static final UUID NAMESPACE = UUID.fromString("6f6a1cf7-6a3b-5d4e-9a57-6a6f62732d31");

	private final TimeBasedEpochGenerator byTime = Generators.timeBasedEpochGenerator();

	private final NameBasedGenerator byName = Generators.nameBasedGenerator(NAMESPACE);

	/**
	 * Makes the id of a single job.
	 * @param key the {@code Idempotency-Key}, if the request has one
	 * @return the id
	 */
	public String forRequest(@Nullable String key) {
		return ((key != null) ? this.byName.generate(key) : this.byTime.generate()).toString();
	}

	/**
	 * Makes the id of a line of an upload.
	 * @param key the {@code Idempotency-Key} of the upload, if it has one
	 * @param line the number of the line, from 1
	 * @return the id
	 */
	public String forLine(@Nullable String key, long line) {
		// no key holds a line feed: that of a single job can't read like this
		return forRequest((key != null) ? key + "\n" + line : null);
	}

}
