package jobs.kafkatomongo.pipeline;

import java.lang.reflect.Method;

import jobs.kafkatomongo.http.ResourceController;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Maps the controllers of pipelines under the paths of their resources, too. */
final class ResourceHandlerMapping extends RequestMappingHandlerMapping {

	/** The path of the controller that is being registered. */
	private @Nullable String path;

	/** Maps the methods of a controller under its path. */
	void register(ResourceController controller) {
		this.path = controller.path();
		try {
			detectHandlerMethods(controller);
		}
		finally {
			this.path = null;
		}
	}

	@Override
	protected @Nullable RequestMappingInfo getMappingForMethod(Method method, Class<?> type) {
		RequestMappingInfo mapping = super.getMappingForMethod(method, type);
		return (mapping != null && this.path != null)
				? RequestMappingInfo.paths(this.path).options(getBuilderConfiguration()).build().combine(mapping)
				: mapping;
	}

}
