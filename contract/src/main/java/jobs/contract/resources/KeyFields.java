package jobs.contract.resources;

import java.util.List;
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
			requireKey(entry, "id", this.id, contract);
			requireKey(entry, "version", this.version, contract);
			if (this.expires != null && !List.of("string", "null").containsAll(contract.field(this.expires).types())) {
				throw entry.fault("expires",
						"a contract lets %s be something else than a text, a date-time".formatted(this.expires));
			}
		}
	}

	private static void requireKey(ResourceEntry entry, String key, @Nullable String pointer, Contract contract) {
		if (pointer == null) {
			return;
		}
		Contract.Field field = contract.field(pointer);
		if (!field.isRequired()) {
			throw entry.fault(key, "a contract does not require %s".formatted(pointer));
		}
		if (!field.types().equals(List.of("integer")) && !field.types().equals(List.of("string"))) {
			throw entry.fault(key, "a contract lets %s be %s; it must be of the type integer or string alone"
				.formatted(pointer, String.join(", ", field.types())));
		}
	}

}
