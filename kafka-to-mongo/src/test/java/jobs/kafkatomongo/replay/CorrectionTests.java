package jobs.kafkatomongo.replay;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jobs.kafkatomongo.Records;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.http.HttpStatus;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A correction is read within its time.
 */
class CorrectionTests {

	/** Tomcat waits for each byte anew, and a correction holds a place meanwhile. */
	@Test
	@Tag("long")
	@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void refusesABodyThatTrickles() {
		MockHttpServletRequest request = new MockHttpServletRequest() {

			@Override
			public ServletInputStream getInputStream() {
				return new Trickle();
			}

		};

		assertThatExceptionOfType(ResponseStatusException.class)
			.isThrownBy(() -> Correction.read(request, Records.jobs("jobs")))
			.matches((refusal) -> refusal.getStatusCode() == HttpStatus.REQUEST_TIMEOUT);
	}

	/** A space every tenth of a second, without end. */
	private static final class Trickle extends ServletInputStream {

		@Override
		public int read() throws IOException {
			try {
				TimeUnit.MILLISECONDS.sleep(100);
				return ' ';
			}
			catch (InterruptedException ex) {
				throw new IOException(ex);
			}
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			target[offset] = (byte) read();
			return 1;
		}

		@Override
		public boolean isFinished() {
			return false;
		}

		@Override
		public boolean isReady() {
			return true;
		}

		@Override
		public void setReadListener(ReadListener listener) {
			throw new UnsupportedOperationException();
		}

	}

}
