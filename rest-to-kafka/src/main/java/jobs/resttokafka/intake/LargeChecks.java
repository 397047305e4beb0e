package jobs.resttokafka.intake;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import jobs.chassis.operations.SettingException;
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
 * <p>
 * Measured with documents of 2 MB in ever smaller heaps, a check that fails holds 12
 * times the size of an array of order lines, and 31 to 34 times that of an array of
 * objects with at most one field.
 */
@Component
class LargeChecks {

	/** Documents above SMALL_DOCUMENT_BYTES being checked; beyond: wait. */
	private static final int LARGE_CHECKS = 4;

	/** The same of one of several resources; beyond: wait. */
	private static final int LARGE_CHECKS_OF_ONE = 2;

	/**
	 * Bytes of the heap for each byte of a large document being checked, which gets up to
	 * half of the heap; beyond: wait.
	 */
	private static final int HEAP_OF_A_BYTE = 30;

	/** Bytes of large documents being checked, also where half of the heap is less. */
	static final int LEAST_CHECKED_BYTES = 1024 * 1024;

	private final Room all;

	/** That of each resource within the room of all. */
	private final Map<String, Room> shares;

	private final long waitNanos;

	/** Throws SettingException where the heap is too small for a document. */
	LargeChecks(Resources resources, RestToKafkaProperties properties) {
		long heap = Runtime.getRuntime().maxMemory();
		resources.all().forEach((resource) -> requireHeap(resource, heap));
		int bytes = bytes(heap);
		boolean areSeveral = resources.areSeveral();
		this.all = new Room(LARGE_CHECKS, bytes);
		this.shares = resources.names()
			.stream()
			.collect(Collectors.toUnmodifiableMap((name) -> name,
					(_) -> areSeveral ? new Room(LARGE_CHECKS_OF_ONE, bytes / 2) : new Room(LARGE_CHECKS, bytes)));
		this.waitNanos = properties.publishTimeout().toNanos();
	}

	/** Throws SettingException where one document takes more than half of the heap. */
	static void requireHeap(Resource resource, long heap) {
		if (resource.maxSize() > bytesIn(heap)) {
			throw new SettingException(("The max-size of '%s' is %d bytes: to check such a document takes some %d times"
					+ " as much, more than half of the heap of %d bytes. Give Java a larger heap, or make max-size"
					+ " at most %d bytes")
				.formatted(resource.name(), resource.maxSize(), HEAP_OF_A_BYTE, heap, bytesIn(heap)));
		}
	}

	/** The bytes of all large documents being checked. */
	static int bytes(long heap) {
		return Math.toIntExact(Math.clamp(bytesIn(heap), LEAST_CHECKED_BYTES, Integer.MAX_VALUE));
	}

	private static long bytesIn(long heap) {
		return heap / 2 / HEAP_OF_A_BYTE;
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
