package jobs.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

import org.jspecify.annotations.Nullable;
import tlschannel.ClientTlsChannel;

/**
 * How a load gets into a service.
 *
 * @param tls what it connects with, or {@code null} for plain HTTP
 * @param token gives each request its key or token, or {@code null} where nobody asks
 */
record Door(@Nullable SSLContext tls, @Nullable Supplier<String> token) {

	/** Where whoever comes is let in. */
	static final Door OPEN = new Door(null, null);

	private static final String HOST = "localhost";

	/** The line of a request's head that says who sends it, or nothing. */
	String header() {
		return (this.token != null) ? "Authorization: Bearer " + this.token.get() + "\r\n" : "";
	}

	/** A connection that blocks. */
	static SocketChannel connect(int port) throws IOException {
		SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
		channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
		return channel;
	}

	/**
	 * What to read from and write to. The handshake is over then; it resumes a session
	 * where there is one, as clients do.
	 * @param channel a connection that blocks
	 */
	ByteChannel over(SocketChannel channel) throws IOException {
		if (this.tls == null) {
			return channel;
		}
		SSLEngine engine = this.tls.createSSLEngine(HOST, channel.socket().getPort());
		engine.setUseClientMode(true);
		ClientTlsChannel encrypted = ClientTlsChannel.newBuilder(channel, engine).build();
		encrypted.handshake();
		return encrypted;
	}

}
