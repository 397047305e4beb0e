package jobs.endtoend.load;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import jobs.endtoend.load.History.Outcome;
import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Client;
import jobs.endtoend.pair.Postings;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Posts the jobs of a workload at a steady rate from many connections, sends those again
 * that have a key until it is told their outcome, and keeps the history.
 */
public final class Driver {

	private static final int CONNECTIONS = 64;

	private static final int TRIES = 40;

	private static final Duration PAUSE = Duration.ofMillis(500);

	private final Workload workload;

	private final History history;

	private final List<Integer> ports;

	private final Access access;

	private final String path;

	private final AtomicInteger nextBlock = new AtomicInteger();

	/** The first job that is this driver's to send. */
	private int first;

	private final ConcurrentLinkedQueue<Long> latencies = new ConcurrentLinkedQueue<>();

	public Driver(Workload workload, History history, List<Integer> ports, Access access) {
		this(workload, history, ports, access, "/jobs");
	}

	/**
	 * A driver that has sent nothing yet.
	 * @param workload what it sends
	 * @param history what it keeps
	 * @param ports where rest-to-kafka listens
	 * @param access how to get in there
	 * @param path of the resource
	 */
	public Driver(Workload workload, History history, List<Integer> ports, Access access, String path) {
		this.workload = workload;
		this.history = history;
		this.ports = ports;
		this.access = access;
		this.path = path;
	}

