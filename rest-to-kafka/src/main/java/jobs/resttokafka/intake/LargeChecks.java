package jobs.resttokafka.intake;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import jobs.contract.resources.CheckBudget;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.RestToKafkaProperties;

import org.springframework.stereotype.Component;

/**
 * Bounds the large documents that are checked at once, by their number and their bytes.
 * One of several resources gets half of both, so that slow checks of its documents do not
 * shut out those of others.
 */
@Component
class LargeChecks {

	/** Documents above SMALL_DOCUMENT_BYTES being checked; beyond: wait. */
	private static final int LARGE_CHECKS = 4;

	/** The same of one of several resources; beyond: wait. */
	private static final int LARGE_CHECKS_OF_ONE = 2;

	private final Room all;

	/** That of each resource within the room of all. */
	private final Map<String, Room> shares;

	private final long waitNanos;

	LargeChecks(Resources resources, RestToKafkaProperties properties) {
		int bytes = CheckBudget.bytes(Runtime.getRuntime().maxMemory());
		boolean areSeveral = resources.areSeveral();
		this.all = new Room(LARGE_CHECKS, bytes);
		this.shares = resources.names()
			.stream()
			.collect(Collectors.toUnmodifiableMap((name) -> name,
					(_) -> areSeveral ? new Room(LARGE_CHECKS_OF_ONE, bytes / 2) : new Room(LARGE_CHECKS, bytes)));
		this.waitNanos = properties.publishTimeout().toNanos();
	}

	/**
	 * Takes a place for a document of a resource, of so many bytes. Throws
	 * RefusedException where it has waited for {@code publish-timeout} and there is no
	 * room.
	 */
	Place take(Resource resource, int bytes) {
		Room share = Objects.requireNonNull(this.shares.get(resource.name()));
		long end = System.nanoTime() + this.waitNanos;
		if (share.take(bytes, end)) {
			if (this.all.take(bytes, end)) {
				return () -> {
					this.all.giveBack(bytes);
					share.giveBack(bytes);
				};
			}
			share.giveBack(bytes);
		}
		throw new RefusedException(Reason.NO_ROOM, "Too many large %ss are checked at once".formatted(resource.noun()));
	}

	/**
	 * Room for checks, of all resources or of one. It goes to the check that waits
	 * longest, so that no resource overtakes another.
	 */
	private static final class Room {

		private final Semaphore places;

		private final Semaphore bytes;

		private final int size;

		private Room(int places, int bytes) {
			this.places = new Semaphore(places, true);
			this.bytes = new Semaphore(bytes, true);
			this.size = bytes;
		}

		/**
		 * Takes a place and bytes before a time, or nothing, and returns whether it did.
		 */
		boolean take(int documentBytes, long end) {
			if (!take(this.places, 1, end)) {
				return false;
			}
			if (take(this.bytes, share(documentBytes), end)) {
				return true;
			}
			this.places.release();
			return false;
		}

		private static boolean take(Semaphore from, int permits, long end) {
			try {
				return from.tryAcquire(permits, end - System.nanoTime(), TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
		}

		void giveBack(int documentBytes) {
			this.bytes.release(share(documentBytes));
			this.places.release();
		}

		/** A document larger than the room takes all of it. */
		private int share(int documentBytes) {
			return Math.min(documentBytes, this.size);
		}

	}

	/** A place that was taken; {@link #close} gives it back. */
	@FunctionalInterface
	interface Place extends AutoCloseable {

		@Override
		void close();

	}

}
