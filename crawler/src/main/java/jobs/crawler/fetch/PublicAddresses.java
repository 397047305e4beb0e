package jobs.crawler.fetch;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Tells addresses of the public Internet from those of a machine or a network of its own,
 * which a page of somebody else must not have us ask. Source: the special-purpose address
 * registries of RFC 6890.
 */
final class PublicAddresses {

	private PublicAddresses() {
	}

	/**
	 * Resolves a host, and throws where one of its addresses is not public. Java keeps
	 * the answer ({@code networkaddress.cache.ttl}), so that the connection goes to the
	 * address that was looked at.
	 */
	static void require(String host) throws UnknownHostException, NotPublicException {
		for (InetAddress address : InetAddress.getAllByName(host)) {
			if (!isPublic(address)) {
				throw new NotPublicException(address);
			}
		}
	}

	static boolean isPublic(InetAddress address) {
		if (address.isAnyLocalAddress() || address.isLoopbackAddress() || address.isLinkLocalAddress()
				|| address.isSiteLocalAddress() || address.isMulticastAddress()) {
			return false;
		}
		byte[] bytes = address.getAddress();
		return (address instanceof Inet4Address) ? isPublic(bytes, 0) : isPublicIpv6(bytes);
	}

	private static boolean isPublic(byte[] bytes, int from) {
		int first = bytes[from] & 0xff;
		int second = bytes[from + 1] & 0xff;
		return switch (first) {
			case 0, 10, 127 -> false;
			case 100 -> (second & 0xc0) != 64;
			case 169 -> second != 254;
			case 172 -> (second & 0xf0) != 16;
			case 192 -> second != 168 && !(second == 0 && bytes[from + 2] == 0);
			case 198 -> (second & 0xfe) != 18;
			default -> first < 224;
		};
	}

	private static boolean isPublicIpv6(byte[] bytes) {
		if ((bytes[0] & 0xfe) == 0xfc) {
			return false;
		}
		if (starts(bytes, 0x20, 0x02)) {
			// 6to4 has an IPv4 address inside
			return isPublic(bytes, 2);
		}
		// so have addresses that translate (64:ff9b::/96), and the old ::/96; the rest of
		// 64:ff9b::/16 is local
		boolean isTranslated = starts(bytes, 0x00, 0x64, 0xff, 0x9b);
		if (isTranslated || starts(bytes, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) {
			return (!isTranslated || (bytes[4] | bytes[5]) == 0) && isPublic(bytes, 12);
		}
		// what is for discarding (100::/64)
		return !starts(bytes, 0x01, 0x00);
	}

	private static boolean starts(byte[] bytes, int... prefix) {
		for (int i = 0; i < prefix.length; i++) {
			if ((bytes[i] & 0xff) != prefix[i]) {
				return false;
			}
		}
		return true;
	}

	/** A host has an address that is not of the public Internet. */
	static final class NotPublicException extends Exception {

		NotPublicException(InetAddress address) {
			super("the address %s is not public".formatted(address.getHostAddress()));
		}

	}

}
