package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The floor of rest-to-kafka. {@code POST /jobs} hands the raw bytes to a producer and
 * answers on Kafka's acknowledgement; {@code POST /loop?jobs=N} has a producer send N
 * lines in a loop and answers when all are acknowledged.
 */
final class RawServlet extends HttpServlet {

	private final transient KafkaProducer<byte[], byte[]> producer;

	private final transient KafkaProducer<byte[], byte[]> loop;

	private final transient Postings postings;

	private final String topic;

	private RawServlet(String kafka, String topic, Postings postings) {
		// the same settings as the service's for single jobs, and good ones for many
		this.producer = producer(kafka, Map.of("linger.ms", 0));
		this.loop = producer(kafka, Map.of("linger.ms", 5, "batch.size", 128 * 1024));
		this.topic = topic;
		this.postings = postings;
	}

	private static KafkaProducer<byte[], byte[]> producer(String kafka, Map<String, Object> more) {
		Map<String, Object> settings = new HashMap<>(more);
		settings.put("bootstrap.servers", kafka);
		settings.put("acks", "all");
		return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
	}

	/**
	 * Runs until it is killed.
	 * @param args the port, Kafka's address, the topic, and the file of the jobs
	 */
	static void main(String[] args) throws IOException, LifecycleException {
		Tomcat tomcat = new Tomcat();
		tomcat.setBaseDir(Path.of(System.getProperty("java.io.tmpdir")).toString());
		Connector connector = new Connector();
		connector.setProperty("address", "127.0.0.1");
		connector.setPort(Integer.parseInt(args[0]));
		connector.getProtocolHandler().setExecutor(Executors.newVirtualThreadPerTaskExecutor());
		tomcat.setConnector(connector);
		Context context = tomcat.addContext("", null);
		Tomcat.addServlet(context, "raw", new RawServlet(args[1], args[2], Postings.read(Path.of(args[3]))));
		context.addServletMappingDecoded("/", "raw");
		tomcat.start();
		tomcat.getServer().await();
	}

	@Override
	protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
		try {
			if (request.getRequestURI().equals("/loop")) {
				loop(Integer.parseInt(request.getParameter("jobs")));
			}
			else {
				send(request.getInputStream().readNBytes(request.getContentLength()));
			}
			response.setStatus(HttpServletResponse.SC_ACCEPTED);
		}
		catch (ExecutionException ex) {
			response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Waits until the producer's delivery.timeout.ms at most; a time-out of its own would
	 * cost a virtual thread a timer, and that more than anything else here.
	 */
	private void send(byte[] job) throws ExecutionException, InterruptedException {
		this.producer.send(new ProducerRecord<>(this.topic, Keys.next(), job)).get();
	}

	private void loop(int jobs) throws ExecutionException, InterruptedException {
		CompletableFuture<?> failed = new CompletableFuture<>();
		for (int i = 0; i < jobs; i++) {
			this.loop.send(new ProducerRecord<>(this.topic, Keys.next(), this.postings.job(i)), (metadata, failure) -> {
				if (failure != null) {
					failed.completeExceptionally(failure);
				}
			});
		}
		this.loop.flush();
		failed.complete(null);
		failed.get();
	}

}
