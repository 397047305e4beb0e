package jobs.crawler.frontier;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.DataType;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.StringDataType;

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

	private final MVStore store;

	private int commits;

	/**
	 * Opens the file, or makes it.
	 * @param isFresh whether its content is deleted
	 * @throws IOException where another program has it, or it is no such file
	 */
	CrawlFile(Path file, boolean isFresh) throws IOException {
		this.store = open(file, isFresh);
		if (isFresh) {
			List.copyOf(this.store.getMapNames()).forEach(this.store::removeMap);
		}
	}

	private static MVStore open(Path file, boolean isFresh) throws IOException {
		try {
			// without "retry:" a thread that is interrupted would close the file for all
			return new MVStore.Builder().fileName("retry:" + file).cacheSize(CACHE_MIB).autoCommitDisabled().open();
		}
		catch (MVStoreException ex) {
			if (ex.getErrorCode() == DataUtils.ERROR_FILE_LOCKED) {
				throw new IOException("%s can't be used: another crawl is under way there".formatted(file), ex);
			}
			if (isFresh && Files.deleteIfExists(file)) {
				return open(file, false);
			}
			throw new IOException(
					"%s can't be used, and --fresh makes it anew: %s".formatted(file, String.valueOf(ex.getMessage())),
					ex);
		}
	}

	/** A map of the file from texts to texts, which is made where there is none. */
	MVMap<String, String> texts(String name) {
		return map(name, StringDataType.INSTANCE);
	}

	/** A map of the file from texts to numbers, which is made where there is none. */
	MVMap<String, Long> numbers(String name) {
		return map(name, LongDataType.INSTANCE);
	}

	/** Without types each look at a key would ask for its type. */
	private <V> MVMap<String, V> map(String name, DataType<V> type) {
		return this.store.openMap(name,
				new MVMap.Builder<String, V>().keyType(StringDataType.INSTANCE).valueType(type));
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

	/** H2 fails at times where it shall make the file smaller at the end. */
	void close() {
		// it closes itself after a fault of the disk
		if (!this.store.isClosed()) {
			this.store.commit();
			this.store.close();
		}
	}

}
