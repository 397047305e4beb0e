package jobs.benchmarks;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tlschannel.WouldBlockException;

/**
 * Posts one job after the other on some connections, all by one thread, so that the load
 * takes little of the machine that it shares with what it measures.
 */
final class PostLoad {

	private static final String JOBS = "/jobs";

	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** How late a due job or an answer may be noticed. */
	private static final long NAP_NANOS = 50_000;

	private final int port;

	private final Postings postings;

	private final Door door;

	private final List<String> paths;

	private final Wire wire;

	/** What stands before the length, of each path. */
	private final List<byte[]> heads;

	PostLoad(int port, Postings postings) {
		this(port, postings, Door.OPEN);
	}

	PostLoad(int port, Postings postings, Door door) {
		this(port, postings, door, List.of(JOBS), Wire.PLAIN);
	}

	/** Posts to some paths in turn. */
	PostLoad(int port, Postings postings, List<String> paths) {
		this(port, postings, Door.OPEN, paths, Wire.PLAIN);
	}

	/** Posts to a path in another form. */
	PostLoad(int port, Postings postings, String path, Wire wire) {
		this(port, postings, Door.OPEN, List.of(path), wire);
	}

	private PostLoad(int port, Postings postings, Door door, List<String> paths, Wire wire) {
		this.port = port;
		this.postings = postings;
		this.door = door;
		this.paths = paths;
		this.wire = wire;
		this.heads = paths.stream().map((path) -> wire.head(path).getBytes(StandardCharsets.ISO_8859_1)).toList();
	}

	/** The same, through another door. */
	PostLoad with(Door other) {
		return new PostLoad(this.port, this.postings, other, this.paths, this.wire);
	}

	/**
	 * Each connection posts as soon as it has its answer: for the most jobs per second.
	 * @param connections how many
	 * @param duration how long
	 * @return what came of it, with the times between a job and its answer
	 */
	Outcome closed(int connections, Duration duration) throws IOException {
		try (Run run = new Run(connections)) {
			long end = run.start + duration.toNanos();
			while (System.nanoTime() < end) {
				while (!run.idle.isEmpty()) {
					run.post(System.nanoTime());
				}
				run.answers(false);
			}
			long inTime = run.answered;
			run.finish();
			return new Outcome(inTime / (duration.toNanos() / 1e9), run.answered, run.failed, run.latencies);
		}
	}

	/**
	 * Jobs are due at a rate, whatever the answers do: one that finds no idle connection
	 * waits, and its latency counts from when it was due.
	 * @param connections how many, each with one job at a time
	 * @param rate jobs per second
	 * @param duration how long
	 * @param due gets the time at which each job was due, by its number
	 * @return what came of it
	 */
	Outcome open(int connections, double rate, Duration duration, long[] due) throws IOException {
		try (Run run = new Run(connections)) {
			int jobs = jobs(rate, duration);
			double interval = 1e9 / rate;
			while (run.number < jobs && System.nanoTime() - run.start < duration.toNanos() + PATIENCE_NANOS) {
				long next = run.start + (long) (run.number * interval);
				if (next <= System.nanoTime() && !run.idle.isEmpty()) {
					if (run.number < due.length) {
						due[run.number] = next;
					}
					run.post(next);
				}
				else {
					run.answers(true);
				}
			}
			run.failed += jobs - run.number;
			run.finish();
			if (run.failed > 0) {
				// none of them is better than the slowest
				run.latencies.recordValueWithCount(PATIENCE_NANOS / 1000, run.failed);
			}
			return new Outcome(run.answered / ((System.nanoTime() - run.start) / 1e9), run.answered, run.failed,
					run.latencies);
		}
	}

	static int jobs(double rate, Duration duration) {
		return (int) (rate * duration.toMillis() / 1000);
	}

	/**
	 * What came of a load.
	 *
	 * @param perSecond jobs that were accepted per second of the load
	 * @param answered jobs that were accepted, those of the last moment included
	 * @param failed jobs with another answer or none
	 * @param latencies in microseconds; of an open load, those that failed with the
	 * longest
	 */
	record Outcome(double perSecond, long answered, long failed, Histogram latencies) {

		void noteFailures(Session session, String work, String who) {
			if (this.failed > 0) {
				session.note("%s, %s: %,d jobs were refused, or had no answer.".formatted(work, who, this.failed));
			}
		}

	}

	/**
	 * One load.
	 */
	private final class Run implements AutoCloseable {

		private final Selector selector = Selector.open();

		private final List<Connection> connections = new ArrayList<>();

		private final Deque<Connection> idle = new ArrayDeque<>();

		private final Histogram latencies = new Histogram(3);

		private long answered;

		private long failed;

		private int number;

		private final long start;

		Run(int connections) throws IOException {
			for (int i = 0; i < connections; i++) {
				Connection connection = new Connection(this.selector);
				this.connections.add(connection);
				this.idle.add(connection);
			}
			this.start = System.nanoTime();
		}

		void post(long since) throws IOException {
			this.idle.remove().post(this.number++, since);
		}

		void answers(boolean atOnce) throws IOException {
			int ready = atOnce ? this.selector.selectNow() : this.selector.select(100);
			if (ready == 0 && atOnce) {
				LockSupport.parkNanos(NAP_NANOS);
			}
			for (SelectionKey key : this.selector.selectedKeys()) {
				read((Connection) key.attachment());
			}
			this.selector.selectedKeys().clear();
		}

