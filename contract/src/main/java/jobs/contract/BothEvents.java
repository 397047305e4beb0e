package jobs.contract;

/**
 * Two that take the same parts.
 *
 * @param first gets each part first
 * @param second gets each part then
 */
record BothEvents(JsonEvents first, JsonEvents second) implements JsonEvents {

	@Override
	public void beginObject() {
		this.first.beginObject();
		this.second.beginObject();
	}

	@Override
	public void beginArray() {
		this.first.beginArray();
		this.second.beginArray();
	}

	@Override
	public void endObject() {
		this.first.endObject();
		this.second.endObject();
	}

	@Override
	public void endArray() {
		this.first.endArray();
		this.second.endArray();
	}

	@Override
	public void name(String name) {
		this.first.name(name);
		this.second.name(name);
	}

	@Override
	public void string(Text text) {
		this.first.string(text);
		this.second.string(text);
	}

	@Override
	public void number(long value) {
		this.first.number(value);
		this.second.number(value);
	}

	@Override
	public void number(Text decimal) {
		this.first.number(decimal);
		this.second.number(decimal);
	}

	@Override
	public void literal(boolean value) {
		this.first.literal(value);
		this.second.literal(value);
	}

	@Override
	public void literalNull() {
		this.first.literalNull();
		this.second.literalNull();
	}

}
