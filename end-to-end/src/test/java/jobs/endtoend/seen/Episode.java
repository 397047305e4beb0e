package jobs.endtoend.seen;

import java.util.Set;

/**
 * A fault that has happened.
 *
 * @param name what it was, in words
 * @param face what it declared
 * @param strikes the parts of the installation that it struck
 * @param began when somebody began to bring it about
 * @param struck when it was there
 * @param healed when it was healed
 */
record Episode(String name, Face face, Set<String> strikes, long began, long struck, long healed) {

	/** How long a look takes at most: a sign may be dated that much before its cause. */
	private static final long LEAD = 6000;

	/**
	 * The milliseconds in which the jobs that waited are worked off, while others come.
	 */
	private static final long CATCHING_UP = 180_000;

	/**
	 * When its signs may be there.
	 */
	Span aura() {
		return new Span(this.began - LEAD, this.healed + this.face.back().toMillis());
	}

	/**
	 * When a sign of it may be there: that of a backlog, until the jobs have caught up.
	 */
	Span aura(Sign sign) {
		boolean hasBacklog = sign.isOfABacklog() && this.face != Faces.BACKLOG;
		return hasBacklog ? new Span(aura().from(), aura().to() + CATCHING_UP) : aura();
	}

	@Override
	public String toString() {
		return "%s, %s".formatted(this.name, new Span(this.began, this.healed));
	}

}
