package jobs.kafkatomongo;

import java.time.Clock;

import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JobTests {

	private static final String JOB = "{\"title\":\"a\",\"n\":[1,2]}";

	@Test
	void isTheSameAsTheDocumentOfTheSameBytes() throws BadJobException {
		assertThat(job(JOB).isSameAs(job(JOB).document())).isTrue();
	}

	@Test
	void isTheSameWhenSomebodyEditedTheDocument() throws BadJobException {
		BsonDocument edited = job(JOB).document().append("title", new BsonString("edited"));

		assertThat(job(JOB).isSameAs(edited)).isTrue();
	}

	@Test
	void isTheSameWhenItWasFormattedAnew() throws BadJobException {
		assertThat(job("{ \"n\": [1, 2], \"title\": \"\\u0061\" }").isSameAs(job(JOB).document())).isTrue();
	}

	@Test
	void isAnotherJobWhenAFieldDiffers() throws BadJobException {
		assertThat(job(JOB).isSameAs(job("{\"title\":\"a\",\"n\":[2,1]}").document())).isFalse();
		assertThat(job(JOB).isSameAs(job("{\"title\":\"a\",\"n\":[1,2],\"x\":null}").document())).isFalse();
	}

	@Test
	void isComparedByFieldsWithADocumentThatSomebodyElseMade() {
		assertThat(sameAs("{\"_id\":\"x\",\"title\":\"a\",\"n\":[1,2]}")).isTrue();
		assertThat(sameAs("{\"_id\":\"x\",\"title\":\"b\",\"_meta\":7}")).isFalse();
	}

	private static boolean sameAs(String document) {
		try {
			return job(JOB).isSameAs(BsonDocument.parse(document));
		}
		catch (BadJobException ex) {
			throw new AssertionError(ex);
		}
	}

	private static Job job(String json) throws BadJobException {
		return new JobParser(Clock.systemUTC()).parse(Records.record("id", json));
	}

}
