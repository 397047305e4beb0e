package jobs.kafkatomongo.mongo;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import com.mongodb.ReadPreference;
import jobs.chassis.operations.SettingException;
import jobs.contract.resources.Resources;

import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Sets up the connection to MongoDB. */
@Configuration(proxyBeanMethods = false)
public class MongoConfiguration {

	/**
	 * Connections to a member of MongoDB. Readers have places for fewer, so that none is
	 * missing where documents are stored.
	 */
	private static final int CONNECTIONS = 150;

	/**
	 * Connections more for each further resource: two that store, one for its dead
	 * letters, and three for what looks after indexes and figures.
	 */
	private static final int CONNECTIONS_OF_ANOTHER = 6;

	/** Time of a query, until its last document. */
	public static final Duration QUERY_TIME = Duration.ofSeconds(5);

	/** Wait for a majority to have a write. */
	public static final Duration MAJORITY_WAIT = Duration.ofSeconds(10);

	/** Wait for a member to write to, and for a free connection. */
	private static final Duration SELECTION_WAIT = Duration.ofSeconds(2);

	/** Wait for an answer, below max.poll.interval.ms. */
	private static final Duration SOCKET_WAIT = Duration.ofSeconds(30);

	/**
	 * Bounds waits that the driver leaves open or long; bounds in the connection string
	 * win. The time to connect stays at the driver's 10 s, because it also bounds
	 * heartbeats: a slow database must not look dead.
	 */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	MongoClientSettingsBuilderCustomizer boundedWaits(MongoConnectionDetails server, Environment environment,
			Resources resources) {
		requireDatabase(server, environment);
		int connections = CONNECTIONS + CONNECTIONS_OF_ANOTHER * (resources.all().size() - 1);
		long selection = SELECTION_WAIT.toMillis();
		int socket = Math.toIntExact(SOCKET_WAIT.toMillis());
		return (settings) -> settings
			.applyToClusterSettings((cluster) -> cluster.serverSelectionTimeout(selection, TimeUnit.MILLISECONDS))
			.applyToConnectionPoolSettings(
					(pool) -> pool.maxWaitTime(selection, TimeUnit.MILLISECONDS).maxSize(connections))
			.applyToSocketSettings((sockets) -> sockets.readTimeout(socket, TimeUnit.MILLISECONDS));
	}

	/** Ends the start where the address of MongoDB can't lead to a database. */
	private static void requireDatabase(MongoConnectionDetails server, Environment environment) {
		String database;
		try {
			database = server.getConnectionString().getDatabase();
		}
		catch (IllegalArgumentException ex) {
			// without its words, which may quote a password
			throw new SettingException("spring.mongodb.uri is no address of a MongoDB: it has the form "
					+ "mongodb://user:password@host:27017/database, and a password has its @ : / ? # % percent-encoded");
		}
		catch (MongoException ex) {
			throw new SettingException("The name in spring.mongodb.uri can't be resolved: %s. Look at the name, and at"
				.formatted(ex.getMessage())
					+ " the name servers of this machine; mongodb+srv needs their SRV and TXT records");
		}
		if (database == null && !environment.containsProperty("spring.mongodb.database")) {
			throw new SettingException("spring.mongodb.uri names no database: write its name behind the host, as db in"
					+ " mongodb+srv://user:password@cluster.example/db?retryWrites=true");
		}
	}

	/**
	 * Reads from the primary alone, whatever the connection string prefers: another
	 * member may lack a document that is stored, or not know that a dead letter is
	 * replayed.
	 */
	@Bean
	@Order(Ordered.LOWEST_PRECEDENCE)
	MongoClientSettingsBuilderCustomizer primaryReads() {
		return (settings) -> settings.readPreference(ReadPreference.primary());
	}

}
