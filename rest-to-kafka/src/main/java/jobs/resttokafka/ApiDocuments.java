package jobs.resttokafka;

import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * The documents of {@code contract/}, and a page to read and try them.
 */
class ApiDocuments implements WebMvcConfigurer {

	@Override
	public void addResourceHandlers(ResourceHandlerRegistry registry) {
		registry.addResourceHandler("/openapi.yaml", "/asyncapi.yaml", "/job.schema.json")
			.addResourceLocations("classpath:/docs/");
		registry.addResourceHandler("/docs/**").addResourceLocations("classpath:/docs/");
	}

	@Override
	public void addViewControllers(ViewControllerRegistry registry) {
		registry.addRedirectViewController("/docs", "/docs/index.html");
		registry.addRedirectViewController("/docs/", "/docs/index.html");
	}

}
