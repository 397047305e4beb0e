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
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Decides whether bytes are a job that can be kept to the last digit: JSON (RFC 8259,
 * UTF-8) that means one thing, that MongoDB can hold unchanged, and that fits
 * {@code job.schema.json}.
 */
public final class Contract {

	/** Broken rules of one job that are named. */
	public static final int MAX_VIOLATIONS = 100;

	/**
	 * Keeps no table of field names. Jackson's guard against colliding hashes would
	 * refuse good jobs once that table is full.
	 */
	private final JsonMapper json = JsonMapper
		.builder(JsonFactory.builder().disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build())
		.build();

	private final JobSchema schema;

	/**
	 * Makes a contract of some rules.
	 * @param rules a JSON Schema (2020-12)
	 */
	public Contract(String rules) {
		this.schema = new JobSchema(rules);
	}

	/**
	 * Loads {@code job.schema.json} from the class path.
	 */
	public static Contract load() {
		try (InputStream file = Contract.class.getResourceAsStream("/job.schema.json")) {
			return new Contract(new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Lets a job pass or refuses it.
	 * @param job the posted bytes
	 * @throws NotAJobException with every broken rule, at most {@value #MAX_VIOLATIONS}
	 */
	public void check(byte[] job) throws NotAJobException {
		read(job, (token, parser) -> {
		});
	}

	/**
	 * Reads a job, and hands on its tokens.
	 * @param job the posted bytes
	 * @param sink where the tokens go; what it made is of no use after an exception
	 * @throws NotAJobException with every broken rule, at most {@value #MAX_VIOLATIONS}
	 */
	public void read(byte[] job, TokenSink sink) throws NotAJobException {
		String text = Utf8.decode(job);
		if (text == null) {
			throw new NotAJobException(Fault.NOT_JSON, "The job is not valid UTF-8");
		}
		List<Violation> violations;
		try (JsonParser parser = this.json.createParser(text)) {
			PlainRules.Check plain = this.schema.startCheck();
			violations = new JobWalk(parser, text.contains("\\u"), plain, sink).walk();
			if (violations.isEmpty() && !plain.hasPassed()) {
				violations = this.schema.validate(this.json.readTree(text));
			}
		}
		catch (StreamConstraintsException ex) {
			throw new NotAJobException(Fault.CONTRACT, "A field name or a number in the job is too long");
		}
		catch (JacksonException ex) {
			throw new NotAJobException(Fault.NOT_JSON, "The job is not valid JSON, see line %d, column %d"
				.formatted(ex.getLocation().getLineNr(), ex.getLocation().getColumnNr()));
		}
		if (!violations.isEmpty()) {
			throw new NotAJobException(violations);
		}
	}

	/**
	 * Takes the tokens of a job while it is read, for example to build a document.
	 */
	@FunctionalInterface
	public interface TokenSink {

		/**
		 * Takes the next token. After a broken rule none comes any more.
		 * @param token the token
		 * @param parser stands at the token and gives its name or value
		 */
		void take(JsonToken token, JsonParser parser);

	}

}
