package jobs.kafkatomongo.query;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletRequest;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.http.Bulkhead;
import jobs.kafkatomongo.http.Bulkhead.NoPlaceException;
import jobs.kafkatomongo.http.EndsWaits;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Waits for documents that are not stored yet, as {@code Prefer: wait} asks (RFC 7240).
 */
@Component
class DocumentWait implements EndsWaits {

	private static final Pattern PREFERENCE = Pattern
		.compile("(?:^|[,;]\\s*)wait\\s*=\\s*(\\d{1,9})(?=\\s*(?:[,;]|$))");

	private static final Duration POLL = Duration.ofMillis(50);

	/** One in this many looks for a document also looks for its dead letter. */
	private static final int HOPE = 10;

	private final Bulkhead places;

	/** Takes a place of the resource, so that one leaves places to the others. */
	private final Supplier<Bulkhead.Taken> share;

	private final StoredDocuments documents;

	private final MissingDocuments missing;

	private final Duration maxWait;

	private volatile boolean stopping;

	DocumentWait(StoredDocuments documents, MissingDocuments missing, KafkaToMongoProperties properties,
			Resource resource, Resources resources, Bulkhead waiting, Bulkhead waitingOfResources) {
		this.documents = documents;
		this.missing = missing;
		this.maxWait = properties.maxWait();
		this.places = waiting;
		this.share = resources.areSeveral() ? () -> waitingOfResources.takeAtOnce(resource.name()) : () -> () -> {
		};
	}

	@Override
	public void endWaits() {
		this.stopping = true;
	}

	/** The wait that a header {@code Prefer} is granted, at most {@code max-wait}. */
	Duration granted(String prefer) {
		Matcher wait = PREFERENCE.matcher(prefer);
		Duration asked = wait.find() ? Duration.ofSeconds(Long.parseLong(wait.group(1))) : Duration.ZERO;
		return (asked.compareTo(this.maxWait) < 0) ? asked : this.maxWait;
	}

	/**
	 * Waits for a document, in this version or a higher one, for {@code limit} at most,
	 * and returns whether it is stored by then. Without a version it also ends at a dead
	 * letter beside which no other record waits. With too many waiting requests, of all,
	 * of this resource or of this client, or while this service stops, it does not wait.
	 */
	boolean await(String id, @Nullable Long version, Duration limit, HttpServletRequest request)
			throws InterruptedException {
		// a look takes one of the connections that documents are stored with
		try (Bulkhead.Taken _ = this.share.get(); Bulkhead.Taken _ = this.places.takeAtOnce(request)) {
			long asked = System.nanoTime();
			boolean stored = this.documents.isStored(id, version);
			long start = System.nanoTime();
			for (int i = 0; !stored && !this.stopping && System.nanoTime() - start < limit.toNanos(); i++) {
				if (version == null && i % HOPE == 0 && this.missing.isHopeless(id, asked)) {
					return true;
				}
				Thread.sleep(POLL);
				stored = this.documents.isStored(id, version);
			}
			return stored;
		}
		catch (NoPlaceException ex) {
			return false;
		}
	}

}
