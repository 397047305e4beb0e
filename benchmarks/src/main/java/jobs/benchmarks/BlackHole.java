package jobs.benchmarks;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.jspecify.annotations.Nullable;

/**
 * A server of MongoDB's wire protocol that acknowledges documents, counts and forgets
 * them, or has a real database store them: so that one warm process can be measured with
 * both. While it is held it lets writes wait, until a backlog has piled up behind them.
 */
final class BlackHole implements AutoCloseable {

	private static final int OP_REPLY = 1;

	private static final int OP_QUERY = 2004;

	private static final int OP_MSG = 2013;

	private static final byte[] ID = { '_', 'i', 'd', 0 };

	private static final byte[] NUMBER = { 'n', 0 };

	/** A connection to the database that was not used for so long is not used again. */
	private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(30);

	private static final int MAX_MESSAGE = 48_000_000;

	private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	private final int database;

	private final AtomicLong documents = new AtomicLong();

	private volatile @Nullable IntConsumer listener;

	private volatile boolean storing;

	private volatile long roundTripNanos;

	private boolean held;

	/**
	 * Starts to listen.
	 * @param database the port of the database that gets every command but writes, or 0
	 * where there is none
	 */
	BlackHole(int database) throws IOException {
		this.database = database;
		Thread.ofPlatform().daemon().name("black hole").start(this::accept);
	}

	String address() {
		return "mongodb://127.0.0.1:%d".formatted(this.server.getLocalPort());
	}

	/**
	 * How many documents were written and answered.
	 */
	long count() {
		return this.documents.get();
	}

	/**
	 * Whether writes go on to the database.
	 */
	void store(boolean storing) {
		this.storing = storing;
	}

	/**
	 * Has somebody told of the number of every job once it is stored ({@link Postings}),
	 * or nobody.
	 */
	void listen(@Nullable IntConsumer listener) {
		this.listener = listener;
	}

	/**
	 * Has each answer take longer, as over a network.
	 */
	void moveAway(Duration roundTrip) {
		this.roundTripNanos = roundTrip.toNanos();
	}

	synchronized void hold() {
		this.held = true;
	}

	synchronized void release() {
		this.held = false;
		notifyAll();
	}

	private synchronized void awaitRelease() {
		try {
			while (this.held) {
				wait();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Socket client = this.server.accept();
				client.setTcpNoDelay(true);
				Thread.ofPlatform().daemon().start(() -> serve(client));
			}
			catch (IOException ex) {
				// closed, or the client has gone already
			}
		}
	}

	private void serve(Socket client) {
		try (client; Connection connection = new Connection(client)) {
			while (true) {
				connection.serveOne();
			}
		}
		catch (IOException ex) {
			// the client has gone
		}
	}

	/**
	 * Of one client, and behind it one of its own to the database.
	 */
	private final class Connection implements AutoCloseable {

		private final InputStream in;

		private final OutputStream out;

		private @Nullable Socket upstream;

		private byte[] message = new byte[64 * 1024];

		private ByteBuffer view = view(this.message);

		private int next;

		private long asked;

		Connection(Socket client) throws IOException {
			this.in = new BufferedInputStream(client.getInputStream(), 64 * 1024);
			this.out = client.getOutputStream();
		}

		private static ByteBuffer view(byte[] bytes) {
			return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
		}

		void serveOne() throws IOException {
			int length = read(this.in);
			LockSupport.parkNanos(BlackHole.this.roundTripNanos);
			int request = this.view.getInt(4);
			int code = this.view.getInt(12);
			if (code == OP_QUERY) {
				// the first hello of older drivers
				this.out.write(message(request, OP_REPLY, 20, hello()));
				return;
			}
			if (code != OP_MSG) {
				throw new IOException("Message of kind " + code);
			}
			int body = 21;
			String command = string(body + 5);
			if (command.equals("insert") || command.equals("update")) {
				write(request, length, body + this.view.getInt(body));
			}
			else {
				this.out.write(answer(command, request, length));
			}
		}

		private byte[] answer(String command, int request, int length) throws IOException {
			if (command.equals("hello") || command.equalsIgnoreCase("ismaster")) {
				return message(request, OP_MSG, 5, hello());
			}
			if (BlackHole.this.database != 0) {
				return asked(length);
			}
			return message(request, OP_MSG, 5,
					ok().append("cursor",
							new BsonDocument("id", new BsonInt64(0)).append("ns", new BsonString("db.none"))
								.append("firstBatch", new BsonArray())));
		}

