package jobs.chassis.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.function.Supplier;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

import org.jspecify.annotations.Nullable;

/**
 * Shows the certificate that is there when a connection begins. Certificate and key of
 * one handshake are asked for one after the other: where the files change in between, the
 * handshake fails, and the next one does not.
 */
final class LiveKeyManager extends X509ExtendedKeyManager {

	private final Supplier<KeyManager[]> current;

	LiveKeyManager(Supplier<KeyManager[]> current) {
		this.current = current;
	}

	private X509ExtendedKeyManager now() {
		for (KeyManager manager : this.current.get()) {
			if (manager instanceof X509ExtendedKeyManager found) {
				return found;
			}
		}
		throw new IllegalStateException("The bundle has no manager of X.509 keys");
	}

	@Override
	public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
		return now().getClientAliases(keyType, issuers);
	}

	@Override
	public @Nullable String chooseClientAlias(String[] keyTypes, Principal @Nullable [] issuers,
			@Nullable Socket socket) {
		return now().chooseClientAlias(keyTypes, issuers, socket);
	}

	@Override
	public @Nullable String chooseEngineClientAlias(String[] keyTypes, Principal @Nullable [] issuers,
			@Nullable SSLEngine engine) {
		return now().chooseEngineClientAlias(keyTypes, issuers, engine);
	}

	@Override
	public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
		return now().getServerAliases(keyType, issuers);
	}

	@Override
	public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
		return now().chooseServerAlias(keyType, issuers, socket);
	}

	@Override
	public @Nullable String chooseEngineServerAlias(String keyType, Principal @Nullable [] issuers,
			@Nullable SSLEngine engine) {
		return now().chooseEngineServerAlias(keyType, issuers, engine);
	}

	@Override
	public X509Certificate @Nullable [] getCertificateChain(String alias) {
		return now().getCertificateChain(alias);
	}

	@Override
	public @Nullable PrivateKey getPrivateKey(String alias) {
		return now().getPrivateKey(alias);
	}

}
