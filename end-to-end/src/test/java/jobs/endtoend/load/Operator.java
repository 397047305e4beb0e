package jobs.endtoend.load;

import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Postings;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Works with dead letters while faults strike, as people do: corrects, replays as they
 * are, discards, one at a time or all of a reason, and remembers what was acknowledged.
 */
public final class Operator {

	private static final Duration TIMEOUT = Duration.ofSeconds(15);

	private static final Duration PAUSE = Duration.ofMillis(200);

	private static final Duration FINISH_LIMIT = Duration.ofSeconds(120);

	private static final List<String> REASONS = List.of("not-json", "contract", "conflict");

	private final HttpClient http;

	private final Access access;

	private final SplittableRandom random;

	private final Strays strays;

	private final List<Integer> ports;

	/** The ids of the dead letters that were to be corrected, by the strays' numbers. */
	private final Map<Integer, String> corrections = new HashMap<>();

	/** The positions that the answers told, by the ids of the dead letters. */
	private final Map<String, Set<String>> replays = new HashMap<>();

	private final Set<String> discarded = new HashSet<>();

	/** What was asked for, by the note that went with it. */
	private final Map<String, Act> asked = new HashMap<>();

	private long replayedTogether;

	private int failures;

	/** Answers that no outage excuses. */
	private final List<String> unexpected = new ArrayList<>();

	private volatile boolean ending;

	/**
	 * Makes an operator, who does nothing yet.
	 * @param seed what the choices are made from
	 * @param strays whose dead letters can be corrected
	 * @param ports where kafka-to-mongo listens
	 * @param access how to get in there
	 */
	public Operator(long seed, Strays strays, List<Integer> ports, Access access) {
		this.random = new SplittableRandom(seed);
		this.strays = strays;
		this.ports = ports;
		this.access = access;
		this.http = access.client(Duration.ofSeconds(2));
	}

