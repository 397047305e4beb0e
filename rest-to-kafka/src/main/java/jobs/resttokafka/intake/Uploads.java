package jobs.resttokafka.intake;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import jobs.chassis.access.RateLimit;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.publish.DocumentIds;
import jobs.resttokafka.publish.Origin;
import org.jspecify.annotations.Nullable;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Runs uploads, bounds their number, and ends them when this service stops. One of
 * several resources gets half of the places.
 */
@Component
public class Uploads {

	/**
	 * Uploads in service, half of all requests since they may go on for ever; beyond:
	 * wait.
	 */
	static final int UPLOADS = 250;

	/** Uploads that wait for a place among UPLOADS; beyond: 503. */
	private static final int WAITING_UPLOADS = 100;

	/** UPLOADS of one of several resources; beyond: wait. */
	static final int UPLOADS_OF_ONE = 125;

	/** WAITING_UPLOADS of one of several resources; beyond: 503. */
	private static final int WAITING_UPLOADS_OF_ONE = 50;

	/** Wait for a place among UPLOADS; beyond: 503. */
	private static final Duration PLACE_WAIT = Duration.ofSeconds(2);

	/**
	 * Wide uploads, which have many lines pending, of some half a megabyte each; beyond:
	 * few lines.
	 */
	static final int WIDE_UPLOADS = 16;

	/** Lines without an outcome of a wide upload, so that it seldom waits for Kafka. */
	private static final int PENDING_LINES_WIDE = 1024;

	/** Lines without an outcome of any other upload, and errors of its bad lines. */
	private static final int PENDING_LINES = 256;

	private final Places places = new Places(UPLOADS, WAITING_UPLOADS);

	/** Those of each resource among them. */
	private final Map<String, Places> shares;

	private final Semaphore widePlaces = new Semaphore(WIDE_UPLOADS);

	private final DocumentIntake intake;

	private final DocumentIds ids;

	private volatile boolean stopping;

	Uploads(Resources resources, DocumentIntake intake, DocumentIds ids) {
		boolean areSeveral = resources.areSeveral();
		this.shares = resources.names()
			.stream()
			.collect(Collectors.toUnmodifiableMap((name) -> name, (_) -> areSeveral
					? new Places(UPLOADS_OF_ONE, WAITING_UPLOADS_OF_ONE) : new Places(UPLOADS, WAITING_UPLOADS)));
		this.intake = intake;
		this.ids = ids;
	}

	@EventListener(ContextClosedEvent.class)
	void stop() {
		this.stopping = true;
	}

	/**
	 * Runs an upload, which may have an {@code Idempotency-Key}, to its end, with the
	 * errors of {@link Upload#run}; throws RefusedException also where there are too many
	 * uploads and none of them is slow. It ends once its key or token is no longer
	 * enough. Faster than its rate limit, it is slowed down.
	 */
	public void run(RequestBody body, OutcomeWriter outcomes, @Nullable String key, Origin origin,
			BooleanSupplier isStillAllowed, RateLimit rateLimit) throws IOException {
		Places share = Objects.requireNonNull(this.shares.get(body.resource().name()));
		takePlace(share);
		boolean isWide = this.widePlaces.tryAcquire();
		int maxPending = isWide ? PENDING_LINES_WIDE : PENDING_LINES;
		BooleanSupplier placeIsWanted = () -> share.isWanted() || this.places.isWanted();
		try {
			Terms terms = new Terms(() -> this.stopping, isStillAllowed, placeIsWanted, rateLimit, maxPending,
					key != null);
			new Upload(body, outcomes, this.intake, terms).run((line) -> this.ids.forLine(body.resource(), key, line),
					origin);
		}
		finally {
			this.widePlaces.release(isWide ? 1 : 0);
			this.places.release();
			share.release();
		}
	}

	/** Takes one of a resource's places, and one of all. */
	private void takePlace(Places share) {
		long end = System.nanoTime() + PLACE_WAIT.toNanos();
		if (share.take(end)) {
			if (this.places.take(end)) {
				return;
			}
			share.release();
		}
		throw new RefusedException(Reason.NO_ROOM, "Too many uploads at once");
	}

	/** Places for uploads, and those that wait for one. */
	private static final class Places {

		private final Semaphore free;

		private final int mostWaiting;

		/**
		 * One for each upload that waits for a place; a slow upload that takes it ends.
		 */
		private final Queue<Object> claims = new ConcurrentLinkedQueue<>();

		private Places(int uploads, int mostWaiting) {
			this.free = new Semaphore(uploads, true);
			this.mostWaiting = mostWaiting;
		}

		/** Takes a place before a time, and returns whether it did. */
		boolean take(long end) {
			Object claim = new Object();
			try {
				if (this.free.tryAcquire(0, TimeUnit.SECONDS)) {
					return true;
				}
				this.claims.add(claim);
				// who waits takes a place of single documents
				return this.free.getQueueLength() < this.mostWaiting
						&& this.free.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
			finally {
				this.claims.remove(claim);
			}
		}

		/** Whether an upload waits for a place, which the caller now has to leave. */
		boolean isWanted() {
			return this.claims.poll() != null;
		}

		void release() {
			this.free.release();
		}

	}

	/**
	 * The conditions under which an upload runs.
	 *
	 * @param stopping whether this service stops
	 * @param isStillAllowed whether its key or token is still enough
	 * @param placeIsWanted whether another one wants its place
	 * @param rateLimit how much its client may send
	 * @param maxPending the most lines without an outcome
	 * @param hasKey whether it has an {@code Idempotency-Key}
	 */
	record Terms(BooleanSupplier stopping, BooleanSupplier isStillAllowed, BooleanSupplier placeIsWanted,
			RateLimit rateLimit, int maxPending, boolean hasKey) {

		boolean haveEnded() {
			return this.stopping.getAsBoolean() || !this.isStillAllowed.getAsBoolean();
		}

		/** Throws RefusedException where the upload has to end. */
		void requireToGoOn() {
			if (this.stopping.getAsBoolean()) {
				throw RefusedException.stopped("Stopping");
			}
			if (!this.isStillAllowed.getAsBoolean()) {
				throw new RefusedException(Reason.NO_LONGER_ALLOWED,
						"The key or token has ended, was revoked, or has lost its role");
			}
		}

	}

	/**
	 * Tells a client the outcome of each line of its upload, in the order of the lines.
	 * Its methods throw IOException when the client is gone.
	 */
	public interface OutcomeWriter {

		/** Tells that Kafka has the document of a line; lines count from 1. */
		void accepted(long line, String id) throws IOException;

		/** Tells why a line was not accepted. */
		void refused(long line, RefusedException refusal) throws IOException;

		/** Ends what is told, unless the upload is refused as a whole. */
		void end() throws IOException;

		/** Sends what was told so far. */
		void flush() throws IOException;

		/**
		 * Whether the client has been sent something, after which the upload can't be
		 * refused as a whole.
		 */
		boolean isCommitted();

	}

}
