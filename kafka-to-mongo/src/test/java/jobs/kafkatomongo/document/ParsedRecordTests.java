package jobs.kafkatomongo.document;

import java.time.Clock;

import jobs.contract.RefusedDocumentException;
import jobs.kafkatomongo.Records;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ParsedRecordTests {

	private static final String JOB = "{\"title\":\"a\",\"n\":[1,2]}";

	@Test
	void knowsTheDocumentOfTheSameBytesAlthoughSomebodyEditedIt() throws RefusedDocumentException {
		BsonDocument edited = job(JOB).document()
			.decode(new BsonDocumentCodec())
			.append("title", new BsonString("edited"));

		assertThat(job(JOB).hasDigestOf(edited)).isTrue();
		assertThat(job(JOB).hasFieldsOf(edited)).isFalse();
	}

	@Test
	void knowsTheDocumentOfTheSameFieldsAlthoughItWasFormattedAnew() throws RefusedDocumentException {
		BsonDocument formatted = job("{ \"n\": [1, 2], \"title\": \"\\u0061\" }").document();

		assertThat(job(JOB).hasDigestOf(formatted)).isFalse();
		assertThat(job(JOB).hasFieldsOf(formatted)).isTrue();
	}

	/** A client may write a number anew before it sends a job again. */
	@ParameterizedTest
	@CsvSource({ "1, 1.0, true", "100, 1e2, true", "9007199254740993, 9007199254740993.0, true", "1, 1.5, false",
			"0.1, 0.1, true", "0.1, 1e-1, true", "0, -0.0, false", "9223372036854775807, 9223372036854775808.0, false",
			"1e400, 1e400, true", "1e400, 10e399, true", "1.23456789012345678901, 1.234567890123456789010, true",
			"1.23456789012345678901, 1.23456789012345678902, false" })
	void comparesIntegersByTheirValue(String one, String other, boolean same) throws RefusedDocumentException {
		String json = "{\"title\":\"a\",\"n\":[{\"x\":%s}]}";

		assertThat(job(json.formatted(one)).hasFieldsOf(job(json.formatted(other)).document())).isEqualTo(same);
	}

	@Test
	void isAnotherJobWhenAFieldDiffers() throws RefusedDocumentException {
		assertThat(job(JOB).hasFieldsOf(job("{\"title\":\"a\",\"n\":[2,1]}").document())).isFalse();
		assertThat(job(JOB).hasFieldsOf(job("{\"title\":\"a\",\"n\":[1,2],\"x\":null}").document())).isFalse();
	}

	@Test
	void isComparedWithADocumentThatSomebodyElseMade() throws RefusedDocumentException {
		BsonDocument without = BsonDocument.parse("{\"_id\":\"x\",\"title\":\"a\",\"n\":[1,2]}");
		BsonDocument strange = BsonDocument.parse("{\"_id\":\"x\",\"title\":\"a\",\"n\":[1,2],\"_meta\":7}");

		assertThat(job(JOB).hasDigestOf(without)).isFalse();
		assertThat(job(JOB).hasDigestOf(strange)).isFalse();
		assertThat(job(JOB).hasFieldsOf(without)).isTrue();
		assertThat(job(JOB).hasFieldsOf(strange)).isTrue();
	}

	private static ParsedRecord job(String json) throws RefusedDocumentException {
		return Records.parser(Clock.systemUTC(), 1 << 20).parse(Records.record("id", json));
	}

}
