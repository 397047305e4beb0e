package jobs.endtoend.seen;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a kind of fault declares: what must tell of it, and within what time; what may
 * tell of it; and how long after its end all is back. A fault that ends before that time
 * may go unseen.
 *
 * @param fault what has happened, in the words of the document
 * @param musts what must be seen
 * @param mays what may be seen, too
 * @param back the time from the fault's end until nothing tells of it
 * @param unseen why nothing need be seen, where that is so
 * @param advice what to do
 * @param safe what is safe meanwhile
 */
public record Face(String fault, List<Must> musts, List<May> mays, Duration back, String unseen, String advice,
		String safe) {

	/** The part that whatever must be seen needs. */
	static final String MACHINE = "machine";

	private static final Duration BACK = Duration.ofSeconds(45);

	static Face of(String fault, String advice, String safe) {
		return new Face(fault, List.of(), List.of(), BACK, "", advice, safe);
	}

	/**
	 * Declares what must be seen.
	 * @param seconds within what time
	 * @param where of which services: what their names begin with
	 * @param signs each of which must be there
	 */
	Face must(int seconds, String where, Sign... signs) {
		return mustUnless(Set.of(), seconds, where, signs);
	}

	/**
	 * Declares what must be seen, unless other faults hide it.
	 * @param hiding what the names of struck parts begin with
	 */
	Face mustUnless(Set<String> hiding, int seconds, String where, Sign... signs) {
		List<Must> musts = new ArrayList<>(this.musts);
		for (Sign sign : signs) {
			musts.add(new Must(sign, where, Duration.ofSeconds(seconds), hiding));
		}
		return new Face(this.fault, List.copyOf(musts), this.mays, this.back, this.unseen, this.advice, this.safe);
	}

	Face may(String where, Sign... signs) {
		return may(where, List.of(signs));
	}

	Face may(String where, List<Sign> signs) {
		List<May> mays = new ArrayList<>(this.mays);
		signs.forEach((sign) -> mays.add(new May(sign, where)));
		return new Face(this.fault, this.musts, List.copyOf(mays), this.back, this.unseen, this.advice, this.safe);
	}

	/**
	 * Says why nothing need be seen.
	 */
	Face unseen(String reason) {
		return new Face(this.fault, this.musts, this.mays, this.back, reason, this.advice, this.safe);
	}

	Face backAfter(int seconds) {
		return new Face(this.fault, this.musts, this.mays, Duration.ofSeconds(seconds), this.unseen, this.advice,
				this.safe);
	}

	/**
	 * Whether a sign at a place may come from it.
	 */
	boolean declares(Sighting sighting) {
		return this.musts.stream().anyMatch((must) -> must.sign() == sighting.sign() && isAt(must.where(), sighting))
				|| this.mays.stream().anyMatch((may) -> may.sign() == sighting.sign() && isAt(may.where(), sighting));
	}

	private static boolean isAt(String where, Sighting sighting) {
		return sighting.where().isEmpty() || sighting.where().startsWith(where);
	}

	/**
	 * Its row in the document.
	 */
	String row() {
		return "| %s | %s | %s | %s |".formatted(this.fault, seen(), this.advice, this.safe);
	}

	private String seen() {
		Map<String, List<Sign>> told = new LinkedHashMap<>();
		this.musts.stream()
			.filter((must) -> !must.sign().isAlert())
			.forEach((must) -> told.computeIfAbsent(must.when(), (any) -> new ArrayList<>()).add(must.sign()));
		List<String> parts = new ArrayList<>();
		told.forEach((when, signs) -> parts.add("%s: %s".formatted(when, texts(signs.stream()))));
		List<Sign> fired = this.musts.stream().map(Must::sign).filter(Sign::isAlert).toList();
		if (!fired.isEmpty()) {
			parts.add("Alerts: " + texts(fired.stream()));
		}
		if (!this.unseen.isEmpty()) {
			parts.add(this.unseen);
		}
		List<Sign> possible = this.mays.stream()
			.map(May::sign)
			.filter((sign) -> sign.isAlert() && !fired.contains(sign))
			.sorted()
			.toList();
		if (!possible.isEmpty()) {
			parts.add("Perhaps " + texts(possible.stream()));
		}
		return String.join(". ", parts) + ".";
	}

	private static String texts(Stream<Sign> signs) {
		return signs.map(Sign::toString).distinct().collect(Collectors.joining(", "));
	}

	/**
	 * What must be seen.
	 *
	 * @param sign what
	 * @param where of which services: what their names begin with
	 * @param within how long it may take
	 * @param hiding what hides it: what the names of struck parts begin with
	 */
	record Must(Sign sign, String where, Duration within, Set<String> hiding) {

		/** Where and when, as a document says it. */
		String when() {
			return "%s, within %d s".formatted(this.where.isEmpty() ? "Each service" : this.where,
					this.within.toSeconds());
		}

		boolean isHiddenBy(Episode other) {
			return other.strikes()
				.stream()
				.anyMatch((part) -> part.equals(MACHINE) || this.hiding.stream().anyMatch(part::startsWith));
		}

		@Override
		public String toString() {
			return "%s%s within %d s".formatted(this.sign, this.where.isEmpty() ? "" : " of " + this.where,
					this.within.toSeconds());
		}

	}

	/**
	 * What may be seen.
	 *
	 * @param sign what
	 * @param where of which services: what their names begin with
	 */
	record May(Sign sign, String where) {

	}

}
