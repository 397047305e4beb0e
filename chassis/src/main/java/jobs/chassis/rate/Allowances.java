package jobs.chassis.rate;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.TimeMeter;

/**
 * The allowances of the clients with a limit. None is forgotten for its age: else a
 * client would lose its debt by a pause.
 */
public final class Allowances {

	/** Clients whose allowance is kept; the least used go first. */
	private static final int KEPT = 10_000;

	private final Cache<Client, Allowance> allowances = Caffeine.newBuilder().maximumSize(KEPT).build();

	/** The allowance of a client, a new one where its limit has changed. */
	public Allowance of(String name, Limit limit) {
		return limit.equals(Limit.NONE) ? Allowance.UNLIMITED : this.allowances.get(new Client(name, limit),
				(client) -> new Allowance(client.limit(), TimeMeter.SYSTEM_NANOTIME));
	}

	private record Client(String name, Limit limit) {

	}

}
