window.addEventListener('load', () => SwaggerUIBundle({
  url: '../openapi.yaml',
  dom_id: '#ui',
  validatorUrl: null,
  // of an operation's answers the page asks for the first one's type, and gets no other: what is sent decides that here
  requestInterceptor: (request) => {
    delete request.headers.accept;
    return request;
  },
}));
