package jobs.contract;

import java.net.URI;

import tools.jackson.databind.JsonNode;

/** A schema within a contract: where it stands, and what it says. */
final class Subschema {

	private final String pointer;

	private final URI base;

	private final JsonNode node;

	Subschema(String pointer, URI base, JsonNode node) {
		this.pointer = pointer;
		this.base = base;
		this.node = node;
	}

	/** Where it stands, from the root of the bundle (RFC 6901). */
	String pointer() {
		return this.pointer;
	}

	/** The address that its references go from. */
	URI base() {
		return this.base;
	}

	JsonNode node() {
		return this.node;
	}

	/** The value of a keyword; a missing node where it does not stand there. */
	JsonNode get(String keyword) {
		return this.node.path(keyword);
	}

	boolean has(String keyword) {
		return this.node.has(keyword);
	}

	/** A name as a part of a JSON Pointer. */
	static String escape(String name) {
		return name.replace("~", "~0").replace("/", "~1");
	}

}
