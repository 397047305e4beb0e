package jobs.resttokafka.intake;

import java.util.Arrays;
import java.util.function.BooleanSupplier;

/** The bytes of a job, and the memory that they take up until it is closed. */
public final class HeldJob implements AutoCloseable {

	private static final byte[] NOTHING = {};

	private final JobMemory memory;

	private final boolean isLine;

	private byte[] bytes = NOTHING;

	private int size;

	private int taken;

	private boolean goesBeyond;

	private int takenBeyond;

	/** Makes an empty job: a single one, or a line of an upload. */
	HeldJob(JobMemory memory, boolean isLine) {
		this.memory = memory;
		this.isLine = isLine;
	}

	/** How many bytes it has by now. */
	int size() {
		return this.size;
	}

	/** Takes memory for the next bytes if there is room, and returns whether it did. */
	boolean take(int more) {
		if (this.goesBeyond) {
			goBeyond(more);
			return true;
		}
		boolean found = this.isLine ? this.memory.takeForUpload(more)
				: this.memory.takeForSingle(more, this.size + more);
		this.taken += found ? more : 0;
		return found;
	}

	/** Waits for what {@link #take} found no room for, as {@link RoomQueue#await}. */
	boolean awaitRoom(int more, BooleanSupplier stopping) {
		return this.memory.await(this, more, stopping);
	}

	/** Takes memory for the next bytes, and for all later ones, beyond what is there. */
	void goBeyond(int more) {
		this.goesBeyond = true;
		this.memory.takeBeyond(more);
		this.takenBeyond += more;
	}

	/** Adds bytes for which memory was taken. */
	void add(byte[] source, int from, int length) {
		if (this.size + length > this.bytes.length) {
			// most jobs come in one piece, for which this is the only copy
			this.bytes = Arrays.copyOf(this.bytes, Math.max(this.size + length, 2 * this.size));
		}
		System.arraycopy(source, from, this.bytes, this.size, length);
		this.size += length;
	}

	/** The bytes of the job, once it is complete. */
	public byte[] bytes() {
		if (this.bytes.length > this.size) {
			this.bytes = Arrays.copyOf(this.bytes, this.size);
		}
		return this.bytes;
	}

	/** Gives the memory back. */
	@Override
	public void close() {
		if (this.taken == 0 && !this.goesBeyond) {
			// whoever waits for memory waits on
			return;
		}
		if (this.isLine) {
			this.memory.releaseOfUpload(this.taken);
		}
		else {
			this.memory.releaseOfSingle(this.taken);
		}
		this.taken = 0;
		this.bytes = NOTHING;
		if (this.goesBeyond) {
			this.goesBeyond = false;
			this.memory.releaseBeyond(this.takenBeyond);
			this.takenBeyond = 0;
		}
	}

}