		private void read(Connection connection) throws IOException {
			if (connection.read()) {
				if (connection.status == PostLoad.this.wire.status()) {
					this.answered++;
					this.latencies.recordValue((System.nanoTime() - connection.since) / 1000);
				}
				else {
					this.failed++;
				}
				connection.endIfTold();
				this.idle.add(connection);
			}
		}

		void finish() throws IOException {
			long start = System.nanoTime();
			while (this.idle.size() < this.connections.size() && System.nanoTime() - start < PATIENCE_NANOS) {
				answers(true);
			}
			this.failed += this.connections.size() - this.idle.size();
		}

		@Override
		public void close() throws IOException {
			for (Connection connection : this.connections) {
				connection.close();
			}
			this.selector.close();
		}

	}

	/**
	 * A connection with at most one job on it.
	 */
	private final class Connection {

		private final Selector selector;

		private @Nullable ByteChannel channel;

		private final ByteBuffer in = ByteBuffer.allocateDirect(64 * 1024);

		private ByteBuffer out = ByteBuffer.allocateDirect(64 * 1024);

		private long since;

		/** Whether an answer is awaited. */
		private boolean asked;

		private int status;

		/** Whether the last answer has said that its connection ends. */
		private boolean ending;

		/** Bytes of the body that are not here yet, or -1 while the head is not. */
		private long missing = -1;

		Connection(Selector selector) {
			this.selector = selector;
		}

		/** Opens it with its next job. */
		private ByteChannel connected() throws IOException {
			ByteChannel opened = this.channel;
			if (opened == null) {
				SocketChannel socket = Door.connect(PostLoad.this.port);
				opened = PostLoad.this.door.over(socket);
				socket.configureBlocking(false);
				socket.register(this.selector, SelectionKey.OP_READ, this);
				this.channel = opened;
			}
			return opened;
		}

		void endIfTold() throws IOException {
			if (this.ending) {
				close();
			}
		}

		void close() throws IOException {
			if (this.channel != null) {
				this.channel.close();
				this.channel = null;
			}
		}

		void post(int number, long since) throws IOException {
			byte[] job = body(number);
			ByteChannel channel = connected();
			this.asked = true;
			this.since = since;
			if (this.out.capacity() < job.length + 4096) {
				this.out = ByteBuffer.allocateDirect(job.length + 4096);
			}
			this.out.clear();
			this.out.put(PostLoad.this.heads.get(number % PostLoad.this.heads.size()))
				.put(Integer.toString(job.length).getBytes(StandardCharsets.ISO_8859_1))
				.put(("\r\n" + PostLoad.this.door.header() + "\r\n").getBytes(StandardCharsets.ISO_8859_1))
				.put(job)
				.flip();
			while (this.out.hasRemaining()) {
				try {
					channel.write(this.out);
				}
				catch (WouldBlockException ex) {
					Thread.onSpinWait();
				}
			}
		}

		private byte[] body(int number) {
			byte[] job = PostLoad.this.postings.job(number);
			Wire wire = PostLoad.this.wire;
			if (wire == Wire.PLAIN) {
				return job;
			}
			byte[] before = wire.before().getBytes(StandardCharsets.US_ASCII);
			byte[] after = wire.after().getBytes(StandardCharsets.US_ASCII);
			return ByteBuffer.allocate(before.length + job.length + after.length)
				.put(before)
				.put(job)
				.put(after)
				.array();
		}

		/**
		 * Reads what is there.
		 * @return whether the answer is complete
		 */
		boolean read() throws IOException {
			// TLS may have more than one read gives, of which no selector knows
			for (int read = receive(); read > 0; read = receive()) {
				if (this.missing >= 0) {
					this.missing -= read;
					this.in.clear();
				}
				else {
					head();
				}
				if (this.missing == 0) {
					this.missing = -1;
					this.asked = false;
					return true;
				}
			}
			return false;
		}

		/** How many bytes there are more, 0 for none now. */
		private int receive() throws IOException {
			try {
				ByteChannel channel = this.channel;
				int read = (channel != null) ? channel.read(this.in) : 0;
				if (read < 0 && this.asked) {
					throw new EOFException("The connection was closed in the middle of the load");
				}
				if (read < 0) {
					// a service waits no longer than 10 s for the next job
					close();
				}
				return Math.max(0, read);
			}
			catch (WouldBlockException ex) {
				return 0;
			}
		}

		private void head() throws IOException {
			byte[] bytes = new byte[this.in.position()];
			this.in.get(0, bytes);
			String text = new String(bytes, StandardCharsets.ISO_8859_1);
			int end = text.indexOf("\r\n\r\n");
			if (end >= 0) {
				String head = text.substring(0, end).toLowerCase(Locale.ROOT) + "\r\n";
				int at = head.indexOf("\r\ncontent-length:");
				if (at < 0) {
					throw new IOException("An answer without a length can't be read: " + head);
				}
				this.ending = head.contains("\r\nconnection: close\r\n");
				this.status = Integer.parseInt(head.substring(9, 12));
				long length = Long.parseLong(head.substring(at + 17, head.indexOf('\r', at + 17)).strip());
				this.missing = length - (text.length() - end - 4);
				this.in.clear();
			}
		}

	}

}
