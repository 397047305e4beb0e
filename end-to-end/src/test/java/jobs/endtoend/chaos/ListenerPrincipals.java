package jobs.endtoend.chaos;

import org.apache.kafka.common.security.auth.AuthenticationContext;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SaslAuthenticationContext;
import org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder;

/**
 * Tells a broker who somebody is by the listener that he came by, unless he has logged
 * in, so that services can be forbidden what brokers and the judge may do.
 */
public final class ListenerPrincipals extends DefaultKafkaPrincipalBuilder {

	public ListenerPrincipals() {
		super(null, null);
	}

	@Override
	public KafkaPrincipal build(AuthenticationContext context) {
		String name = (context instanceof SaslAuthenticationContext login) ? login.server().getAuthorizationID()
				: context.listenerName();
		return new KafkaPrincipal(KafkaPrincipal.USER_TYPE, name);
	}

}
