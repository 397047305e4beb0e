package jobs.localstack;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;

/**
 * A stand-in for MongoDB where there is none, for trying things out: mongo-java-server,
 * which keeps its data in a file.
 */
final class EmbeddedMongo {

	private EmbeddedMongo() {
	}

	/**
	 * Runs until it is killed. Each write is in the file before it is answered, and the
	 * file is never closed: closing moves its parts, and a kill meanwhile breaks it.
	 * @param args the data folder and the port
	 */
	static void main(String[] args) throws Exception {
		Path data = Files.createDirectories(Path.of(args[0]));
		MongoServer server = new MongoServer(
				new DurableBackend(data.resolve("data.mv").toString()).version(new TodaysVersion()));
		server.bind("127.0.0.1", Integer.parseInt(args[1]));
	}

	/**
	 * Commits a write before it is answered: as it comes, the backend does so once a
	 * second, and a kill loses what it had acknowledged. And knows {@code hello}, the
	 * newer name of {@code isMaster}.
	 */
	private static final class DurableBackend extends H2Backend {

		private static final Set<String> WRITES = Set.of("insert", "update", "delete", "findAndModify", "createIndexes",
				"create", "drop", "dropDatabase", "dropIndexes");

		/** The indexes that there are: each further one of a name would be one more. */
		private final Set<String> indexes = ConcurrentHashMap.newKeySet();

		/** This backend fails commands that look at indexes while it makes one. */
		private final ReadWriteLock indexing = new ReentrantReadWriteLock();

		DurableBackend(String file) {
			super(file);
		}

		@Override
		public Document handleMessage(MongoMessage message) {
			String command = message.getDocument().keySet().iterator().next();
			if (command.equals("hello")) {
				return handleCommand(message.getChannel(), message.getDatabaseName(), "isMaster",
						message.getDocument());
			}
			if (command.startsWith("drop")) {
				this.indexes.clear();
			}
			if (command.equals("createIndexes") && !this.indexes.add(message.getDatabaseName()
					+ message.getDocument().get(command) + message.getDocument().get("indexes"))) {
				return new Document("numIndexesBefore", 1).append("numIndexesAfter", 1).append("ok", 1.0);
			}
			Lock lock = command.equals("createIndexes") ? this.indexing.writeLock() : this.indexing.readLock();
			lock.lock();
			try {
				Document answer = super.handleMessage(message);
				if (WRITES.contains(command)) {
					commit();
				}
				return answer;
			}
			finally {
				lock.unlock();
			}
		}

	}

	/**
	 * The version that today's mongosh and drivers still talk to.
	 */
	private static final class TodaysVersion implements MongoVersion {

		@Override
		public List<Integer> getVersionArray() {
			return List.of(5, 0, 0);
		}

		@Override
		public int getWireVersion() {
			return 13;
		}

	}

}
