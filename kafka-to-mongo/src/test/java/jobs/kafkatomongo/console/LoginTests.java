package jobs.kafkatomongo.console;

import java.io.IOException;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

import jakarta.servlet.Filter;
import org.apache.catalina.core.StandardContext;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * People who log in for the console, each with a browser's jar of cookies, and those who
 * attack them. There is no Kafka and no MongoDB: whoever may delete gets 503.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.kafka.bootstrap-servers=127.0.0.1:1", "spring.mongodb.uri=mongodb://127.0.0.1:1/db",
				"jobs.security.enabled=true", "jobs.security.login.client-id=console",
				"spring.security.oauth2.resourceserver.jwt.audiences=jobs" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoginTests {

	private static final LoginServer ISSUER = new LoginServer();

	private static final String DELETE = "/dead-letters/a%23b%2Fc";

	private final CookieManager cookies = new CookieManager();

	private final HttpClient browser = HttpClient.newBuilder()
		.cookieHandler(this.cookies)
		.followRedirects(HttpClient.Redirect.NORMAL)
		.build();

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void settings(DynamicPropertyRegistry settings) {
		settings.add("spring.security.oauth2.resourceserver.jwt.issuer-uri", ISSUER::uri);
		settings.add("jobs.security.login.authorization-uri", () -> ISSUER.uri() + "/authorize");
		settings.add("jobs.security.login.token-uri", () -> ISSUER.uri() + "/token");
	}

	@BeforeEach
	void awaitIssuer() {
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
			login();
			return get("/actuator/prometheus").statusCode() == 200;
		});
	}

	@AfterEach
	void mend() {
		ISSUER.audience = "jobs";
		ISSUER.hangs = false;
	}

	@Test
	void letsWhoHasLoggedInDoWhatTheirTokenAllows() throws Exception {
		assertThat(get("/actuator/prometheus").statusCode()).isEqualTo(200);
		assertThat(get("/jobs").statusCode()).isEqualTo(403);
		assertThat(send("DELETE", DELETE, "X-XSRF-TOKEN", cookie("XSRF-TOKEN")).statusCode()).isEqualTo(503);
	}

	/** A browser adds the cookie to what a page of another site sends. */
	@Test
	void doesNothingThatAnotherSiteSends() throws Exception {
		HttpResponse<String> forged = send("DELETE", DELETE, "Origin", "https://evil.example");

		assertThat(forged.statusCode()).isEqualTo(403);
		assertThat(forged.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(send("DELETE", DELETE, "X-XSRF-TOKEN", "guessed").statusCode()).isEqualTo(403);
		assertThat(send("DELETE", DELETE, "Authorization", "Basic YTpi").statusCode()).isEqualTo(403);
		assertThat(send("POST", "/logout", "Origin", "https://evil.example").statusCode()).isEqualTo(403);
	}

	@Test
	void isShownInNoFrame() throws Exception {
		HttpResponse<String> page = get("/");

		assertThat(page.headers().firstValue("X-Frame-Options")).contains("DENY");
		assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
			.contains("frame-ancestors 'none'");
	}

	/** Whoever has planted a session would be logged in with it. */
	@Test
	void givesAnotherSessionToWhoLogsIn() throws Exception {
		String planted = cookie("jobs-session");

		login();

		assertThat(cookie("jobs-session")).isNotEqualTo(planted);
		assertThat(statusWith("jobs-session=" + planted)).isEqualTo(401);
		assertThat(statusWith("jobs-session=" + cookie("jobs-session"))).isEqualTo(200);
		assertThat(statusWith("jobs-session=chosen-by-somebody")).isEqualTo(401);
	}

	/**
	 * A browser would keep it for a year, and for all ports of the name, some of which
	 * speak plain HTTP.
	 */
	@Test
	void bindsNoBrowserToTls(@Autowired @Qualifier("springSecurityFilterChain") Filter filters) throws Exception {
		MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
		request.setSecure(true);
		request.setRequestedSessionId("a-session");
		MockHttpServletResponse response = new MockHttpServletResponse();

		filters.doFilter(request, response, new MockFilterChain());

		assertThat(response.getHeaderNames()).contains("X-Frame-Options").doesNotContain("Strict-Transport-Security");
	}

	@Test
	void hidesTheSessionFromScripts() throws Exception {
		HttpResponse<String> start = HttpClient.newHttpClient()
			.send(request("/oauth2/authorization/console").build(), BodyHandlers.ofString());

		assertThat(start.headers().allValues("Set-Cookie")).anySatisfy(
				(cookie) -> assertThat(cookie).startsWith("jobs-session=").contains("HttpOnly", "SameSite=Lax"));
		assertThat(start.headers().firstValue("Location").orElseThrow()).contains("code_challenge", "state=")
			.doesNotContain("jsessionid");
	}

	/** A code that somebody else has begun is not taken. */
	@Test
	void takesNoCodeThatItDidNotAskFor() throws Exception {
		try (HttpClient stranger = HttpClient.newBuilder().cookieHandler(new CookieManager()).build()) {
			HttpResponse<String> answer = stranger
				.send(request("/login/oauth2/code/console?code=a-code&state=forged").build(), BodyHandlers.ofString());

			assertThat(answer.headers().firstValue("Location").orElseThrow()).endsWith("/?login=failed");
			assertThat(stranger.send(request("/actuator/prometheus").build(), BodyHandlers.ofString()).statusCode())
				.isEqualTo(401);
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void letsNobodyForgeALineOfTheLog(CapturedOutput output) throws Exception {
		try (HttpClient stranger = HttpClient.newBuilder().cookieHandler(new CookieManager()).build()) {
			stranger.send(request("/oauth2/authorization/console").build(), BodyHandlers.ofString());
			stranger.send(request("/login/oauth2/code/console?state=x&error=x&error_description=%0Aforged").build(),
					BodyHandlers.ofString());
		}

		assertThat(output.getAll().lines()).anyMatch((line) -> line.contains("A login has failed"))
			.noneMatch((line) -> line.startsWith("forged"));
	}

	@Test
	void takesNoTokenThatIsForOthers() throws Exception {
		logout();
		ISSUER.audience = "others";

		assertThat(login()).endsWith("/?login=failed");
		assertThat(get("/actuator/prometheus").statusCode()).isEqualTo(401);
	}

	@Test
	@Tag("long")
	void doesNotWaitForAnIssuerThatHangs() throws Exception {
		logout();
		ISSUER.hangs = true;

		assertThat(login()).endsWith("/?login=failed");
	}

	@Test
	void forgetsWhoLogsOut() throws Exception {
		String session = cookie("jobs-session");

		logout();

		assertThat(statusWith("jobs-session=" + session)).isEqualTo(401);
	}

	/** Else who begins logins would fill the memory, or keep out all others. */
	@Test
	@Tag("long")
	void forgetsWhoBeganALoginBeforeAThousandOthers(@Autowired WebServerApplicationContext context) throws Exception {
		try (HttpClient strangers = HttpClient.newHttpClient()) {
			for (int i = 0; i < 1100; i++) {
				assertThat(strangers.send(request("/oauth2/authorization/console").build(), BodyHandlers.discarding())
					.statusCode()).isEqualTo(302);
			}
		}

		assertThat(get("/actuator/prometheus").statusCode()).isEqualTo(200);
		assertThat(
				((StandardContext) ((TomcatWebServer) context.getWebServer()).getTomcat().getHost().findChildren()[0])
					.getManager()
					.getActiveSessions())
			.isLessThanOrEqualTo(1000);
	}

	private int statusWith(String cookie) throws Exception {
		return HttpClient.newHttpClient()
			.send(request("/actuator/prometheus").header("Cookie", cookie).build(), BodyHandlers.discarding())
			.statusCode();
	}

	/** Where the browser is in the end. */
	private String login() throws IOException, InterruptedException {
		return get("/oauth2/authorization/console").uri().toString();
	}

	private void logout() throws Exception {
		get("/");
		assertThat(send("POST", "/logout", "X-XSRF-TOKEN", cookie("XSRF-TOKEN")).statusCode()).isEqualTo(204);
	}

	private HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return this.browser.send(request(path).build(), BodyHandlers.ofString());
	}

	private HttpResponse<String> send(String method, String path, String... headers) throws Exception {
		return this.browser.send(request(path).method(method, BodyPublishers.noBody()).headers(headers).build(),
				BodyHandlers.ofString());
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://localhost:%d%s".formatted(this.port, path)));
	}

	private String cookie(String name) {
		List<HttpCookie> all = this.cookies.getCookieStore().getCookies();
		return all.stream().filter((one) -> one.getName().equals(name)).findFirst().orElseThrow().getValue();
	}

}