	/**
	 * Sends jobs, after those that it has sent, and returns when the outcome of each is
	 * noted.
	 * @param jobs how many in all, a multiple of the block
	 * @param perSecond the rate, which is caught up with after an outage
	 */
	public void run(int jobs, double perSecond) {
		long start = System.nanoTime();
		int begun = this.nextBlock.get() * Workload.BLOCK;
		List<Future<?>> connections = new ArrayList<>();
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			for (int i = 0; i < CONNECTIONS; i++) {
				connections.add(threads.submit(() -> {
					List<Client> clients = clients();
					for (int block = this.nextBlock.getAndIncrement(); block
							* Workload.BLOCK < jobs; block = this.nextBlock.getAndIncrement()) {
						int first = block * Workload.BLOCK;
						sleep(Duration.ofNanos(start + (long) ((first - begun) / perSecond * 1e9) - System.nanoTime()));
						send(clients, first);
						this.history.settle(Workload.BLOCK);
					}
					clients.forEach(Client::close);
					return null;
				}));
			}
		}
		// each connection has asked for one block too many
		this.nextBlock.set(jobs / Workload.BLOCK);
		for (Future<?> connection : connections) {
			if (connection.state() == Future.State.FAILED) {
				throw new IllegalStateException(connection.exceptionNow());
			}
		}
	}

	/**
	 * Sends jobs as {@link #run(int, double)} does until there are enough, and ends the
	 * history there.
	 * @param perSecond the rate
	 * @param isEnough is looked at every ten seconds or so
	 * @throws IllegalStateException when the history is full before there are enough
	 */
	public void runUntil(BooleanSupplier isEnough, double perSecond) {
		int step = (int) Math.ceil(10 * perSecond / Workload.BLOCK) * Workload.BLOCK;
		int jobs = this.nextBlock.get() * Workload.BLOCK;
		while (!isEnough.getAsBoolean()) {
			if (jobs + step > this.history.size()) {
				throw new IllegalStateException("%d jobs were not enough".formatted(jobs));
			}
			jobs += step;
			run(jobs, perSecond);
		}
		this.history.endAt(jobs);
	}

	/**
	 * Leaves the first jobs to somebody else, who sends them.
	 * @param jobs how many, a multiple of the block
	 */
	public void skip(int jobs) {
		this.first = jobs;
		this.nextBlock.set(jobs / Workload.BLOCK);
	}

	private static void sleep(Duration duration) throws InterruptedException {
		if (duration.isPositive()) {
			Thread.sleep(duration);
		}
	}

	private void send(List<Client> clients, int first) throws InterruptedException {
		if (this.workload.isUpload(first)) {
			upload(clients, first);
			return;
		}
		for (int number = first; number < first + Workload.BLOCK; number++) {
			int tries = (this.workload.key(number) != null) ? TRIES : 1;
			while (tries > 0 && !post(any(clients), number)) {
				tries--;
				sleep(PAUSE);
			}
		}
	}

	/**
	 * Sends once more what has a key and is not accepted, now that all is healed.
	 */
	public void finish(int jobs) throws InterruptedException {
		List<Client> clients = clients();
		for (int number = this.first; number < jobs; number++) {
			if (this.workload.isAcceptable(number) && this.history.outcome(number) != Outcome.OK) {
				if (this.workload.isUpload(number)) {
					upload(clients, number / Workload.BLOCK * Workload.BLOCK);
				}
				else {
					post(any(clients), number);
				}
			}
		}
		clients.forEach(Client::close);
	}

	private List<Client> clients() {
		return this.ports.stream().map((port) -> new Client(port, this.access)).toList();
	}

	private static Client any(List<Client> clients) {
		return clients.get(ThreadLocalRandom.current().nextInt(clients.size()));
	}

	private boolean post(Client client, int number) {
		long start = System.nanoTime();
		Client.Answer answer = client.post(this.path, "application/json", this.workload.key(number),
				this.workload.bytes(number));
		this.latencies.add(System.nanoTime() - start);
		Outcome outcome = note(number, answer.status(),
				(answer.whole() && answer.status() == 202) ? id(Postings.json(answer.lines().getFirst())) : null,
				line(answer, 0));
		return isFinal(outcome, number);
	}

	/** The jobs have it in {@code id}, others in {@code _id}. */
	private static @Nullable String id(JsonNode document) {
		return document.path("_id").asString(document.path("id").asString(null));
	}

	private void upload(List<Client> clients, int first) throws InterruptedException {
		ByteArrayOutputStream lines = new ByteArrayOutputStream();
		for (int number = first; number < first + Workload.BLOCK; number++) {
			lines.writeBytes(this.workload.bytes(number));
			lines.write('\n');
		}
		for (int tries = TRIES; tries > 0; tries--) {
			Client.Answer answer = any(clients).post(this.path, "application/x-ndjson", this.workload.uploadKey(first),
					lines.toByteArray());
			if (note(first, answer)) {
				return;
			}
			sleep(PAUSE);
		}
	}

	private boolean note(int first, Client.Answer answer) {
		boolean all = true;
		for (int i = 0; i < Workload.BLOCK; i++) {
			int status = answer.status();
			String id = null;
			String words = line(answer, (status == 200) ? i : 0);
			if (status == 200) {
				JsonNode line = (words != null) ? Postings.json(words) : null;
				status = (line != null) ? line.get("status").asInt() : 0;
				id = (line != null) ? line.path("id").asString(null) : null;
			}
			all &= isFinal(note(first + i, status, id, words), first + i);
		}
		return all;
	}

	private static @Nullable String line(Client.Answer answer, int number) {
		return (number < answer.lines().size()) ? answer.lines().get(number) : null;
	}

	Outcome note(int number, int status, @Nullable String id, @Nullable String words) {
		Outcome outcome = outcome(status);
		this.history.note(number, outcome, id);
		if (outcome == Outcome.FAIL && status != 408) {
			this.history.noteRefusal(number, "%d at %s: %s".formatted(status, LocalTime.now(), words));
		}
		return outcome;
	}

	/**
	 * A good job is refused for good only by mistake or for being slow: try again.
	 */
	private boolean isFinal(Outcome outcome, int number) {
		return outcome == Outcome.OK
				|| (outcome == Outcome.FAIL && (this.workload.isBad(number) || this.workload.isUndecided(number)));
	}

	private static Outcome outcome(int status) {
		if (status == 202) {
			return Outcome.OK;
		}
		return (status >= 400 && status < 500) ? Outcome.FAIL : Outcome.UNKNOWN;
	}

	/**
	 * The latencies of single requests since the last call.
	 * @return the median, the 99th percentile and the longest, in milliseconds
	 */
	public String latencies() {
		List<Long> sorted = new ArrayList<>();
		for (Long next = this.latencies.poll(); next != null; next = this.latencies.poll()) {
			sorted.add(next);
		}
		Collections.sort(sorted);
		return "median %s, p99 %s, longest %s ms".formatted(millis(sorted, 0.5), millis(sorted, 0.99),
				millis(sorted, 1));
	}

	private static @Nullable Long millis(List<Long> sorted, double share) {
		return sorted.isEmpty() ? null : sorted.get((int) ((sorted.size() - 1) * share)) / 1_000_000;
	}

}
