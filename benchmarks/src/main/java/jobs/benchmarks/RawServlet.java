package jobs.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The floor of rest-to-kafka. {@code POST /jobs} hands the raw bytes to a producer and
 * answers on Kafka's acknowledgement, or each line of NDJSON, with an outcome for each.
 * {@code POST /loop?jobs=N} has a producer send N lines in a loop and answers when all
 * are acknowledged.
 */
final class RawServlet extends HttpServlet {

	/** As many as an upload to the service may have. */
	private static final int PENDING = 1024;

	private static final byte[] END = "\"}\n".getBytes(StandardCharsets.US_ASCII);

	private final transient KafkaProducer<byte[], byte[]> producer;

	private final transient KafkaProducer<byte[], byte[]> loop;

	private final transient Postings postings;

	private final String topic;

	private RawServlet(String kafka, String topic, Postings postings) {
		// the service's settings, and good ones for a loop
		this.producer = producer(kafka, Map.of("linger.ms", 0));
		this.loop = producer(kafka, Map.of("linger.ms", 5, "batch.size", 128 * 1024));
		this.topic = topic;
		this.postings = postings;
	}

	private static KafkaProducer<byte[], byte[]> producer(String kafka, Map<String, Object> more) {
		Map<String, Object> settings = new HashMap<>(more);
		settings.put("bootstrap.servers", kafka);
		settings.put("acks", "all");
		settings.putIfAbsent("batch.size", 64 * 1024);
		settings.put("max.in.flight.requests.per.connection", 1);
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
		connector.setProperty("maxKeepAliveRequests", "1000");
		connector.getProtocolHandler().setExecutor(Executors.newVirtualThreadPerTaskExecutor());
		tomcat.setConnector(connector);
		Context context = tomcat.addContext("", null);
		Tomcat.addServlet(context, "raw", new RawServlet(args[1], args[2], Postings.read(Path.of(args[3]))));
		context.addServletMapping("/", "raw");
		tomcat.start();
		tomcat.getServer().await();
	}

	@Override
	protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
		try {
			if (request.getRequestURI().equals("/loop")) {
				loop(Integer.parseInt(request.getParameter("jobs")));
			}
			else if ("application/x-ndjson".equals(request.getContentType())) {
				response.setStatus(HttpServletResponse.SC_ACCEPTED);
				upload(request.getInputStream(), response.getOutputStream());
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

	private void upload(InputStream body, OutputStream outcomes)
			throws IOException, ExecutionException, InterruptedException {
		Deque<Line> pending = new ArrayDeque<>();
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		byte[] chunk = new byte[8 * 1024];
		long number = 0;
		for (int read = body.read(chunk); read >= 0; read = body.read(chunk)) {
			int from = 0;
			for (int i = 0; i < read; i++) {
				if (chunk[i] == '\n') {
					line.write(chunk, from, i - from);
					from = i + 1;
					byte[] key = Keys.next();
					pending.add(new Line(++number, key,
							this.producer.send(new ProducerRecord<>(this.topic, key, line.toByteArray()))));
					line.reset();
					if (pending.size() > PENDING) {
						pending.remove().tell(outcomes);
					}
				}
			}
			line.write(chunk, from, read - from);
		}
		while (!pending.isEmpty()) {
			pending.remove().tell(outcomes);
		}
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

	/**
	 * A line on its way.
	 *
	 * @param number from 1
	 * @param key of its record
	 * @param sent tells of Kafka's acknowledgement
	 */
	private record Line(long number, byte[] key, Future<RecordMetadata> sent) {

		void tell(OutputStream outcomes) throws IOException, ExecutionException, InterruptedException {
			this.sent.get();
			outcomes
				.write(("{\"line\":" + this.number + ",\"status\":202,\"id\":\"").getBytes(StandardCharsets.US_ASCII));
			outcomes.write(this.key);
			outcomes.write(END);
		}

	}

}
