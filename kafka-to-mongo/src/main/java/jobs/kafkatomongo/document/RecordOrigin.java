package jobs.kafkatomongo.document;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import jobs.contract.HeaderNames;
import jobs.contract.Utf8;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.bson.BsonWriter;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what the headers of a record tell of its document: the contract that it kept when
 * it was published, and the attributes of a CloudEvent (its binding for Kafka 1.0, binary
 * mode). Headers that are none of these, or malformed, are left alone.
 */
public final class RecordOrigin {

	/** Characters of the attributes of a CloudEvent; one with more is not kept. */
	private static final int EVENT_CHARACTERS = 8192;

	/** Attributes of a CloudEvent; one with more is not kept. */
	private static final int EVENT_ATTRIBUTES = 64;

	/** Bytes of a value that rest-to-kafka has accepted, whatever it accepts now. */
	private static final int ACCEPTED_BYTES = 16 * 1024 * 1024;

	private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

	private RecordOrigin() {
	}

	/**
	 * Whether a value may have so many bytes: up to {@code maxSize} of them, or more
	 * where rest-to-kafka accepted it, since {@code max-size} may have been larger then.
	 */
	public static boolean mayHave(int bytes, Headers headers, int maxSize) {
		return bytes <= maxSize || (bytes <= ACCEPTED_BYTES && contract(headers) != null);
	}

	/** Writes the fields into the document that is open. */
	static void write(Headers headers, BsonWriter meta) {
		String contract = contract(headers);
		if (contract != null) {
			meta.writeString("contract", contract);
		}
		if (headers.lastHeader(HeaderNames.EVENT + "specversion") != null) {
			Map<String, String> event = event(headers);
			int size = event.values().stream().mapToInt(String::length).sum();
			if (event.size() <= EVENT_ATTRIBUTES && size <= EVENT_CHARACTERS) {
				meta.writeStartDocument("cloudEvent");
				event.forEach(meta::writeString);
				meta.writeEndDocument();
			}
		}
	}

	private static @Nullable String contract(Headers headers) {
		String contract = text(headers.lastHeader(HeaderNames.CONTRACT));
		return (contract != null && DIGEST.matcher(contract).matches()) ? contract : null;
	}

	private static Map<String, String> event(Headers headers) {
		Map<String, String> event = new TreeMap<>();
		for (Header header : headers) {
			if (header.key().startsWith(HeaderNames.EVENT)) {
				String name = header.key().substring(HeaderNames.EVENT.length());
				String value = text(header);
				if (value != null && HeaderNames.isAttribute(name)) {
					event.put(name, value);
				}
			}
		}
		return event;
	}

	private static @Nullable String text(@Nullable Header header) {
		return (header != null && header.value() != null) ? Utf8.decode(header.value()) : null;
	}

}
