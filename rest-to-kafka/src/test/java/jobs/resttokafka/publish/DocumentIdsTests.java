package jobs.resttokafka.publish;

import java.util.UUID;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DocumentIdsTests {

	private final DocumentIds ids = new DocumentIds();

	@Test
	void makesIdsThatGrowWithTime() {
		String first = this.ids.forRequest(null);
		String second = this.ids.forRequest(null);

		assertThat(UUID.fromString(first).version()).isEqualTo(7);
		assertThat(second).isGreaterThan(first);
	}

	@Test
	void makesTheSameIdOfTheSameKey() {
		assertThat(this.ids.forRequest("k")).isEqualTo(new DocumentIds().forRequest("k"));
		assertThat(this.ids.forRequest("k")).isNotEqualTo(this.ids.forRequest("K"));
		assertThat(UUID.fromString(this.ids.forRequest("k")).version()).isEqualTo(5);
	}

	@Test
	void givesEveryLineOfAnUploadItsOwnId() {
		assertThat(this.ids.forLine("k", 1)).isEqualTo(new DocumentIds().forLine("k", 1));
		assertThat(this.ids.forLine("k", 1)).isNotEqualTo(this.ids.forLine("k", 2))
			.isNotEqualTo(this.ids.forRequest("k"))
			.isNotEqualTo(this.ids.forRequest("k1"));
	}

	@Test
	void keepsTheIdsOfItsKeysForEver() {
		assertThat(this.ids.forRequest("a-key")).isEqualTo("e5942bb5-5297-5af1-9931-7d7aba378804");
		assertThat(this.ids.forLine("a-key", 7)).isEqualTo("0c7c676f-fcce-51f5-86ef-552f8e20d998");
	}

}
