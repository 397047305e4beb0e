package jobs.resttokafka.http;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;

import jakarta.servlet.http.HttpServletRequest;
import org.apache.coyote.BadRequestException;

import org.springframework.core.NestedExceptionUtils;

/**
 * The body of a request. Where a read times out or the body breaks off, Tomcat would
 * answer 408 or 400 by itself: it drops what is written after that, and cuts off an
 * answer that has begun. Here whoever reads decides what is answered.
 */
final class BodyStream extends FilterInputStream {

	private final Runnable forgetFailure;

	private boolean isBroken;

	/** The body of a request that has passed {@link AfterAnswerValve}. */
	BodyStream(HttpServletRequest request) throws IOException {
		super(request.getInputStream());
		this.forgetFailure = (Runnable) request.getAttribute(AfterAnswerValve.FORGET_FAILURE);
	}

	@Override
	public int read(byte[] bytes, int from, int length) throws IOException {
		try {
			if (!this.isBroken) {
				return super.read(bytes, from, length);
			}
		}
		catch (IOException ex) {
			Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
			if (cause instanceof SocketTimeoutException timeout) {
				this.forgetFailure.run();
				throw timeout;
			}
			forgetIfBroken(ex);
		}
		throw new EOFException("The body breaks off");
	}

	/** Tells of a byte where the body is broken: the next read says so. */
	@Override
	public int available() throws IOException {
		try {
			return this.isBroken ? 1 : super.available();
		}
		catch (IOException ex) {
			forgetIfBroken(ex);
			return 1;
		}
	}

	/** Throws what says that the client is gone. */
	private void forgetIfBroken(IOException failure) throws IOException {
		Throwable cause = failure;
		while (!(cause instanceof BadRequestException || cause instanceof EOFException)) {
			cause = cause.getCause();
			if (cause == null) {
				throw failure;
			}
		}
		this.isBroken = true;
		this.forgetFailure.run();
	}

}
