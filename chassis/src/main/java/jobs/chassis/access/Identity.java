package jobs.chassis.access;

import java.security.Principal;
import java.util.Set;

/**
 * Somebody who was recognised. It keeps no key and no token.
 *
 * @param name of the key, or as the token's issuer has it
 * @param roles what they may do
 * @param limit how much they may send
 */
public record Identity(String name, Set<String> roles, Rate limit) implements Principal {

	@Override
	public String getName() {
		return this.name;
	}

}
