package jobs.endtoend.pair;

import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PostingsTests {

	@ParameterizedTest
	@ValueSource(strings = { "{}", "{\"a\":1,\"b\":[]}", "{\"a\":{\"b\":[null,true,\"x\",{}]},\"c\":\"\"}",
			"{\"n\":[2147483647,2147483648,9223372036854775807,0.1,1.5]}" })
	void takesADocumentOfTheSameFieldsForTheSame(String posting) {
		assertThat(Postings.same(posting, stored(posting))).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "{} | {'a':null}", "{'a':null} | {}", "{'a':1,'b':2} | {'b':2,'a':1}", "{'a':1} | {'a':2}",
					"{'a':1} | {'a':'1'}", "{'a':'x'} | {'a':'X'}", "{'a':true} | {'a':false}", "{'a':null} | {'a':0}",
					"{'a':[]} | {'a':{}}", "{'a':[1]} | {'a':[1,2]}", "{'a':[1,2]} | {'a':[2,1]}",
					"{'a':{'b':1,'c':2}} | {'a':{'c':2,'b':1}}", "{'a':[{'b':1}]} | {'a':[{'b':1,'c':1}]}",
					"{'a':0.1} | {'a':0.10000000000000002}", "{'a':1} | {'a':{'$numberDecimal':'1.0001'}}" })
	void seesEveryDifference(String posting, String document) {
		assertThat(Postings.same(posting.replace('\'', '"'), stored(document))).isFalse();
	}

	@Test
	void comparesNumbersByValueAndTheSignOfZero() {
		BsonValue decimal = BsonDocument.parse("{a:{$numberDecimal:'1E+400'}}").get("a");

		assertThat(sameNumber("1", new BsonInt32(1))).isTrue();
		assertThat(sameNumber("1.0e0", new BsonInt32(1))).isTrue();
		assertThat(sameNumber("10e399", decimal)).isTrue();
		assertThat(sameNumber("9007199254740993", new BsonDouble(9007199254740992.0))).isFalse();
		assertThat(sameNumber("-0", new BsonDouble(-0.0))).isTrue();
		assertThat(sameNumber("-0.0", new BsonInt32(0))).isFalse();
		assertThat(sameNumber("0", new BsonDouble(-0.0))).isFalse();
		assertThat(sameNumber("0e5", new BsonDouble(0.0))).isTrue();
	}

	@Test
	void wantsTheFieldsOfTheService() {
		assertThat(Postings.same("{\"a\":1}", BsonDocument.parse("{_id:'x',a:1}"))).isFalse();
		assertThat(Postings.same("{\"a\":1}", BsonDocument.parse("{_meta:{},a:1}"))).isFalse();
	}

	private static boolean sameNumber(String posting, BsonValue number) {
		return Postings.same("{\"n\":" + posting + "}", stored("{}").append("n", number));
	}

	private static BsonDocument stored(String fields) {
		BsonDocument document = new BsonDocument("_id", new BsonInt32(1));
		document.putAll(BsonDocument.parse(fields));
		return document.append("_meta", new BsonDocument());
	}

}
