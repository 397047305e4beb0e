package jobs.crawler.fetch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class HostTurnsTests {

	private final HostTurns turns = new HostTurns(1);

	@Test
	void aPageKeepsItsPlaceUntilItWasRead() throws InterruptedException {
		AtomicBoolean isAsked = new AtomicBoolean();
		Thread other;
		try (Fetched _ = this.turns.take("one.example", Duration.ZERO, Answer.NotModified::new)) {
			other = new Thread(() -> take("other.example", isAsked));
			other.start();
			while (other.getState() != Thread.State.WAITING) {
				Thread.onSpinWait();
			}
			assertThat(isAsked).isFalse();
		}
		other.join();
		assertThat(isAsked).isTrue();
	}

	@Test
	void aRequestThatFailsGivesItsPlaceBack() throws InterruptedException {
		AtomicBoolean isAsked = new AtomicBoolean();
		assertThatThrownBy(() -> this.turns.take("one.example", Duration.ZERO, () -> {
			throw new IllegalStateException("broken");
		})).hasMessage("broken");
		take("one.example", isAsked);
		assertThat(isAsked).isTrue();
	}

	private void take(String host, AtomicBoolean isAsked) {
		try (Fetched _ = this.turns.take(host, Duration.ZERO, () -> {
			isAsked.set(true);
			return new Answer.NotModified();
		})) {
			Thread.onSpinWait();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
