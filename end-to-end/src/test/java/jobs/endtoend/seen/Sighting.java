package jobs.endtoend.seen;

/**
 * A sign that was there for a while.
 *
 * @param sign what was seen
 * @param where the service, or nothing for a sign of the pair as a whole
 * @param span when
 * @param detail what else was seen of it, or nothing
 */
record Sighting(Sign sign, String where, Span span, String detail) {

	@Override
	public String toString() {
		return "%s%s, %s%s".formatted(this.sign, this.where.isEmpty() ? "" : " of " + this.where, this.span,
				this.detail.isEmpty() ? "" : ": " + this.detail);
	}

}
