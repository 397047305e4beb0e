package jobs.resttokafka.publish;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each state is told, and none more often than every ten seconds.
 */
class AcknowledgementLogTests {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(AcknowledgementLog.class);

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private long now = Long.MAX_VALUE;

	private final AcknowledgementLog log = new AcknowledgementLog(() -> this.now);

	@BeforeEach
	void listen() {
		this.lines.start();
		LOGGER.addAppender(this.lines);
	}

	@AfterEach
	void stopListening() {
		LOGGER.detachAppender(this.lines);
	}

	@Test
	void saysNothingWhileAllIsWell() {
		this.log.acknowledged();
		pass(60);

		assertThat(lines()).isEmpty();
	}

	@Test
	void tellsAnOutageAtOnceAndItsEndAfterTenSecondsWithoutARefusal() {
		refuse();
		assertThat(lines()).containsExactly("WARN acknowledged=0 refused=1");

		this.log.acknowledged();
		pass(9);
		assertThat(lines()).hasSize(1);
		pass(1);

		assertThat(lines()).containsExactly("WARN acknowledged=0 refused=1", "INFO acknowledged=1 refused=0");
		pass(60);
		assertThat(lines()).hasSize(2);
	}

	@Test
	void tellsAlternatingOutcomesEveryTenSeconds() {
		for (int second = 0; second < 30; second++) {
			for (int i = 0; i < 10; i++) {
				refuse();
				this.log.acknowledged();
			}
			pass(1);
		}

		assertThat(lines()).containsExactly("WARN acknowledged=0 refused=1", "WARN acknowledged=100 refused=99",
				"WARN acknowledged=100 refused=100", "WARN acknowledged=100 refused=100");
		pass(10);
		assertThat(lines()).hasSize(5).last().isEqualTo("INFO acknowledged=0 refused=0");
	}

	/**
	 * Where nobody posts, nobody knows.
	 */
	@Test
	void doesNotTellTheEndBeforeAJobWasAcknowledged() {
		refuse();
		refuse();
		pass(60);
		assertThat(lines()).containsExactly("WARN acknowledged=0 refused=1", "WARN acknowledged=0 refused=1");

		this.log.acknowledged();
		pass(1);

		assertThat(lines()).hasSize(3).last().isEqualTo("INFO acknowledged=1 refused=0");
	}

	@Test
	void tellsTheNextOutageAtOnce() {
		refuse();
		this.log.acknowledged();
		pass(10);

		refuse();

		assertThat(lines()).hasSize(3).last().isEqualTo("WARN acknowledged=0 refused=1");
	}

	private void refuse() {
		this.log.refused(new TimeoutException("No leader"));
	}

	private void pass(int seconds) {
		for (int i = 0; i < seconds; i++) {
			this.now += Duration.ofSeconds(1).toNanos();
			this.log.logIfFailing();
		}
	}

	private List<String> lines() {
		return this.lines.list.stream().map((line) -> {
			List<String> counts = line.getKeyValuePairs().stream().map((pair) -> pair.key + "=" + pair.value).toList();
			return line.getLevel() + " " + String.join(" ", counts);
		}).toList();
	}

}
