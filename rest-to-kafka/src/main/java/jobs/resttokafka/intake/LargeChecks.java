package jobs.resttokafka.intake;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.RestToKafkaProperties;

import org.springframework.stereotype.Component;

/**
 * Bounds the large documents that are checked at once. One of several resources gets half
 * of the places, so that slow checks of its documents do not shut out those of others.
 */
@Component
class LargeChecks {

	/**
	 * Documents above SMALL_DOCUMENT_BYTES being checked, which takes some thirty times
	 * their size; beyond: wait.
	 */
	private static final int LARGE_CHECKS = 4;

	/** The same of one of several resources; beyond: wait. */
	private static final int LARGE_CHECKS_OF_ONE = 2;

	/** Gives a place to whoever waits longest, so that no resource overtakes another. */
	private final Semaphore places = new Semaphore(LARGE_CHECKS, true);

	private final Map<String, Semaphore> shares;

	private final long waitNanos;

	LargeChecks(Resources resources, RestToKafkaProperties properties) {
		int share = (resources.all().size() > 1) ? LARGE_CHECKS_OF_ONE : LARGE_CHECKS;
		this.shares = resources.names()
			.stream()
			.collect(Collectors.toUnmodifiableMap((name) -> name, (_) -> new Semaphore(share, true)));
		this.waitNanos = properties.publishTimeout().toNanos();
	}

	/**
	 * Takes a place for a document of a resource. Throws RefusedException where it has
	 * waited for {@code publish-timeout} and none is free.
	 */
	Place take(Resource resource) {
		Semaphore share = Objects.requireNonNull(this.shares.get(resource.name()));
		long end = System.nanoTime() + this.waitNanos;
		await(share, end, resource);
		try {
			await(this.places, end, resource);
		}
		catch (RefusedException ex) {
			share.release();
			throw ex;
		}
		return () -> {
			this.places.release();
			share.release();
		};
	}

	private static void await(Semaphore places, long end, Resource resource) {
		try {
			if (places.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
				return;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		throw new RefusedException(Reason.NO_ROOM, "Too many large %ss are checked at once".formatted(resource.noun()));
	}

	/** A place that was taken; {@link #close} gives it back. */
	@FunctionalInterface
	interface Place extends AutoCloseable {

		@Override
		void close();

	}

}
