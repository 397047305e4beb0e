package jobs.kafkatomongo.document;

import java.math.BigDecimal;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

import jobs.contract.RefusedDocumentException;
import jobs.kafkatomongo.Records;
import jobs.testkit.RandomJobs;
import jobs.testkit.RandomJobs.Field;
import jobs.testkit.RandomJobs.Fields;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.codecs.BsonDocumentCodec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever job chance makes, its document is equal to it, field by field and in order. A
 * negative zero keeps its sign, as a double.
 */
class FidelityTests {

	private final RecordParser parser = Records.parser(Clock.systemUTC(), 1 << 20);

	@Test
	void keepsWhateverJobChanceMakes() {
		long seed = RandomJobs.seed();
		for (int i = 0; i < RandomJobs.cases(3000); i++) {
			RandomJobs.Job job = new RandomJobs(seed + i).job();

			assertThat(stored(job.json())).as("-Dseed=%d -Dcases=1: %s", seed + i, job.json()).isEqualTo(job.fields());
		}
	}

	private @Nullable Object stored(String job) {
		try {
			BsonDocument document = this.parser.parse(Records.record("id", job))
				.document()
				.decode(new BsonDocumentCodec());
			document.remove("_id");
			document.remove("_meta");
			return value(document);
		}
		catch (RefusedDocumentException ex) {
			return ex.detail();
		}
	}

	private static @Nullable Object value(BsonValue value) {
		return switch (value.getBsonType()) {
			case NULL -> null;
			case BOOLEAN -> value.asBoolean().getValue();
			case STRING -> value.asString().getValue();
			case INT32, INT64 -> BigDecimal.valueOf(value.asNumber().longValue()).stripTrailingZeros();
			case DOUBLE -> number(value.asDouble().getValue());
			case DECIMAL128 -> value.asDecimal128().getValue().bigDecimalValue().stripTrailingZeros();
			case ARRAY -> {
				List<@Nullable Object> values = new ArrayList<>();
				value.asArray().forEach((element) -> values.add(value(element)));
				yield values;
			}
			case DOCUMENT -> new Fields(value.asDocument()
				.entrySet()
				.stream()
				.map((field) -> new Field(field.getKey(), value(field.getValue())))
				.toList());
			default -> value;
		};
	}

	private static Object number(double value) {
		return (value == 0 && 1 / value < 0) ? (Object) value : BigDecimal.valueOf(value).stripTrailingZeros();
	}

}