		/**
		 * Documents stand in a section of their own: its kind, its size, its name, and
		 * one after the other.
		 */
		private void write(int request, int length, int section) throws IOException {
			if (section >= length || this.message[section] != 1) {
				throw new IOException("A write without a section of documents");
			}
			int end = section + 1 + this.view.getInt(section + 1);
			int first = endOfString(section + 5);
			int count = 0;
			for (int at = first; at < end; at += this.view.getInt(at)) {
				count++;
			}
			// before the answer of the database takes the place of the documents
			IntConsumer listener = BlackHole.this.listener;
			int[] numbers = new int[(listener != null) ? count : 0];
			for (int i = 0, at = first; i < numbers.length; i++, at += this.view.getInt(at)) {
				numbers[i] = number(at);
			}
			awaitRelease();
			byte[] answer = BlackHole.this.storing ? asked(length) : message(request, OP_MSG, 5,
					ok().append("n", new BsonInt32(count)).append("nModified", new BsonInt32(0)));
			for (int number : numbers) {
				Objects.requireNonNull(listener).accept(number);
			}
			BlackHole.this.documents.addAndGet(count);
			this.out.write(answer);
		}

		/**
		 * The number of a job whose document begins with a text as {@code _id} and the
		 * number, else -1.
		 */
		private int number(int document) {
			int at = document + 4;
			if (this.message[at] != 2 || !isName(at + 1, ID)) {
				return -1;
			}
			at += 9 + this.view.getInt(at + 5);
			boolean found = (this.message[at] == 16 || this.message[at] == 18) && isName(at + 1, NUMBER);
			return found ? this.view.getInt(at + 3) : -1;
		}

		private boolean isName(int at, byte[] name) {
			return Arrays.equals(this.message, at, at + name.length, name, 0, name.length);
		}

		/**
		 * The database's answer to the message.
		 */
		private byte[] asked(int length) throws IOException {
			Socket database = this.upstream;
			long now = System.nanoTime();
			if (database != null && now - this.asked > FRESH_NANOS) {
				// the database may have closed it meanwhile
				database.close();
				database = null;
			}
			this.asked = now;
			if (database == null) {
				database = new Socket(InetAddress.getLoopbackAddress(), BlackHole.this.database);
				database.setTcpNoDelay(true);
				this.upstream = database;
			}
			database.getOutputStream().write(this.message, 0, length);
			int answered = read(database.getInputStream());
			return Arrays.copyOf(this.message, answered);
		}

		private int read(InputStream in) throws IOException {
			if (in.readNBytes(this.message, 0, 16) < 16) {
				throw new EOFException();
			}
			int length = this.view.getInt(0);
			if (length < 16 || length > MAX_MESSAGE) {
				throw new IOException("Message of %d bytes".formatted(length));
			}
			if (length > this.message.length) {
				byte[] larger = new byte[Math.max(length, 2 * this.message.length)];
				System.arraycopy(this.message, 0, larger, 0, 16);
				this.message = larger;
				this.view = view(larger);
			}
			if (in.readNBytes(this.message, 16, length - 16) < length - 16) {
				throw new EOFException();
			}
			return length;
		}

		private int endOfString(int at) {
			int end = at;
			while (this.message[end] != 0) {
				end++;
			}
			return end + 1;
		}

		private String string(int at) {
			return new String(this.message, at, endOfString(at) - 1 - at, StandardCharsets.UTF_8);
		}

		/**
		 * A message of one document.
		 * @param prefix how many bytes stand between the header and the document
		 */
		private byte[] message(int request, int code, int prefix, BsonDocument document) {
			ByteBuffer bson = new RawBsonDocument(document, new BsonDocumentCodec()).getByteBuffer().asNIO();
			ByteBuffer answer = view(new byte[16 + prefix + bson.remaining()]);
			answer.putInt(answer.capacity()).putInt(++this.next).putInt(request).putInt(code);
			if (code == OP_REPLY) {
				// of the prefix only the number of documents is not zero
				answer.putInt(16 + prefix - 4, 1);
			}
			answer.position(16 + prefix).put(bson);
			return answer.array();
		}

		private static BsonDocument ok() {
			return new BsonDocument("ok", new BsonDouble(1));
		}

		/**
		 * A server alone, without sessions.
		 */
		private static BsonDocument hello() {
			return ok().append("helloOk", BsonBoolean.TRUE)
				.append("isWritablePrimary", BsonBoolean.TRUE)
				.append("ismaster", BsonBoolean.TRUE)
				.append("maxBsonObjectSize", new BsonInt32(16 * 1024 * 1024))
				.append("maxMessageSizeBytes", new BsonInt32(MAX_MESSAGE))
				.append("maxWriteBatchSize", new BsonInt32(100_000))
				.append("localTime", new BsonDateTime(System.currentTimeMillis()))
				.append("minWireVersion", new BsonInt32(0))
				.append("maxWireVersion", new BsonInt32(21))
				.append("readOnly", BsonBoolean.FALSE);
		}

		@Override
		public void close() throws IOException {
			Socket database = this.upstream;
			if (database != null) {
				database.close();
			}
		}

	}

}
