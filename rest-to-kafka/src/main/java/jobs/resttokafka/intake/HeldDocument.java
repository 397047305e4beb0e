package jobs.resttokafka.intake;

import java.util.Arrays;

/** The bytes of a document, and the lease of the memory that they take up. */
public final class HeldDocument implements AutoCloseable {

	private static final byte[] NOTHING = {};

	private final DocumentMemory.Lease lease;

	private byte[] bytes = NOTHING;

	private int size;

	/** Makes a document without bytes. */
	HeldDocument(DocumentMemory.Lease lease) {
		this.lease = lease;
	}

	DocumentMemory.Lease lease() {
		return this.lease;
	}

	/** How many bytes it has by now. */
	int size() {
		return this.size;
	}

	/** Adds bytes for which the lease has memory. */
	void add(byte[] source, int from, int length) {
		if (this.size + length > this.bytes.length) {
			// most documents come in one piece, for which this is the only copy
			this.bytes = Arrays.copyOf(this.bytes, Math.max(this.size + length, 2 * this.size));
		}
		System.arraycopy(source, from, this.bytes, this.size, length);
		this.size += length;
	}

	/** The bytes of the document, once it is complete. */
	byte[] bytes() {
		if (this.bytes.length > this.size) {
			this.bytes = Arrays.copyOf(this.bytes, this.size);
		}
		return this.bytes;
	}

	/** Lets go of the bytes, and gives the memory back. */
	@Override
	public void close() {
		this.bytes = NOTHING;
		this.lease.close();
	}

}
