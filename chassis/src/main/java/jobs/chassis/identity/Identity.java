package jobs.chassis.identity;

import java.util.Collection;

import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** Somebody who was recognised, and what they may do. It keeps no key and no token. */
final class Identity extends AbstractAuthenticationToken {

	private final String name;

	Identity(String name, Collection<Role> roles) {
		super(roles.stream().map(Role::text).map(SimpleGrantedAuthority::new).toList());
		this.name = name;
		setAuthenticated(true);
	}

	@Override
	public String getPrincipal() {
		return this.name;
	}

	@Override
	public String getCredentials() {
		return "";
	}

}
