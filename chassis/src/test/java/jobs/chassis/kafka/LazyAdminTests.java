package jobs.chassis.kafka;

import java.util.Map;

import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The admin client that all share. */
class LazyAdminTests {

	@Test
	void makesNoClientAfterItsEnd() {
		LazyAdmin admin = new LazyAdmin(Map.of("bootstrap.servers", "127.0.0.1:1"));

		admin.destroy();

		assertThatExceptionOfType(KafkaException.class).isThrownBy(admin::get).withMessage("This service stops");
	}

}
