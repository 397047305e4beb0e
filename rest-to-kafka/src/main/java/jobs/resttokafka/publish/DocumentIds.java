package jobs.resttokafka.publish;

import java.util.UUID;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.NameBasedGenerator;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import jobs.contract.resources.Resource;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Makes the one id that a document keeps from HTTP to MongoDB, where the document does
 * not bring it.
 * <p>
 * Without an {@code Idempotency-Key} it is a UUIDv7 (RFC 9562), which grows with time.
 * With one it is a UUIDv5 of the key and, in an upload, the line's number: a repeated
 * request meets the same document.
 */
@Component
public class DocumentIds {

	private static final UUID NAMESPACE = UUID.fromString("6f6a1cf7-6a3b-5d4e-9a57-6a6f62732d31");

	private final TimeBasedEpochGenerator byTime = Generators.timeBasedEpochGenerator();

	private final NameBasedGenerator byName = Generators.nameBasedGenerator(NAMESPACE);

	/**
	 * What is known of the id of a document before it is read: the id or, where documents
	 * bring their own, the {@code Idempotency-Key}, which must be that one.
	 */
	public @Nullable String forRequest(Resource resource, @Nullable String key) {
		return resource.hasOwnIds() ? key : forRequest(key);
	}

	/** The same for line 1, 2, ... of an upload. */
	public @Nullable String forLine(Resource resource, @Nullable String key, long line) {
		return resource.hasOwnIds() ? key : forLine(key, line);
	}

	/** The id of a single document, whose request may have an {@code Idempotency-Key}. */
	public String forRequest(@Nullable String key) {
		return ((key != null) ? this.byName.generate(key) : this.byTime.generate()).toString();
	}

	/** The id of line 1, 2, ... of an upload that may have an {@code Idempotency-Key}. */
	public String forLine(@Nullable String key, long line) {
		// no key of a client can contain a line feed, and that of a CloudEvent begins
		// with one, so no single document gets the id of a line
		return forRequest((key != null) ? key + "\n" + line : null);
	}

}
