package jobs.chassis.kafka;

import java.time.Duration;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;

/**
 * Kafka's admin client, one for all that ask. It is made on first use: a host name that
 * can't be resolved yet is an outage, and must not end the service.
 */
public final class LazyAdmin implements DisposableBean {

	private final Map<String, Object> configuration;

	private @Nullable Admin admin;

	private boolean closed;

	/** Makes no client yet; the configuration has Kafka's own names. */
	public LazyAdmin(Map<String, Object> configuration) {
		this.configuration = configuration;
	}

	/** The client. Throws KafkaException while it can't be made, or after the end. */
	public synchronized Admin get() {
		if (this.closed) {
			throw new KafkaException("This service stops");
		}
		if (this.admin == null) {
			this.admin = Admin.create(this.configuration);
		}
		return this.admin;
	}

	/**
	 * Makes the client meanwhile, for who asks soon; if it can't be made, they try again.
	 */
	void begin() {
		Thread.startVirtualThread(() -> {
			try {
				get();
			}
			catch (KafkaException ex) {
				// who asks sees it
			}
		});
	}

	@Override
	public synchronized void destroy() {
		this.closed = true;
		if (this.admin != null) {
			this.admin.close(Duration.ofSeconds(1));
		}
	}

}
