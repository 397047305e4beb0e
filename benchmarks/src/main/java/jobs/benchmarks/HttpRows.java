package jobs.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import jobs.benchmarks.Entrant.Upload;
import jobs.benchmarks.Results.Work;
import jobs.benchmarks.Session.Step;
import jobs.benchmarks.Session.WarmUp;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import org.jspecify.annotations.Nullable;

/**
 * Taking jobs over HTTP: rest-to-kafka beside a bare servlet and a producer loop, and
 * beside Strimzi's bridge where there is one.
 */
final class HttpRows {

	static final int CONNECTIONS = 64;

	private static final Duration WARM_UP = Duration.ofSeconds(2);

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private final HttpClient http = HttpClient.newHttpClient();

	private final Session session;

	private final Feed feed;

	private final Plan plan;

	private final Postings postings;

	private final Stage stage;

	private final int servletPort;

	private final List<Contestants> versions;

	/** The services of all versions. */
	private final List<Contestant> rests = new ArrayList<>();

	private final Contestant servlet;

	/** The producer loop, in the servlet's process. */
	private final Contestant loop;

	/** They take no uploads, and fewer jobs than half of what rest-to-kafka takes. */
	private final List<Entrant> rivals;

	/**
	 * Starts who takes jobs.
	 * @param bridge the folder of an unpacked release of Strimzi's bridge, or
	 * {@code null}
	 */
	HttpRows(Session session, Stage stage, Feed feed, Postings postings, List<Contestants> versions,
			@Nullable Path bridge) throws IOException {
		this.session = session;
		this.stage = stage;
		this.feed = feed;
		this.plan = session.plan();
		this.postings = postings;
		this.versions = versions;
		for (Contestants version : versions) {
			Child rest = stage.launch(version.rest());
			stage.awaitReady(rest, version.restPort());
			this.rests.add(new Contestant(
					new Entrant(version.named(Contestants.REST), rest, new PostLoad(version.restPort(), postings)),
					(jobs) -> UploadLoad.run(version.restPort(), postings, jobs)));
		}
		this.servletPort = versions.getFirst().servletPort();
		Child servlet = stage.launch(versions.getFirst().servlet());
		stage.awaitListening(servlet, this.servletPort);
		PostLoad load = new PostLoad(this.servletPort, postings);
		this.servlet = new Contestant(new Entrant(Contestants.SERVLET, servlet, load),
				(jobs) -> UploadLoad.run(this.servletPort, postings, jobs));
		this.loop = new Contestant(new Entrant(Contestants.PRODUCER, servlet, load), this::produce);
		this.rivals = (bridge != null) ? List.of(bridge(bridge)) : List.of();
	}

	private Entrant bridge(Path release) throws IOException {
		int port = Ports.free();
		Child process = this.stage.launch(this.versions.getFirst().bridge(release, port));
		this.stage.awaitListening(process, port);
		return new Entrant(Contestants.BRIDGE, process,
				new PostLoad(port, this.postings, "/topics/" + Contestants.BRIDGE_TOPIC, Wire.BRIDGE));
	}

	Child rest(int version) {
		return this.rests.get(version).process();
	}

	Child servlet() {
		return this.servlet.process();
	}

	/** Ends all that was measured. */
	void end() {
		all().forEach((contestant) -> this.stage.end(contestant.process()));
		this.rivals.forEach((rival) -> this.stage.end(rival.process()));
	}

