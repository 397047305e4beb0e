window.addEventListener('load', () => SwaggerUIBundle({ url: '../openapi.yaml', dom_id: '#ui', validatorUrl: null }));
