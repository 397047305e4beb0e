package jobs.crawler.fetch;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import jobs.crawler.fetch.PublicAddresses.NotPublicException;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one page, within bytes and time. It follows no redirect: the target may be of
 * another host, which has rules of its own.
 */
public final class Fetcher {

	/**
	 * Redirects that are followed one after the other. Source: RFC 9309, 2.3.1.2, for
	 * robots.txt.
	 */
	public static final int REDIRECTS = 5;

	/** The longest time that a host may ask to be left alone. */
	private static final Duration MAX_RETRY_AFTER = Duration.ofMinutes(5);

	private static final String NO_ADDRESS = "the host has no address";

	private final HttpClient http;

	private final String agent;

	private final Bounds bounds;

	/**
	 * Makes a fetcher.
	 * @param agent the header {@code User-Agent}
	 * @param bounds of each page
	 */
	public Fetcher(String agent, Bounds bounds) {
		this.agent = agent;
		this.bounds = bounds;
		this.http = HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.followRedirects(HttpClient.Redirect.NEVER)
			.connectTimeout(bounds.time())
			.build();
	}

	/**
	 * Asks for a page.
	 * @param url of the page
	 * @param headers that are sent as well
	 */
	public Answer fetch(String url, Map<String, String> headers) throws InterruptedException {
		try {
			URI uri = URI.create(url);
			if (!this.bounds.isPrivateAllowed()) {
				PublicAddresses.require(uri.getHost());
			}
			HttpRequest.Builder request = HttpRequest.newBuilder(uri)
				.timeout(this.bounds.time())
				.header("User-Agent", this.agent)
				.header("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.1")
				.header("Accept-Encoding", "gzip");
			headers.forEach(request::header);
			return answer(response(request.build()));
		}
		catch (NotPublicException ex) {
			return new Answer.Refused(0, ex.getMessage() + "; --allow-private asks it all the same");
		}
		catch (UnknownHostException ex) {
			return new Answer.Later(0, NO_ADDRESS, Duration.ZERO);
		}
		catch (IllegalArgumentException | NullPointerException ex) {
			return new Answer.Refused(0, "the URL can't be asked for");
		}
		catch (IOException ex) {
			return isTooLarge(ex) ? tooLarge() : new Answer.Later(0, reason(ex), Duration.ZERO);
		}
	}

	/**
	 * Also bounds the time that the body may take, which a timeout of the client does
	 * not.
	 */
	private HttpResponse<byte[]> response(HttpRequest request) throws IOException, InterruptedException {
		CompletableFuture<HttpResponse<byte[]>> response = this.http.sendAsync(request,
				BodyHandlers.limiting(BodyHandlers.ofByteArray(), this.bounds.bytes()));
		try {
			return response.get(this.bounds.time().toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new HttpTimeoutException("The body takes too long");
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof IOException io) ? io : new IOException(ex.getCause());
		}
		finally {
			response.cancel(true);
		}
	}

	private Answer answer(HttpResponse<byte[]> response) {
		int status = response.statusCode();
		if (status == 200) {
			return page(response);
		}
		return switch (status) {
			case 304 -> new Answer.NotModified();
			case 301, 302, 303, 307,
					308 ->
				response.headers()
					.firstValue("Location")
					.<Answer>map((location) -> new Answer.Moved(location, status == 301 || status == 308))
					.orElseGet(() -> new Answer.Refused(status, "a redirect without Location"));
			case 404, 410 -> new Answer.Gone();
			case 408, 425, 429 -> later(response);
			default -> (status / 100 == 5) ? later(response) : new Answer.Refused(status, "status " + status);
		};
	}

	private static Answer later(HttpResponse<byte[]> response) {
		return new Answer.Later(response.statusCode(), "status " + response.statusCode(),
				retryAfter(response.headers()));
	}

	private Answer page(HttpResponse<byte[]> response) {
		String encoding = response.headers()
			.firstValue("Content-Encoding")
			.orElse("identity")
			.strip()
			.toLowerCase(Locale.ROOT);
		return switch (encoding) {
			case "identity", "" -> new Answer.Page(response.headers(), response.body());
			case "gzip", "x-gzip" -> {
				try {
					byte[] body = unzipped(response.body(), this.bounds.bytes());
					yield (body != null) ? new Answer.Page(response.headers(), body) : tooLarge();
				}
				catch (IOException ex) {
					yield new Answer.Refused(200, "a broken gzip");
				}
			}
			default -> new Answer.Refused(200, "an encoding for which nobody asked");
		};
	}

	/** Decompresses, or returns {@code null} where there are more bytes than allowed. */
	public static byte @Nullable [] unzipped(byte[] body, int max) throws IOException {
		try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
			byte[] bytes = in.readNBytes(max);
			return (in.read() < 0) ? bytes : null;
		}
	}

	private static Duration retryAfter(HttpHeaders headers) {
		String value = headers.firstValue("Retry-After").orElse("").strip();
		Duration asked = Duration.ZERO;
		if (value.matches("[0-9]{1,9}")) {
			asked = Duration.ofSeconds(Long.parseLong(value));
		}
		else if (!value.isEmpty()) {
			try {
				asked = Duration.between(Instant.now(),
						ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME));
			}
			catch (DateTimeParseException ex) {
				// no date: as if there were none
			}
		}
		return (asked.compareTo(MAX_RETRY_AFTER) > 0) ? MAX_RETRY_AFTER : asked.isNegative() ? Duration.ZERO : asked;
	}

	private Answer tooLarge() {
		return new Answer.Refused(200, "more than %,d bytes".formatted(this.bounds.bytes()));
	}

	/** The JDK has no type of its own for it, and others may have wrapped it. */
	private static boolean isTooLarge(IOException ex) {
		return causes(ex).anyMatch((cause) -> String.valueOf(cause.getMessage()).contains("exceeds capacity"));
	}

	private static String reason(IOException ex) {
		if (causes(ex).anyMatch(UnresolvedAddressException.class::isInstance)) {
			return NO_ADDRESS;
		}
		if (ex instanceof HttpTimeoutException) {
			// whichever of the bounds of its time was the first
			return "no answer in time";
		}
		return (ex instanceof ConnectException) ? "the host takes no connection"
				: "no answer: " + ex.getClass().getSimpleName();
	}

	private static Stream<Throwable> causes(Throwable ex) {
		return Stream.iterate(ex, Objects::nonNull, Throwable::getCause);
	}

	/**
	 * Bounds of each page.
	 *
	 * @param bytes of a page, as it comes and decompressed
	 * @param time until the last byte of a page
	 * @param isPrivateAllowed whether hosts may have addresses that are not public
	 */
	public record Bounds(int bytes, Duration time, boolean isPrivateAllowed) {
	}

}
