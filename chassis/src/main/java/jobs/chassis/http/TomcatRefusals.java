package jobs.chassis.http;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Request;
import org.apache.coyote.BadRequestException;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.res.StringManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpStatus;

/**
 * Says what was wrong with a request that Tomcat refuses by itself, which gives a status
 * alone. It goes by what the request has: Tomcat's own words repeat what a client sent.
 */
final class TomcatRefusals {

	private static final Logger logger = LoggerFactory.getLogger(TomcatRefusals.class);

	/** Tomcat has no other sign of a head that is too large than this text. */
	private static final String TOO_LARGE = StringManager.getManager("org.apache.coyote.http11")
		.getString("iib.requestheadertoolarge.error");

	/** The time between two lines in the log about heads that are too large. */
	private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(10);

	private final AtomicLong logged = new AtomicLong(System.nanoTime() - QUIET_NANOS);

	/** The problem of a request that Tomcat answers with a status of 400 or above. */
	Problem problem(Request request, int status, @Nullable Throwable failure) {
		int right = isHeadTooLarge(request, failure) ? HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE.value() : status;
		return Problem.of(right, switch (right) {
			case 431 -> tooLarge(request, failure);
			case HttpServletResponse.SC_BAD_REQUEST -> badRequest(request, failure);
			case HttpServletResponse.SC_EXPECTATION_FAILED -> "The only Expect that is known here is 100-continue";
			case HttpServletResponse.SC_NOT_IMPLEMENTED -> "CONNECT".equals(request.getMethod())
					? "There is no CONNECT here" : "The only Transfer-Encoding that is known here is chunked";
			case HttpServletResponse.SC_HTTP_VERSION_NOT_SUPPORTED -> "HTTP/1.0 and HTTP/1.1 are spoken here";
			default -> null;
		});
	}

	/** Whether a head has too many bytes, or too many fields. */
	private static boolean isHeadTooLarge(Request request, @Nullable Throwable failure) {
		// behind the head, a request has a context, and a failure is ours
		return request.getContext() == null
				&& ((failure instanceof IllegalArgumentException && TOO_LARGE.equals(failure.getMessage()))
						|| failure instanceof IllegalStateException);
	}

	private String tooLarge(Request request, @Nullable Throwable failure) {
		String sentence = "The head of the request is too large";
		if (request.getConnector().getProtocolHandler() instanceof AbstractHttp11Protocol<?> protocol) {
			sentence = (failure instanceof IllegalStateException)
					? "The request has more than %d header fields".formatted(protocol.getMaxHeaderCount())
					: "The request line and the header fields together are larger than %d bytes"
						.formatted(protocol.getMaxHttpRequestHeaderSize());
		}
		long last = this.logged.get();
		long now = System.nanoTime();
		if (now - last >= QUIET_NANOS && this.logged.compareAndSet(last, now)) {
			logger.warn("A request was answered 431: {}. Further ones are not logged for {} minutes", sentence,
					TimeUnit.NANOSECONDS.toMinutes(QUIET_NANOS));
		}
		return sentence;
	}

	private static @Nullable String badRequest(Request request, @Nullable Throwable failure) {
		if (failure instanceof BadRequestException) {
			return "The body has a broken chunk, or ends before its announced length";
		}
		if (request.getMethod() == null) {
			return "This is no HTTP; a client that speaks TLS needs a port with TLS";
		}
		if (request.getRequestURI() == null || request.getProtocol() == null) {
			return "The request line is malformed; in a path and query, special characters are written with %";
		}
		if (failure != null) {
			return "A header field is malformed";
		}
		List<String> hosts = all(request, "Host");
		if (hosts.size() != 1) {
			return hosts.isEmpty() ? "The header Host is missing" : "There is more than one header Host";
		}
		List<String> lengths = all(request, "Content-Length");
		if (lengths.size() > 1 || lengths.stream().anyMatch((length) -> !length.matches("\\d{1,18}"))) {
			return "Content-Length must be one number";
		}
		return "The path is malformed, has an encoded slash or NUL, is not UTF-8, or is of another Host";
	}

	private static List<String> all(Request request, String name) {
		return Collections.list(request.getHeaders(name));
	}

}
