package jobs.resttokafka.intake;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RestToKafkaProperties;

import org.springframework.stereotype.Component;

/**
 * Lends the memory that all requests share for documents being read or awaiting Kafka,
 * which is {@code max-in-flight}. A single document is refused at once where there is no
 * room, and a line of an upload waits.
 */
@Component
public class DocumentMemory {

	/**
	 * Bytes of a single document, above which it leaves a quarter of the memory to small
	 * ones.
	 */
	static final int SMALL_DOCUMENT_BYTES = 8192;

	private final int size;

	private final AtomicReference<Lent> lent = new AtomicReference<>(new Lent(0, 0));

	private final AtomicInteger beyond = new AtomicInteger();

	private final Map<String, Share> shares = new HashMap<>();

	DocumentMemory(Resources resources, RestToKafkaProperties properties, MeterRegistry meters) {
		resources.names()
			.forEach((name) -> this.shares.put(name, new Share(resources.areSeveral(), properties.publishTimeout())));
		this.size = Math.toIntExact(properties.maxInFlight().toBytes());
		Gauge.builder("jobs.in.flight", () -> this.size - this.lent.get().free(this.size) + this.beyond.get())
			.baseUnit("bytes")
			.description("Documents that are being read or await Kafka")
			.register(meters);
	}

	/**
	 * Makes the lease of a line of an upload, or of a single document, with no bytes yet,
	 * for a document of a resource.
	 */
	Lease lease(Resource resource, boolean isLine) {
		return new Lease(Objects.requireNonNull(this.shares.get(resource.name())), isLine);
	}

	/**
	 * Lends bytes if there is room, and returns whether it did. A line must leave a
	 * quarter of the memory to single documents. A single document that is now above
	 * {@link #SMALL_DOCUMENT_BYTES} must leave a quarter of what uploads don't hold to
	 * small ones. The documents of a resource must leave half of what others don't hold.
	 */
	private boolean lend(int bytes, Share share, boolean isLine, int documentSize) {
		while (true) {
			Lent now = this.lent.get();
			if (!share.hasRoom(bytes, now.free(this.size))) {
				return false;
			}
			int mustLeave = isLine ? this.size / 4 : 0;
			if (!isLine && documentSize > SMALL_DOCUMENT_BYTES) {
				mustLeave = (this.size - now.toLines()) / 4;
			}
			if (now.free(this.size) - bytes < mustLeave) {
				return false;
			}
			if (this.lent.compareAndSet(now, now.plus(bytes, isLine))) {
				share.held.addAndGet(bytes);
				return true;
			}
		}
	}

	/** Bytes that are lent to lines of uploads, and to single documents. */
	private record Lent(int toLines, int toSingles) {

		Lent plus(int bytes, boolean isLine) {
			return new Lent(this.toLines + (isLine ? bytes : 0), this.toSingles + (isLine ? 0 : bytes));
		}

		int free(int size) {
			return size - this.toLines - this.toSingles;
		}

	}

	/** What the documents of one resource hold, which is bounded where there are more. */
	private static final class Share {

		private final boolean isBounded;

		private final AtomicInteger held = new AtomicInteger();

		private final MemoryQueue queue;

		private Share(boolean isBounded, Duration patience) {
			this.isBounded = isBounded;
			this.queue = new MemoryQueue(patience);
		}

		boolean hasRoom(int more, int free) {
			int own = this.held.get();
			return !this.isBounded || own + more <= (free + own) / 2;
		}

	}

	/** The memory of one document, which grows with it and is given back at once. */
	final class Lease implements AutoCloseable {

		private final Share share;

		private final boolean isLine;

		private int taken;

		private boolean goesBeyond;

		private int takenBeyond;

		private Lease(Share share, boolean isLine) {
			this.share = share;
			this.isLine = isLine;
		}

		/** Takes memory for more bytes if there is room, and returns whether it did. */
		boolean take(int more) {
			if (this.goesBeyond) {
				goBeyond(more);
				return true;
			}
			// without more bytes, as at the end of a line, no room is needed
			if (more > 0 && !lend(more, this.share, this.isLine, this.taken + more)) {
				return false;
			}
			this.taken += more;
			return true;
		}

		/**
		 * Waits for what {@link #take} found no room for, as {@link MemoryQueue#await}.
		 */
		boolean await(int more, BooleanSupplier stopping) {
			return this.share.queue.await(this, more, stopping);
		}

		/** Takes memory for more bytes, and for all later ones, beyond what is there. */
		void goBeyond(int more) {
			this.goesBeyond = true;
			DocumentMemory.this.beyond.addAndGet(more);
			this.takenBeyond += more;
		}

		/** Gives all memory back; whoever waits for some is told. */
		@Override
		public void close() {
			if (this.taken > 0) {
				this.share.held.addAndGet(-this.taken);
				DocumentMemory.this.lent.updateAndGet((now) -> now.plus(-this.taken, this.isLine));
				this.taken = 0;
				this.share.queue.released();
				DocumentMemory.this.shares.values().forEach((share) -> share.queue.wake());
			}
			if (this.goesBeyond) {
				DocumentMemory.this.beyond.addAndGet(-this.takenBeyond);
				this.takenBeyond = 0;
				this.goesBeyond = false;
				this.share.queue.releasedBeyond();
			}
		}

	}

}
