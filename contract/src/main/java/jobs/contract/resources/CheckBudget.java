package jobs.contract.resources;

/**
 * How many bytes of documents a process checks at once, by its heap.
 * <p>
 * Measured with documents of 2 MB in ever smaller heaps, a check that fails holds 12
 * times the size of an array of order lines, and 31 to 34 times that of an array of
 * objects with at most one field.
 */
public final class CheckBudget {

	/**
	 * Bytes of the heap for each byte of a large document being checked, which gets up to
	 * half of the heap; beyond: wait.
	 */
	private static final int HEAP_OF_A_BYTE = 30;

	/** Bytes of large documents being checked, also where half of the heap is less. */
	public static final int LEAST_CHECKED_BYTES = 1024 * 1024;

	private CheckBudget() {
	}

	/** The bytes of all large documents being checked, in a heap of so many bytes. */
	public static int bytes(long heap) {
		return Math.toIntExact(Math.clamp(mostOfOne(heap), LEAST_CHECKED_BYTES, Integer.MAX_VALUE));
	}

	/**
	 * Throws ResourcesException where the check of one document may take more than half
	 * of a heap of so many bytes, and the document more than {@code least} bytes.
	 */
	public static void require(Resources resources, long heap, int least) {
		long most = Math.max(mostOfOne(heap), least);
		for (Resource resource : resources.all()) {
			if (resource.maxSize() > most) {
				throw new ResourcesException(("The max-size of '%s' is %d bytes: to check such a document takes some %d"
						+ " times as much, more than half of the heap of %d bytes. Give Java a larger heap, or make"
						+ " max-size, and the MAX_JOB_SIZE of this service, at most %d bytes")
					.formatted(resource.name(), resource.maxSize(), HEAP_OF_A_BYTE, heap, most));
			}
		}
	}

	private static long mostOfOne(long heap) {
		return heap / 2 / HEAP_OF_A_BYTE;
	}

}