	/**
	 * Works until told to end.
	 */
	public void run() {
		try {
			while (!this.ending) {
				work();
				Thread.sleep(PAUSE);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	public void end() {
		this.ending = true;
	}

	private void work() throws InterruptedException {
		JsonNode page = json(get("/dead-letters?state=open&limit=20"), 200);
		JsonNode deadLetters = (page != null) ? page.path("deadLetters") : null;
		if (deadLetters == null || deadLetters.isEmpty()) {
			return;
		}
		JsonNode deadLetter = deadLetters.get(this.random.nextInt(deadLetters.size()));
		String id = deadLetter.get("id").asString();
		int stray = stray(deadLetter);
		switch (this.random.nextInt(10)) {
			case 0 -> replayAll(REASONS.get(this.random.nextInt(REASONS.size())));
			case 1, 2 -> discard(id);
			case 3, 4, 5 -> replay(id, null, 1 + this.random.nextInt(2));
			default -> {
				if (stray >= 0) {
					this.corrections.putIfAbsent(stray, id);
					correct(stray, id, 1 + this.random.nextInt(2));
				}
			}
		}
	}

	/**
	 * Goes on, now that all is healed, until something of each kind was acknowledged, and
	 * corrects once more what was not.
	 */
	public void finish() throws InterruptedException {
		long start = System.nanoTime();
		while ((this.corrections.isEmpty() || this.replays.isEmpty() || this.discarded.isEmpty())
				&& System.nanoTime() - start < FINISH_LIMIT.toNanos()) {
			work();
			Thread.sleep(PAUSE);
		}
		for (Map.Entry<Integer, String> correction : this.corrections.entrySet()) {
			while (!this.strays.isCorrected(correction.getKey())) {
				if (System.nanoTime() - start > FINISH_LIMIT.toNanos()) {
					throw new AssertionError(
							"stray record %d could not be corrected by replaying %s, though all is healed"
								.formatted(correction.getKey(), correction.getValue()));
				}
				correct(correction.getKey(), correction.getValue(), 1);
				Thread.sleep(PAUSE);
			}
		}
	}

	private void correct(int stray, String id, int times) throws InterruptedException {
		this.strays.noteCorrection(stray, false);
		if (replay(id, Strays.correction(stray), times)) {
			this.strays.noteCorrection(stray, true);
		}
	}

	/**
	 * Replays a dead letter, by some instances at once.
	 * @return whether one has acknowledged it
	 */
	private boolean replay(String id, @Nullable String corrected, int times) throws InterruptedException {
		List<CompletableFuture<@Nullable HttpResponse<String>>> answers = new ArrayList<>();
		for (int i = 0; i < times; i++) {
			HttpRequest.Builder request = request(
					"/dead-letters/%s/replay?%s".formatted(URLEncoder.encode(id, StandardCharsets.UTF_8),
							note(new Act(id, (corrected != null) ? "corrected" : "replayed", this.access.name()))));
			answers.add(send((corrected != null)
					? request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(corrected))
					: request.POST(BodyPublishers.noBody())));
		}
		boolean acknowledged = false;
		for (CompletableFuture<@Nullable HttpResponse<String>> answer : answers) {
			JsonNode replayed = json(answer, 202);
			if (replayed != null) {
				this.replays.computeIfAbsent(id, (any) -> new HashSet<>()).add(replayed.get("position").asString());
				acknowledged = true;
			}
		}
		return acknowledged;
	}

	private void replayAll(String reason) throws InterruptedException {
		JsonNode count = json(send(request("/dead-letters/replay?reason=%s&%s".formatted(reason,
				note(new Act(null, "replayed", this.access.name()))))
			.POST(BodyPublishers.noBody())), 200);
		this.replayedTogether += (count != null) ? count.get("replayed").asInt() : 0;
	}

	private void discard(String id) throws InterruptedException {
		CompletableFuture<@Nullable HttpResponse<String>> answer = send(
				request("/dead-letters/%s?%s".formatted(URLEncoder.encode(id, StandardCharsets.UTF_8),
						note(new Act(id, "discarded", this.access.name()))))
					.DELETE());
		if (isAnswered(answer, 204)) {
			this.discarded.add(id);
		}
	}

	/** Gives an act a note of its own, as a parameter, and remembers both. */
	private String note(Act act) {
		String note = "act %d".formatted(this.asked.size());
		this.asked.put(note, act);
		return "note=" + URLEncoder.encode(note, StandardCharsets.UTF_8);
	}

	private CompletableFuture<@Nullable HttpResponse<String>> get(String path) {
		return send(request(path).GET());
	}

	private HttpRequest.Builder request(String path) {
		int port = this.ports.get(this.random.nextInt(this.ports.size()));
		return this.access.request(port, path).timeout(TIMEOUT);
	}

	/**
	 * Sends a request.
	 * @return the answer, {@code null} where none comes in time
	 */
	private CompletableFuture<@Nullable HttpResponse<String>> send(HttpRequest.Builder request) {
		// the JDK's timeout ends with the head of an answer
		return this.http.sendAsync(request.build(), BodyHandlers.ofString())
			.orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
			.handle((answer, failure) -> (failure != null) ? null : answer);
	}

	private @Nullable JsonNode json(CompletableFuture<@Nullable HttpResponse<String>> answer, int status) {
		if (!isAnswered(answer, status)) {
			return null;
		}
		try {
			return Postings.json(answer.join().body());
		}
		catch (JacksonException ex) {
			// a page that has begun can break off
			this.failures++;
			return null;
		}
	}

	private boolean isAnswered(CompletableFuture<@Nullable HttpResponse<String>> answer, int status) {
		HttpResponse<String> response = answer.join();
		boolean answered = response != null && response.statusCode() == status;
		if (response != null && !answered && response.statusCode() != 503) {
			this.unexpected
				.add("%s was answered %d: %s".formatted(response.request(), response.statusCode(), response.body()));
		}
		this.failures += answered ? 0 : 1;
		return answered;
	}

	private static int stray(JsonNode deadLetter) {
		for (JsonNode header : deadLetter.path("headers")) {
			if (header.get("name").asString().equals(Strays.HEADER)) {
				return Integer.parseInt(header.get("value").asString());
			}
		}
		return -1;
	}

	/**
	 * Whether MongoDB shows what was acknowledged, and Kafka has what MongoDB shows.
	 * @param evidence what is there, now that nothing is left to be done
	 * @return what is wrong
	 */
	public List<String> judge(Evidence evidence) {
		List<String> wrong = new ArrayList<>(this.unexpected);
		if (this.corrections.isEmpty() || this.replays.isEmpty() || this.discarded.isEmpty()) {
			wrong.add("dead letters could not be worked with: " + this);
		}
		wrong.addAll(judge(evidence, this.asked, this.replays, this.discarded, this.replayedTogether));
		return wrong;
	}

	/**
	 * Judges what is there by what was acknowledged.
	 * @param evidence what is there
	 * @param asked what was asked for, by the note that went with it
	 * @param replays the positions of replays, by the ids of the dead letters
	 * @param discarded the ids of those that were discarded
	 * @param more how many replays were acknowledged beside these, of which no more can
	 * be told than whether there are as many, whoever has heard of them
	 * @return what is wrong
	 */
	public static List<String> judge(Evidence evidence, Map<String, Act> asked, Map<String, Set<String>> replays,
			Set<String> discarded, long more) {
		Map<String, String> replayed = new HashMap<>();
		evidence.forEachRecord((record) -> {
			String of = Evidence.header(record, "replay-of");
			if (!of.isEmpty()) {
				replayed.put("%s#%d#%d".formatted(record.topic(), record.partition(), record.offset()), of);
			}
		});
		List<String> wrong = new ArrayList<>();
		Map<String, Set<String>> missing = new HashMap<>(replays);
		Set<String> notDiscarded = new HashSet<>(discarded);
		long shown = 0;
		for (BsonDocument deadLetter : evidence.deadLetters().find()) {
			String id = deadLetter.getString("_id").getValue();
			Set<String> positions = positions(deadLetter);
			shown += positions.size();
			positions.stream()
				.filter((position) -> !id.equals(replayed.get(position)))
				.forEach((position) -> wrong
					.add("dead letter %s shows a replay to %s, where it is not".formatted(id, position)));
			if (positions.containsAll(missing.getOrDefault(id, Set.of()))) {
				missing.remove(id);
			}
			String state = "open";
			for (BsonDocument entry : history(deadLetter)) {
				String action = entry.getString("action").getValue();
				Act act = asked.get(entry.getString("note", new BsonString("")).getValue());
				BsonValue by = entry.get("by");
				if (act == null || !act.is(id, action, (by != null) ? by.asString().getValue() : null)) {
					wrong.add("dead letter %s shows what nobody asked for: %s".formatted(id, entry));
				}
				if (action.equals("discarded")) {
					notDiscarded.remove(id);
				}
				state = action.equals("corrected") ? "replayed" : action;
			}
			if (!state.equals(deadLetter.getString("state").getValue())) {
				wrong.add("dead letter %s has the state %s".formatted(id, deadLetter.getString("state").getValue()));
			}
		}
		missing.forEach((id, positions) -> wrong
			.add("dead letter %s does not show its replays, of %s".formatted(id, positions)));
		notDiscarded.forEach((id) -> wrong.add("dead letter %s was discarded and does not show it".formatted(id)));
		long acknowledged = replays.values().stream().mapToInt(Set::size).sum() + more;
		if (shown < acknowledged) {
			wrong.add("%d replays were acknowledged, and %d are shown".formatted(acknowledged, shown));
		}
		return wrong;
	}

	private static Set<String> positions(BsonDocument deadLetter) {
		return history(deadLetter).stream()
			.filter((entry) -> entry.containsKey("position"))
			.map((entry) -> entry.getString("position").getValue())
			.collect(Collectors.toSet());
	}

	private static List<BsonDocument> history(BsonDocument deadLetter) {
		return deadLetter.getArray("history", new BsonArray()).stream().map(BsonValue::asDocument).toList();
	}

	/**
	 * What was done.
	 */
	@Override
	public String toString() {
		return "%d dead letters corrected, %d replays of one and %d of many acknowledged, %d discarded, %d requests without success"
			.formatted(this.corrections.size(), this.replays.values().stream().mapToInt(Set::size).sum(),
					this.replayedTogether, this.discarded.size(), this.failures);
	}

	/**
	 * What was asked for.
	 *
	 * @param deadLetter its id, {@code null} for all of a reason
	 * @param action as the history has it
	 * @param by who has asked for it, {@code null} where nobody was asked who they are
	 */
	public record Act(@Nullable String deadLetter, String action, @Nullable String by) {

		boolean is(String id, String done, @Nullable String doer) {
			return this.action.equals(done) && (this.deadLetter == null || this.deadLetter.equals(id))
					&& Objects.equals(this.by, doer);
		}

	}

}
