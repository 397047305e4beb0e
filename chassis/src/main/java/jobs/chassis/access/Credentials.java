package jobs.chassis.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.authentication.BadCredentialsException;

/**
 * Finds who sent a request: by its {@code Authorization: Bearer} header, with an API key
 * or a JWT, by the certificate that its connection began with, or by what a service keeps
 * in the place of that header. No header of a proxy says it, and no URL: that would stand
 * in logs.
 */
public final class Credentials {

	private static final String SCHEME = "Bearer ";

	/** The attribute of a request that Servlet's specification names. */
	private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

	/**
	 * Is never used but to be copied, since to look one up takes longer than to use it.
	 */
	private static final MessageDigest SHA_256 = sha256();

	private final @Nullable ApiKeys keys;

	private final @Nullable Jwts jwts;

	private final List<TokenSource> sources;

	Credentials(@Nullable ApiKeys keys, @Nullable Jwts jwts, List<TokenSource> sources) {
		this.keys = keys;
		this.jwts = jwts;
		this.sources = sources;
	}

	/**
	 * Finds who sent a request, or returns {@code null} where it brings none of these, as
	 * with another scheme. The header counts before other sources, and these before a
	 * certificate, which some browsers send by themselves. Throws BadCredentialsException
	 * where it brings several tokens or one that is not valid, and
	 * AuthenticationServiceException where nobody can tell.
	 */
	public @Nullable Identity identify(HttpServletRequest request) {
		String token = token(request);
		for (int i = 0; token == null && i < this.sources.size(); i++) {
			token = this.sources.get(i).token(request);
		}
		return (token != null) ? identify(token) : ofCertificate(request);
	}

	/** Finds whose key or token it is; throws as with a request. */
	public Identity identify(String token) {
		if (this.keys != null && token.startsWith(ApiKey.PREFIX)) {
			return this.keys.identify(digest(token));
		}
		if (this.jwts != null) {
			return this.jwts.identify(token, digest(token));
		}
		throw new BadCredentialsException("The token is no API key");
	}

	/**
	 * Tomcat has checked that an authority which is trusted has issued it, at the
	 * handshake: its connection, and sessions of TLS, may outlast it.
	 */
	private @Nullable Identity ofCertificate(HttpServletRequest request) {
		if (this.keys != null && request.getAttribute(CERTIFICATES) instanceof X509Certificate[] chain
				&& chain.length > 0) {
			try {
				chain[0].checkValidity();
			}
			catch (CertificateException ex) {
				throw new BadCredentialsException("The client certificate has expired");
			}
			return this.keys.identify(chain[0].getSubjectX500Principal());
		}
		return null;
	}

	private static @Nullable String token(HttpServletRequest request) {
		String found = null;
		for (Enumeration<String> headers = request.getHeaders("Authorization"); headers.hasMoreElements();) {
			String header = headers.nextElement();
			if (header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
				if (found != null) {
					throw new BadCredentialsException("There are several tokens");
				}
				found = header.substring(SCHEME.length()).strip();
			}
		}
		return (found != null && !found.isEmpty()) ? found : null;
	}

	/**
	 * The SHA-256 of a key or token, as 64 hexadecimal digits. It stands in its place
	 * wherever one is kept.
	 */
	static String digest(String token) {
		try {
			MessageDigest digest = (MessageDigest) SHA_256.clone();
			return HexFormat.of().formatHex(digest.digest(token.getBytes(StandardCharsets.UTF_8)));
		}
		catch (CloneNotSupportedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.SECONDS)
	void readKeys() {
		if (this.keys != null) {
			this.keys.reload();
		}
	}

	@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.SECONDS)
	void fetchIssuerKeys() {
		if (this.jwts != null) {
			this.jwts.refresh();
		}
	}

	/** Where a service keeps tokens of those who send requests, beside the header. */
	@FunctionalInterface
	public interface TokenSource {

		/** The token of whoever sends a request, or {@code null}. */
		@Nullable String token(HttpServletRequest request);

	}

}
