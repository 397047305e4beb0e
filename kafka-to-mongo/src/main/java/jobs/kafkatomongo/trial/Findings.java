package jobs.kafkatomongo.trial;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import com.fasterxml.jackson.annotation.JsonInclude;
import jobs.contract.RefusedDocumentException;
import jobs.contract.Violation;
import org.jspecify.annotations.Nullable;

/**
 * Gathers what a contract refuses, by kinds of broken rules. However much is refused, it
 * needs little memory.
 */
final class Findings {

	/** Kinds of faults that a trial tells apart; those that are found later are not. */
	static final int MAX_KINDS = 100;

	private static final int MAX_EXAMPLES = 10;

	/** Characters of an id or of the words of a rule in a trial. */
	private static final int MAX_TEXT = 500;

	private static final Pattern INDEX = Pattern.compile("/\\d+(?=/|$)");

	/** The place in a text that is no JSON is no kind of its own. */
	private static final Pattern PLACE = Pattern.compile(", see line \\d+, column \\d+$");

	private final Map<Rule, Broken> kinds = new LinkedHashMap<>();

	private boolean hasMoreKinds;

	private long passed;

	private long refused;

	private @Nullable Instant since;

	private @Nullable Instant until;

	void pass() {
		this.passed++;
	}

	/** Notes a document, with the time when it was accepted where that is known. */
	void refuse(String id, @Nullable Instant acceptedAt, RefusedDocumentException refusal) {
		this.refused++;
		if (acceptedAt != null) {
			this.since = (this.since == null || acceptedAt.isBefore(this.since)) ? acceptedAt : this.since;
			this.until = (this.until == null || acceptedAt.isAfter(this.until)) ? acceptedAt : this.until;
		}
		for (Rule rule : rules(refusal)) {
			Broken kind = this.kinds.get(rule);
			if (kind == null && this.kinds.size() >= MAX_KINDS) {
				this.hasMoreKinds = true;
				continue;
			}
			this.kinds.computeIfAbsent(rule, (_) -> new Broken()).by(cut(id));
		}
	}

	/** A document with many elements at fault is one document of a kind. */
	private static Set<Rule> rules(RefusedDocumentException refusal) {
		Set<Rule> rules = new LinkedHashSet<>();
		if (refusal.violations().isEmpty()) {
			rules.add(new Rule("", cut(PLACE.matcher(refusal.detail()).replaceFirst(""))));
		}
		for (Violation one : refusal.violations()) {
			rules.add(new Rule(INDEX.matcher(one.pointer()).replaceAll("/*"), cut(one.detail())));
		}
		return rules;
	}

	private static String cut(String text) {
		return (text.length() <= MAX_TEXT) ? text : text.substring(0, MAX_TEXT) + "...";
	}

	/** All that was gathered; the kinds with most documents come first. */
	Summary summary() {
		List<Kind> all = new ArrayList<>();
		this.kinds.forEach((rule, broken) -> all
			.add(new Kind(rule.pointer(), rule.detail(), broken.count, List.copyOf(broken.examples))));
		all.sort(Comparator.comparingLong(Kind::count).reversed());
		return new Summary(this.passed + this.refused, this.passed, this.refused, text(this.since), text(this.until),
				all, this.hasMoreKinds);
	}

	private static @Nullable String text(@Nullable Instant time) {
		return (time != null) ? time.toString() : null;
	}

	private record Rule(String pointer, String detail) {

	}

	/** The documents that break a rule. */
	private static final class Broken {

		private final List<String> examples = new ArrayList<>();

		private long count;

		void by(String id) {
			this.count++;
			if (this.examples.size() < MAX_EXAMPLES) {
				this.examples.add(id);
			}
		}

	}

	/**
	 * A kind of refusals.
	 *
	 * @param pointer the field at fault, with {@code *} for each index of an array; empty
	 * for the whole document
	 * @param detail the rule, in a few words
	 * @param count how many documents break it
	 * @param examples ids of some of them
	 */
	record Kind(String pointer, String detail, long count, List<String> examples) {

	}

	/**
	 * What was gathered.
	 *
	 * @param since when the first of the refused was accepted
	 * @param until when the last of them was
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Summary(long read, long passed, long refused, @Nullable String since, @Nullable String until,
			List<Kind> kinds, boolean hasMoreKinds) {

	}

}
