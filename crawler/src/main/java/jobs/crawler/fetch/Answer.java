package jobs.crawler.fetch;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What a host has answered to one request. Nobody has followed a redirect yet.
 */
public sealed interface Answer {

	/**
	 * The page.
	 *
	 * @param headers of the answer
	 * @param body the page, decompressed
	 */
	record Page(HttpHeaders headers, byte[] body) implements Answer {

		/**
		 * The media type, in small letters, without parameters; empty where there is
		 * none.
		 */
		public String mediaType() {
			return this.headers.firstValue("Content-Type").orElse("").split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
		}

		/** The charset that the header names, as it stands there. */
		public @Nullable String charset() {
			return this.headers.firstValue("Content-Type")
				.flatMap(Page::charset)
				.filter((name) -> !name.isEmpty())
				.orElse(null);
		}

		private static Optional<String> charset(String type) {
			int at = type.toLowerCase(Locale.ROOT).indexOf("charset=");
			return (at < 0) ? Optional.empty()
					: Optional.of(type.substring(at + 8).split("[;,]", 2)[0].replaceAll("[\"'\\s]", ""));
		}

	}

	/** The page is as it was when it was read last. */
	record NotModified() implements Answer {
	}

	/**
	 * The page is elsewhere.
	 *
	 * @param location as the host wrote it, perhaps relative
	 * @param isForEver whether the host says so
	 */
	record Moved(String location, boolean isForEver) implements Answer {
	}

	/**
	 * The page is gone: 404 or 410.
	 */
	record Gone() implements Answer {
	}

	/**
	 * The page can't be read, and another try would not change that.
	 *
	 * @param status of HTTP; 0 where there was none
	 * @param reason in words
	 */
	record Refused(int status, String reason) implements Answer {
	}

	/**
	 * The page can't be read now.
	 *
	 * @param status of HTTP; 0 where there was none
	 * @param reason in words
	 * @param retryAfter for how long the host wants to be left alone; zero where it does
	 * not say
	 */
	record Later(int status, String reason, Duration retryAfter) implements Answer {
	}

}
