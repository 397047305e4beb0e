package jobs.contract.resources;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jobs.contract.Contract;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a document that decide where it is stored and for how long, as JSON
 * Pointers.
 *
 * @param id the field that becomes the document's {@code _id}; {@code null} where
 * rest-to-kafka makes one
 * @param version the field by which the newest version of a document is known;
 * {@code null} where the first document of an id stays
 * @param expires the field with the time after which MongoDB removes the document;
 * {@code null} where it stays
 */
public record KeyFields(@Nullable String id, @Nullable String version, @Nullable String expires) {

	/** None of them. */
	public static final KeyFields NONE = new KeyFields(null, null, null);

	/** Whether a document has any of them. */
	public boolean areAny() {
		return this.id != null || this.version != null || this.expires != null;
	}

	/** What decides on a document beside the contract, as one text. */
	String text() {
		return Stream.of(this.id, this.version, this.expires).map(String::valueOf).collect(Collectors.joining("\n"));
	}

	/** Takes the fields of one document. */
	public KeyReader reader() {
		return new KeyReader(this);
	}

	/** Throws ResourcesException where the contracts do not promise these fields. */
	void require(ResourceEntry entry, List<Contract> contracts) {
		if (this.version != null && this.id == null) {
			throw entry.fault("version", "it needs an 'id', which says of what it is a version");
		}
		for (Contract contract : contracts) {
			for (Map.Entry<String, String> lack : lacks(contract).entrySet()) {
				throw entry.fault(lack.getKey(), lack.getValue());
			}
		}
	}

	/**
	 * The fields that a contract does not promise, by their keys, each with the reason.
	 */
	public Map<String, String> lacks(Contract contract) {
		Map<String, String> lacks = new LinkedHashMap<>();
		requireKey("id", this.id, contract, lacks);
		requireKey("version", this.version, contract, lacks);
		if (this.expires != null && !List.of("string", "null").containsAll(contract.field(this.expires).types())) {
			lacks.put("expires",
					"a contract lets %s be something else than a text, a date-time".formatted(this.expires));
		}
		return lacks;
	}

	private static void requireKey(String key, @Nullable String pointer, Contract contract, Map<String, String> lacks) {
		if (pointer == null) {
			return;
		}
		Contract.Field field = contract.field(pointer);
		if (!field.isRequired()) {
			lacks.put(key,
					("a contract does not require %s; beside 'if', 'oneOf' and the like, 'required' and 'properties' must"
							+ " stand outside of 'allOf'")
						.formatted(pointer));
		}
		else if (!field.types().equals(List.of("integer")) && !field.types().equals(List.of("string"))) {
			lacks.put(key, "a contract lets %s be %s; it must be of the type integer or string alone".formatted(pointer,
					String.join(", ", field.types())));
		}
	}

}