	/**
	 * Measures.
	 * @param all whether all rows, and not the warm-up alone
	 */
	void measure(boolean all) throws Exception {
		List<WarmUp> warmUps = new ArrayList<>(all().stream()
			.map((contestant) -> new WarmUp(contestant.who(), contestant.process(), () -> warmUp(contestant)))
			.toList());
		this.rivals.forEach((rival) -> warmUps.add(new WarmUp(rival.who(), rival.process(), () -> warmUp(rival))));
		this.session.warmUp(warmUps);
		if (!all) {
			return;
		}
		double half = measureThroughput(CONNECTIONS) / 2;
		measureThroughput(1);
		Latencies latencies = Latencies.of(this.session, "POST at half load, %,.0f jobs/s".formatted(half),
				Contestants.SERVLET);
		this.session.rounds(latencies.median(), this.plan.rounds(),
				each((contestant) -> latency(latencies, contestant, half)));
		Work upload = this.session.work("NDJSON upload of %,d jobs".formatted(this.plan.upload()), "jobs/s",
				Contestants.SERVLET);
		List<Step> uploads = new ArrayList<>(each((contestant) -> upload(upload, contestant)));
		uploads.add(() -> upload(upload, this.loop));
		this.session.rounds(upload, this.plan.rounds(), uploads);
		Work memory = this.session.work("Memory under these loads, HTTP", "MiB", Contestants.SERVLET);
		for (Contestant contestant : all()) {
			double mebibytes = Usage.peakMebibytes(contestant.process());
			memory.add(contestant.who(), mebibytes, Double.NaN, mebibytes);
		}
	}

	private void warmUp(Entrant one) throws Exception {
		one.load().closed(CONNECTIONS, WARM_UP);
		clear();
	}

	private void warmUp(Contestant contestant) throws Exception {
		contestant.upload().run(this.plan.upload() / 4);
		if (contestant == this.servlet) {
			this.loop.upload().run(this.plan.upload() / 4);
		}
		warmUp(contestant.posts());
	}

	private List<Contestant> all() {
		List<Contestant> all = new ArrayList<>(this.rests);
		all.add(this.servlet);
		return all;
	}

	private List<Step> each(Measurement measurement) {
		return all().stream().<Step>map((contestant) -> () -> measurement.of(contestant)).toList();
	}

	private double measureThroughput(int connections) throws Exception {
		Work work = this.session.work("POST, %d connection%s".formatted(connections, (connections > 1) ? "s" : ""),
				"jobs/s", Contestants.SERVLET);
		List<Step> steps = new ArrayList<>(each((contestant) -> throughput(work, contestant.posts(), connections)));
		this.rivals.forEach((rival) -> steps.add(() -> throughput(work, rival, connections)));
		this.session.rounds(work, this.plan.rounds(), steps);
		return work.of(Contestants.REST).median();
	}

	private String throughput(Work work, Entrant one, int connections) throws Exception {
		String told = one.throughput(this.session, work, connections);
		clear();
		return told;
	}

	private String latency(Latencies latencies, Contestant contestant, double rate) throws Exception {
		String told = contestant.posts().latency(this.session, latencies, CONNECTIONS, rate);
		clear();
		return told;
	}

	private String upload(Work work, Contestant contestant) throws Exception {
		String told = contestant.posts().upload(this.session, work, contestant.upload());
		clear();
		return told;
	}

	private Duration produce(int jobs) throws IOException {
		long start = System.nanoTime();
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:%d/loop?jobs=%d".formatted(this.servletPort, jobs)))
			.timeout(LIMIT)
			.POST(BodyPublishers.noBody())
			.build();
		try {
			if (this.http.send(request, BodyHandlers.discarding()).statusCode() != 202) {
				throw new IOException("The producer loop has failed");
			}
			return Duration.ofNanos(System.nanoTime() - start);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	private void clear() throws Exception {
		for (Contestants version : this.versions) {
			this.feed.clear(version.topic());
		}
		this.feed.clear(Contestants.FLOOR_TOPIC);
		if (!this.rivals.isEmpty()) {
			this.feed.clear(Contestants.BRIDGE_TOPIC);
		}
	}

	/**
	 * Who takes jobs.
	 *
	 * @param posts of single jobs
	 * @param upload of many
	 */
	private record Contestant(Entrant posts, Upload upload) {

		String who() {
			return this.posts.who();
		}

		Child process() {
			return this.posts.process();
		}

	}

	/**
	 * A measurement of one who takes jobs.
	 */
	private interface Measurement {

		String of(Contestant contestant) throws Exception;

	}

}
