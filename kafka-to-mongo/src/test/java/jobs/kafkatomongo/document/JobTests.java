package jobs.kafkatomongo.document;

import java.time.Clock;

import jobs.contract.NotAJobException;
import jobs.kafkatomongo.Records;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JobTests {

	private static final String JOB = "{\"title\":\"a\",\"n\":[1,2]}";

	@Test
	void knowsTheDocumentOfTheSameBytesAlthoughSomebodyEditedIt() throws NotAJobException {
		BsonDocument edited = job(JOB).document()
			.decode(new BsonDocumentCodec())
			.append("title", new BsonString("edited"));

		assertThat(job(JOB).hasDigestOf(edited)).isTrue();
		assertThat(job(JOB).hasFieldsOf(edited)).isFalse();
	}

	@Test
	void knowsTheDocumentOfTheSameFieldsAlthoughItWasFormattedAnew() throws NotAJobException {
		BsonDocument formatted = job("{ \"n\": [1, 2], \"title\": \"\\u0061\" }").document();

		assertThat(job(JOB).hasDigestOf(formatted)).isFalse();
		assertThat(job(JOB).hasFieldsOf(formatted)).isTrue();
	}

	@Test
	void isAnotherJobWhenAFieldDiffers() throws NotAJobException {
		assertThat(job(JOB).hasFieldsOf(job("{\"title\":\"a\",\"n\":[2,1]}").document())).isFalse();
		assertThat(job(JOB).hasFieldsOf(job("{\"title\":\"a\",\"n\":[1,2],\"x\":null}").document())).isFalse();
	}

	@Test
	void isComparedWithADocumentThatSomebodyElseMade() throws NotAJobException {
		BsonDocument without = BsonDocument.parse("{\"_id\":\"x\",\"title\":\"a\",\"n\":[1,2]}");
		BsonDocument strange = BsonDocument.parse("{\"_id\":\"x\",\"title\":\"a\",\"n\":[1,2],\"_meta\":7}");

		assertThat(job(JOB).hasDigestOf(without)).isFalse();
		assertThat(job(JOB).hasDigestOf(strange)).isFalse();
		assertThat(job(JOB).hasFieldsOf(without)).isTrue();
		assertThat(job(JOB).hasFieldsOf(strange)).isTrue();
	}

	private static Job job(String json) throws NotAJobException {
		return new JobParser(Clock.systemUTC(), 1 << 20).parse(Records.record("id", json));
	}

}
