package jobs.crawler.fetch;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PublicAddressesTests {

	@ParameterizedTest
	@ValueSource(strings = { "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255",
			"169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.0.0.8", "198.18.0.1", "198.19.255.1",
			"224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1",
			"::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1",
			"2002:7f00:1::1", "2002:a00:1::", "::127.0.0.1", "100::1", "fec0::1" })
	void knowsAddressesThatAreNotPublic(String address) throws UnknownHostException {
		assertThat(PublicAddresses.isPublic(InetAddress.getByName(address))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "1.1.1.1", "100.63.0.1", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.2.1",
			"198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "64:ff9b::101:101", "2002:101:101::1" })
	void knowsPublicAddresses(String address) throws UnknownHostException {
		assertThat(PublicAddresses.isPublic(InetAddress.getByName(address))).isTrue();
	}

}
