package jobs.kafkatomongo.replay;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

import jakarta.servlet.http.HttpServletRequest;
import jobs.contract.resources.Resource;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** Reads the corrected document from the body of a request to replay. */
final class Correction {

	/** Time for a correction to arrive; beyond: 408. */
	private static final Duration CORRECTION_TIME = Duration.ofSeconds(10);

	private Correction() {
	}

	/**
	 * Returns the body, or {@code null} where it is empty. Throws ResponseStatusException
	 * where it is too large (413), slower than {@link #CORRECTION_TIME} (408), not JSON
	 * by its type (415), or empty despite a type (400).
	 */
	static byte @Nullable [] read(HttpServletRequest request, Resource resource) throws IOException {
		long start = System.nanoTime();
		ByteArrayOutputStream body = new ByteArrayOutputStream();
		byte[] buffer = new byte[8192];
		InputStream in = request.getInputStream();
		for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
			body.write(buffer, 0, read);
			if (body.size() > resource.maxSize()) {
				throw new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE,
						"A %s may have %d bytes".formatted(resource.noun(), resource.maxSize()));
			}
			if (System.nanoTime() - start > CORRECTION_TIME.toNanos()) {
				throw new ResponseStatusException(HttpStatus.REQUEST_TIMEOUT, "The body took too long");
			}
		}
		if (body.size() > 0 && !isJson(request.getContentType())) {
			throw new ResponseStatusException(HttpStatus.UNSUPPORTED_MEDIA_TYPE,
					"A correction has the Content-Type application/json");
		}
		if (body.size() == 0 && request.getContentType() != null) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"A correction has a body; without one there is no Content-Type");
		}
		return (body.size() > 0) ? body.toByteArray() : null;
	}

	private static boolean isJson(@Nullable String contentType) {
		return contentType != null && contentType.matches("(?i)application/json\\s*(;\\s*charset=\"?utf-8\"?\\s*)?");
	}

}
