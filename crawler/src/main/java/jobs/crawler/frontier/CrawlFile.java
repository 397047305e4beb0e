package jobs.crawler.frontier;

import java.io.IOException;
import java.nio.file.Path;

import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;

/**
 * The file of a crawl: maps on the disk, which belong to one program at a time. What was
 * committed outlasts a kill.
 */
final class CrawlFile {

	/** Of the cache of the file, whatever its size. */
	private static final int CACHE_MIB = 16;

	/** Commits after which room of the file is used again that nothing needs. */
	private static final int COMMITS = 60;

	/** Per cent of the file that should be of use. */
	private static final int FILL_RATE = 60;

	/** Bytes that are written anew for that at a time. */
	private static final int COMPACTED = 16 * 1024 * 1024;

	/** How long the file may be made smaller at the end. */
	private static final int COMPACTION_MILLIS = 2000;

	private final MVStore store;

	private int commits;

	/**
	 * Opens the file, or makes it.
	 * @param isFresh whether its content is deleted
	 * @throws IOException where another program has it, or it is no such file
	 */
	CrawlFile(Path file, boolean isFresh) throws IOException {
		try {
			// without "retry:" a thread that is interrupted would close the file for all
			this.store = new MVStore.Builder().fileName("retry:" + file)
				.cacheSize(CACHE_MIB)
				.autoCommitDisabled()
				.open();
		}
		catch (MVStoreException ex) {
			boolean isLocked = ex.getErrorCode() == DataUtils.ERROR_FILE_LOCKED;
			throw new IOException("%s can't be used: %s".formatted(file,
					isLocked ? "another crawl is under way there" : ex.getMessage()), ex);
		}
		if (isFresh) {
			this.store.getMapNames().forEach((name) -> this.store.openMap(name).clear());
		}
	}

	/** A map of the file, which is made where there is none. */
	<K, V> MVMap<K, V> map(String name) {
		return this.store.openMap(name);
	}

	/** Has the disk have all that was written until now. */
	void commit() {
		this.store.commit();
		this.store.sync();
		this.commits++;
		if (this.commits % COMMITS == 0) {
			this.store.compact(FILL_RATE, COMPACTED);
		}
	}

	void close() {
		if (!this.store.isClosed()) {
			this.store.commit();
			this.store.close(COMPACTION_MILLIS);
		}
	}

}
