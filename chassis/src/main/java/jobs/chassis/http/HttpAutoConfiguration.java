package jobs.chassis.http;

import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.operations.OperationsAutoConfiguration;
import jobs.chassis.operations.RequestTraces;
import jobs.chassis.operations.SettingException;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Bounds Tomcat, traces its requests, and turns its errors into problems (RFC 9457). */
@AutoConfiguration(after = OperationsAutoConfiguration.class)
class HttpAutoConfiguration {

	/** The only values of these settings, since bounds and roles go by paths. */
	private static final Map<String, String> PATHS = Map.of("server.servlet.context-path", "",
			"spring.mvc.servlet.path", "/", "management.endpoints.web.base-path", "/actuator",
			"management.server.base-path", "");

	/** Throws SettingException where bounds and roles would not be found. */
	HttpAutoConfiguration(Environment settings) {
		PATHS.forEach((setting, path) -> {
			if (!settings.getProperty(setting, path).equals(path)) {
				throw new SettingException(
						"%s can't be changed: bounds and roles go by paths. Let a proxy change paths."
							.formatted(setting));
			}
		});
	}

	@Bean
	BoundedHttp boundedHttp(RequestTraces traces) {
		return new BoundedHttp(traces);
	}

	@Bean
	RequestProblems requestProblems() {
		return new RequestProblems();
	}

	@Bean
	ApiDocuments apiDocuments() {
		return new ApiDocuments();
	}

	@Bean
	@ConditionalOnBean(ServedApi.class)
	ServedApiController servedApi(ServedApi served) {
		return new ServedApiController(served);
	}

	/** Serves the documents of {@code contract/} and a page to read and try them. */
	private static class ApiDocuments implements WebMvcConfigurer {

		@Override
		public void addResourceHandlers(ResourceHandlerRegistry registry) {
			registry.addResourceHandler("/openapi.yaml", "/asyncapi.yaml")
				.addResourceLocations("classpath:/docs/")
				.setUseLastModified(false);
			// all jars have files of one time, so that a browser would take new ones for
			// those that it has
			registry.addResourceHandler("/docs/**").addResourceLocations("classpath:/docs/").setUseLastModified(false);
		}

		/**
		 * Forbids other sites to frame the page, where they could lead its visitor's
		 * clicks, and scripts of others in it. Names the type of YAML, which Spring does
		 * not know.
		 */
		@Override
		public void addInterceptors(InterceptorRegistry registry) {
			registry
				.addInterceptor(header("Content-Security-Policy",
						"script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"))
				.addPathPatterns("/docs/**");
			registry.addInterceptor(header("Content-Type", "application/yaml")).addPathPatterns("/*.yaml");
		}

		private static HandlerInterceptor header(String name, String value) {
			return new HandlerInterceptor() {

				@Override
				public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
					response.setHeader(name, value);
					return true;
				}

			};
		}

		@Override
		public void addViewControllers(ViewControllerRegistry registry) {
			registry.addRedirectViewController("/docs", "/docs/index.html");
			registry.addRedirectViewController("/docs/", "/docs/index.html");
		}

	}

}
