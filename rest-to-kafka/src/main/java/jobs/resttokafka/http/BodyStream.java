package jobs.resttokafka.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.core.NestedExceptionUtils;

/**
 * The body of a request. Where a read times out, Tomcat would answer 408 by itself: it
 * drops what is written after that, and cuts off an answer that has begun. Here whoever
 * reads decides what is answered.
 */
final class BodyStream extends FilterInputStream {

	private final Runnable forgetTimeout;

	/** The body of a request that has passed {@link AfterAnswerValve}. */
	BodyStream(HttpServletRequest request) throws IOException {
		super(request.getInputStream());
		this.forgetTimeout = (Runnable) request.getAttribute(AfterAnswerValve.FORGET_TIMEOUT);
	}

	@Override
	public int read(byte[] bytes, int from, int length) throws IOException {
		try {
			return super.read(bytes, from, length);
		}
		catch (IOException ex) {
			if (NestedExceptionUtils.getMostSpecificCause(ex) instanceof SocketTimeoutException timeout) {
				this.forgetTimeout.run();
				throw timeout;
			}
			throw ex;
		}
	}

}
