package jobs.chassis.http;

/**
 * The documents of the API where they are not those of the class path.
 *
 * @param openApi the text at {@code /openapi.yaml}
 * @param asyncApi the text at {@code /asyncapi.yaml}
 */
public record ServedApi(String openApi, String asyncApi) {

}
