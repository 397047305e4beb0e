package jobs.kafkatomongo.http;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Names whose requests share their places: those of one identity or, while security is
 * off, of one address.
 */
final class ClientName {

	// bytes of an IPv6 address that are of one network: its owner has all the rest
	private static final int NETWORK = 8;

	private ClientName() {
	}

	static String of(HttpServletRequest request) {
		String identity = request.getRemoteUser();
		return (identity != null) ? "user " + identity : ofAddress(request.getRemoteAddr());
	}

	static String ofAddress(String address) {
		if (address.indexOf(':') < 0) {
			return address;
		}
		try {
			byte[] bytes = InetAddress.ofLiteral(address).getAddress();
			return HexFormat.of().formatHex(Arrays.copyOf(bytes, Math.min(NETWORK, bytes.length)));
		}
		catch (IllegalArgumentException ex) {
			return address;
		}
	}

}
