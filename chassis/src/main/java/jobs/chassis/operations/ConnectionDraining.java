package jobs.chassis.operations;

import java.io.IOException;
import java.time.Duration;

import jakarta.servlet.ServletException;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

/**
 * Lets a service that is told to stop go on for a while, in which each answer closes its
 * connection. Else Tomcat answers 503 to the next request of a client that keeps one
 * open: no balancer of connections takes it elsewhere. Meanwhile the readiness is no
 * longer up, and what else ends with the service does not know yet.
 */
final class ConnectionDraining implements ApplicationListener<ContextClosedEvent>, Ordered {

	private final Duration time;

	private final ApplicationContext context;

	private volatile boolean leaving;

	ConnectionDraining(Duration time, ApplicationContext context) {
		this.time = time;
		this.context = context;
	}

	/** Comes before all others that end something. */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	/** Waits, in the way of all others: they are told one after the other. */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext() != this.context || this.leaving) {
			return;
		}
		this.leaving = true;
		try {
			Thread.sleep(this.time);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	Valve valve() {
		return new DrainingValve();
	}

	private final class DrainingValve extends ValveBase {

		DrainingValve() {
			super(true);
		}

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			if (ConnectionDraining.this.leaving) {
				response.setHeader("Connection", "close");
			}
			getNext().invoke(request, response);
		}

	}

}
