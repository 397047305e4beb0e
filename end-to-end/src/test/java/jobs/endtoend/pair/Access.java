package jobs.endtoend.pair;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

import org.jspecify.annotations.Nullable;

/**
 * How a client gets in: over plain HTTP, or by TLS with a key or token.
 *
 * @param name who the client is, as a history has it; {@code null} where nobody asks
 * @param token the key or token that is valid now
 * @param tls what it connects with, and {@code trust} the same for other programs:
 * {@code null} for plain HTTP
 * @param trust a file with the authorities
 */
public record Access(@Nullable String name, Supplier<String> token, @Nullable SSLContext tls, @Nullable Path trust) {

	/** Where all is open. */
	public static final Access OPEN = new Access(null, () -> "", null, null);

	public boolean isEncrypted() {
		return this.tls != null;
	}

	/** A client that waits no longer for a connection than this. */
	public HttpClient client(Duration limit) {
		HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(limit);
		return ((this.tls != null) ? client.sslContext(this.tls) : client).build();
	}

	URI uri(int port, String path) {
		return URI.create("%s://127.0.0.1:%d%s".formatted(isEncrypted() ? "https" : "http", port, path));
	}

	public HttpRequest.Builder request(int port, String path) {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri(port, path));
		return (this.name == null) ? request : request.header("Authorization", "Bearer " + this.token.get());
	}

	/** The header that a request needs, with its line's end, or nothing. */
	String header() {
		return (this.name == null) ? "" : "Authorization: Bearer %s\r\n".formatted(this.token.get());
	}

	/** A connection, whose handshake follows its first byte. */
	Socket connect(int port, int timeoutMillis) throws IOException {
		Socket socket = (this.tls != null) ? this.tls.getSocketFactory().createSocket() : new Socket();
		socket.setTcpNoDelay(true);
		socket.setSoTimeout(timeoutMillis);
		socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMillis);
		return socket;
	}

}
