package jobs.kafkatomongo.pipeline;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import jobs.chassis.operations.Part;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.http.EndsWaits;
import jobs.kafkatomongo.http.ResourceController;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;

/**
 * The pipelines of all resources. They share the clients of Kafka and MongoDB, the
 * producer and the web server, and nothing that one of them can hold up.
 */
public final class Pipelines
		implements SmartInitializingSingleton, SmartLifecycle, ScheduledTaskHolder, DisposableBean {

	private final ApplicationContext service;

	private final Resources resources;

	private final MeterRegistry meters;

	private final boolean areListening;

	private final Duration phaseTime;

	private final Map<String, AnnotationConfigApplicationContext> contexts = new LinkedHashMap<>();

	private List<Part> parts = List.of();

	private volatile boolean running;

	/**
	 * Makes the pipelines of a service.
	 * @param areListening whether their listeners start with the service
	 * @param phaseTime how long the listeners have to stop
	 */
	Pipelines(ApplicationContext service, Resources resources, MeterRegistry meters, boolean areListening,
			Duration phaseTime) {
		this.phaseTime = phaseTime;
		this.service = service;
		this.resources = resources;
		this.meters = meters;
		this.areListening = areListening;
	}

	public Resources resources() {
		return this.resources;
	}

	/** The part of a resource's pipeline that has a type. */
	public <T> T get(Resource resource, Class<T> type) {
		return Objects.requireNonNull(this.contexts.get(resource.name())).getBean(type);
	}

	/** What each pipeline needs to be up. */
	public List<Part> parts() {
		return this.parts;
	}

	@Override
	public void afterSingletonsInstantiated() {
		ResourceHandlerMapping mapping = this.service.getBean(ResourceHandlerMapping.class);
		for (Resource resource : this.resources.all()) {
			AnnotationConfigApplicationContext context = context(resource);
			this.contexts.put(resource.name(), context);
			context.getBeansOfType(ResourceController.class).values().forEach(mapping::register);
		}
		this.parts = this.contexts.values()
			.stream()
			.flatMap((context) -> context.getBeansOfType(Part.class).values().stream())
			.toList();
		this.parts
			.forEach((part) -> Gauge.builder("jobs.part.up", () -> part.health().getStatus().equals(Status.UP) ? 1 : 0)
				.description("1 while a part is UP without which the service is not ready")
				.tag("part", part.part())
				.register(this.meters));
	}

	private AnnotationConfigApplicationContext context(Resource resource) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.setId(this.service.getId() + ":" + resource.name());
		context.setParent(this.service);
		context.registerBean("resource", Resource.class, () -> resource);
		context.registerBean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME, DefaultLifecycleProcessor.class,
				this::lifecycle);
		if (this.resources.isFile()) {
			// not closed with the pipeline: what it measures is the service's
			context.registerBean("meters", MeterRegistry.class, () -> labelled(resource), (meters) -> {
				meters.setDestroyMethodName("");
				meters.setPrimary(true);
			});
		}
		context.register(PipelineConfiguration.class);
		context.refresh();
		return context;
	}

	/** A phase of a stop has the time that one of the service has. */
	private DefaultLifecycleProcessor lifecycle() {
		DefaultLifecycleProcessor lifecycle = new DefaultLifecycleProcessor();
		lifecycle.setTimeoutPerShutdownPhase(this.phaseTime.toMillis());
		return lifecycle;
	}

	private MeterRegistry labelled(Resource resource) {
		CompositeMeterRegistry labelled = new CompositeMeterRegistry();
		labelled.config().commonTags(this.resources.labels(resource));
		labelled.add(this.meters);
		return labelled;
	}

	@Override
	public Set<ScheduledTask> getScheduledTasks() {
		return this.contexts.values()
			.stream()
			.flatMap((context) -> context.getBeansOfType(ScheduledTaskHolder.class).values().stream())
			.flatMap((holder) -> holder.getScheduledTasks().stream())
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * Ends waits and scheduled tasks of all pipelines once the service begins to stop:
	 * its own event does not reach their contexts.
	 */
	@EventListener
	void serviceCloses(ContextClosedEvent event) {
		if (event.getApplicationContext() == this.service) {
			getScheduledTasks().forEach((task) -> task.cancel(false));
			this.contexts.values()
				.forEach((context) -> context.getBeansOfType(EndsWaits.class).values().forEach(EndsWaits::endWaits));
		}
	}

	@Override
	public void start() {
		this.running = true;
		if (this.areListening) {
			this.contexts.values().forEach((context) -> context.getBean(KafkaListenerEndpointRegistry.class).start());
		}
	}

	@Override
	public void stop() {
		CountDownLatch stopped = new CountDownLatch(1);
		stop(stopped::countDown);
		try {
			stopped.await(this.phaseTime.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Stops all at once, each within the time that a phase of a stop has. */
	@Override
	public void stop(Runnable callback) {
		this.running = false;
		Thread.startVirtualThread(() -> {
			List<Thread> stops = this.contexts.values()
				.stream()
				.map((context) -> Thread.startVirtualThread(context::stop))
				.toList();
			try {
				for (Thread stop : stops) {
					stop.join();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			callback.run();
		});
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** The listeners end beside the requests in hand. */
	@Override
	public int getPhase() {
		return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE;
	}

	@Override
	public void destroy() {
		this.contexts.values().forEach(AnnotationConfigApplicationContext::close);
	}

}
