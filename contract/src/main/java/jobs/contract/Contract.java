package jobs.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import jobs.contract.RefusedDocumentException.Fault;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Decides whether bytes are a document: unambiguous JSON (RFC 8259, UTF-8) that MongoDB
 * can hold unchanged and that fits {@code job.schema.json}, or another JSON Schema
 * (2020-12).
 */
public final class Contract {

	/** The largest number of broken rules that a refusal names. */
	public static final int MAX_VIOLATIONS = 100;

	/** What some editors put before UTF-8. */
	private static final String BYTE_ORDER_MARK = "\uFEFF";

	/**
	 * Reads JSON without Jackson's table of field names, whose guard against colliding
	 * hashes would refuse good documents once the table is full.
	 */
	private final JsonMapper json = JsonMapper
		.builder(JsonFactory.builder().disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build())
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.build();

	private final KnownNames names = new KnownNames();

	private final CompiledContract compiled;

	private final ContractSettings settings;

	/**
	 * Makes a contract from a JSON Schema (2020-12) that refers to no other file. Throws
	 * ContractException where it is none.
	 */
	public Contract(String rules) {
		this(SchemaFile.parse("schema", rules), new SchemaFolder(null), ContractSettings.DEFAULTS);
	}

	private Contract(SchemaFile file, SchemaFolder folder, ContractSettings settings) {
		this.compiled = CompiledContract.of(() -> SchemaBundle.read(file, folder), settings);
		this.settings = settings;
	}

	/** Loads {@code job.schema.json} from the class path. */
	public static Contract load() {
		try (InputStream file = Contract.class.getResourceAsStream("/job.schema.json")) {
			SchemaFile schema = SchemaFile.parse("job.schema.json", Objects.requireNonNull(file).readAllBytes());
			return new Contract(schema, new SchemaFolder(null), ContractSettings.DEFAULTS);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Makes a contract from a file with a JSON Schema (2020-12) that may refer to files
	 * of its folder and those below it, up to 1 MiB each and 4 MiB together. Nothing else
	 * is read, and it takes ten seconds at most. Throws ContractException with the file,
	 * the place and the reason where the contract is refused.
	 */
	public static Contract of(Path schemaFile, ContractSettings settings) {
		return new Contract(SchemaFolder.open(schemaFile), new SchemaFolder(schemaFile.toAbsolutePath().getParent()),
				settings);
	}

	/** The contract as one JSON text, with all files that it is made of. */
	public String schema() {
		return this.compiled.text();
	}

	/**
	 * The SHA-256 of {@link #schema()} in UTF-8, in lower-case hexadecimal digits.
	 */
	public String digest() {
		return this.compiled.digest();
	}

	/** How it is read. */
	public ContractSettings settings() {
		return this.settings;
	}

	/** The keywords that refuse nothing although they look as if, each with its place. */
	public List<String> warnings() {
		return this.compiled.warnings();
	}

	/** What the contract says of a field, given as a JSON Pointer through objects. */
	public Field field(String pointer) {
		return this.compiled.field(pointer);
	}

	/** Whether no document needs the validator to be accepted. */
	boolean isDecided() {
		return this.compiled.rules().isDecided();
	}

	/**
	 * Accepts a document, or throws RefusedDocumentException with its broken rules, at
	 * most {@value #MAX_VIOLATIONS}. The schema is asked where all other rules are kept.
	 */
	public void check(byte[] document) throws RefusedDocumentException {
		read(document);
	}

	/**
	 * Checks a document as {@link #check} does, and hands its parts to {@code sinks},
	 * whose results are worthless after an exception.
	 */
	public void read(byte[] document, JsonSink... sinks) throws RefusedDocumentException {
		if (isDecided()) {
			if (isSurelyRight(document, sinks)) {
				return;
			}
			restart(sinks);
		}
		readTokens(document, sinks);
	}

	private static void restart(JsonSink[] sinks) {
		for (JsonSink sink : sinks) {
			sink.restart();
		}
	}

	/** Whether a document keeps the contract; where not, it may still do so. */
	private boolean isSurelyRight(byte[] document, JsonSink[] sinks) {
		RuleWalk walk = this.compiled.rules().start();
		return new ByteWalk(document, events(walk, sinks), this.names, this.settings.ownId()).accepts() && walk.fits();
	}

	private static JsonEvents events(RuleWalk walk, JsonSink[] sinks) {
		JsonEvents events = walk;
		for (JsonSink sink : sinks) {
			events = new BothEvents(events, sink);
		}
		return events;
	}

	private void readTokens(byte[] document, JsonSink[] sinks) throws RefusedDocumentException {
		String text = Utf8.decode(document);
		if (text == null) {
			throw new RefusedDocumentException(Fault.NOT_JSON,
					(isUtf16(document) ? "The %s is UTF-16; save it as UTF-8" : "The %s is not valid UTF-8")
						.formatted(this.settings.noun()));
		}
		if (text.startsWith(BYTE_ORDER_MARK)) {
			throw new RefusedDocumentException(Fault.NOT_JSON,
					"The %s is not valid JSON: it begins with a byte order mark (U+FEFF), which no editor shows; save it as UTF-8 without one"
						.formatted(this.settings.noun()));
		}
		RuleWalk walk = this.compiled.rules().start();
		List<Violation> violations = walk(text, events(walk, sinks));
		if (violations.isEmpty()
				&& !this.compiled.rules().accept(walk, () -> this.json.readTree(text), text.length())) {
			// nobody wants what they hold, and there is no room beside the tree for it
			restart(sinks);
			violations = this.compiled.validator().validate(this.json.readTree(text), text.length());
		}
		if (!violations.isEmpty()) {
			throw new RefusedDocumentException(this.settings.noun(), violations);
		}
	}

	private List<Violation> walk(String text, JsonEvents events) throws RefusedDocumentException {
		try (JsonParser parser = this.json.createParser(text)) {
			return new DocumentWalk(parser, text.contains("\\u"), events, this.settings).walk();
		}
		catch (JacksonException ex) {
			throw new RefusedDocumentException(Fault.NOT_JSON, "The %s is not valid JSON, see line %d, column %d"
				.formatted(this.settings.noun(), ex.getLocation().getLineNr(), ex.getLocation().getColumnNr()));
		}
	}

	/** Whether bytes begin with the byte order mark of UTF-16. */
	private static boolean isUtf16(byte[] document) {
		return document.length > 1 && ((document[0] == (byte) 0xFE && document[1] == (byte) 0xFF)
				|| (document[0] == (byte) 0xFF && document[1] == (byte) 0xFE));
	}

	/**
	 * What a contract says of a field.
	 *
	 * @param isRequired whether each document has it
	 * @param types the types that its value may have, as JSON Schema names them: either
	 * {@code integer} or {@code number}, and no {@code boolean} where one is not allowed
	 */
	public record Field(boolean isRequired, List<String> types) {

	}

}
