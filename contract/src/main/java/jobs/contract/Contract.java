package jobs.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

import jobs.contract.NotAJobException.Fault;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Decides whether bytes are a job: unambiguous JSON (RFC 8259, UTF-8) that MongoDB can
 * hold unchanged and that fits {@code job.schema.json}.
 */
public final class Contract {

	/** The largest number of broken rules that a refusal names. */
	public static final int MAX_VIOLATIONS = 100;

	/** What some editors put before UTF-8. */
	private static final String BYTE_ORDER_MARK = "\uFEFF";

	/**
	 * Reads JSON without Jackson's table of field names, whose guard against colliding
	 * hashes would refuse good jobs once the table is full.
	 */
	private final JsonMapper json = JsonMapper
		.builder(JsonFactory.builder().disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build())
		.build();

	private final JobSchema schema;

	/** Makes a contract from a JSON Schema (2020-12). */
	public Contract(String rules) {
		this.schema = new JobSchema(rules);
	}

	/** Loads {@code job.schema.json} from the class path. */
	public static Contract load() {
		try (InputStream file = Contract.class.getResourceAsStream("/job.schema.json")) {
			return new Contract(new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Accepts a job, or throws NotAJobException with its broken rules, at most
	 * {@value #MAX_VIOLATIONS}. The schema is asked where all other rules are kept.
	 */
	public void check(byte[] job) throws NotAJobException {
		read(job, (token, parser) -> {
		});
	}

	/**
	 * Checks a job as {@link #check} does, and hands its tokens to {@code sink}, whose
	 * result is worthless after an exception.
	 */
	public void read(byte[] job, TokenSink sink) throws NotAJobException {
		String text = Utf8.decode(job);
		if (text == null) {
			throw new NotAJobException(Fault.NOT_JSON,
					isUtf16(job) ? "The job is UTF-16; save it as UTF-8" : "The job is not valid UTF-8");
		}
		if (text.startsWith(BYTE_ORDER_MARK)) {
			throw new NotAJobException(Fault.NOT_JSON,
					"The job is not valid JSON: it begins with a byte order mark (U+FEFF), which no editor shows; save it as UTF-8 without one");
		}
		List<Violation> violations;
		try (JsonParser parser = this.json.createParser(text)) {
			PlainRules.Check plain = this.schema.startCheck();
			violations = new JobWalk(parser, text.contains("\\u"), plain, sink).walk();
			if (violations.isEmpty() && !plain.hasPassed()) {
				violations = this.schema.validate(this.json.readTree(text));
			}
		}
		catch (JacksonException ex) {
			throw new NotAJobException(Fault.NOT_JSON, "The job is not valid JSON, see line %d, column %d"
				.formatted(ex.getLocation().getLineNr(), ex.getLocation().getColumnNr()));
		}
		if (!violations.isEmpty()) {
			throw new NotAJobException(violations);
		}
	}

	/** Whether bytes begin with the byte order mark of UTF-16. */
	private static boolean isUtf16(byte[] job) {
		return job.length > 1 && ((job[0] == (byte) 0xFE && job[1] == (byte) 0xFF)
				|| (job[0] == (byte) 0xFF && job[1] == (byte) 0xFE));
	}

	/** Takes the tokens of a job while it is read, for example to build a document. */
	@FunctionalInterface
	public interface TokenSink {

		/**
		 * Takes the next token; the parser stands at it and gives its name or value.
		 * Tokens stop where {@link JobWalk} finds a broken rule.
		 */
		void take(JsonToken token, JsonParser parser);

	}

}
