package jobs.resttokafka.intake;

import java.util.Arrays;

/** The bytes of a job, and the memory that they take up until it is closed. */
public final class HeldJob implements AutoCloseable {

	private static final byte[] NOTHING = {};

	private final JobMemory memory;

	private byte[] bytes = NOTHING;

	private int size;

	private int taken;

	HeldJob(JobMemory memory) {
		this.memory = memory;
	}

	/** How many bytes it has by now. */
	int size() {
		return this.size;
	}

	/** Adds bytes if there is room for them, and returns whether there was. */
	boolean append(byte[] source, int from, int length) {
		if (!this.memory.take(length, this.size + length)) {
			return false;
		}
		this.taken += length;
		if (this.size + length > this.bytes.length) {
			// most jobs come in one piece, for which this is the only copy
			this.bytes = Arrays.copyOf(this.bytes, Math.max(this.size + length, 2 * this.size));
		}
		System.arraycopy(source, from, this.bytes, this.size, length);
		this.size += length;
		return true;
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
		this.memory.release(this.taken);
		this.taken = 0;
	}

}
