const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

// what this service serves, sent to it alone: the servers of an operation name those who serve it, and service.js this one
function ofThisService(api) {
  document.title = `${api.info.title}: API`;
  const paths = {};
  for (const [path, item] of Object.entries(api.paths ?? {})) {
    const { servers = api.servers, ...kept } = item;
    for (const method of METHODS.filter((one) => one in item)) {
      const { servers: own = servers, ...operation } = item[method];
      if (own.some((server) => server.description === SERVICE)) kept[method] = operation;
      else delete kept[method];
    }
    if (METHODS.some((method) => method in kept)) paths[path] = kept;
  }
  const tags = new Set(Object.values(paths).flatMap(Object.values).flatMap((operation) => operation.tags ?? []));
  const components = { securitySchemes: api.components?.securitySchemes };
  addReferred(paths, api.components, components);
  return {
    ...api,
    servers: [{ url: '/', description: SERVICE }],
    tags: api.tags?.filter((tag) => tags.has(tag.name)),
    paths,
    components,
  };
}

// what a part refers to, and what that refers to
function addReferred(part, components, found) {
  for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/([^"/]+)\/([^"/]+)"/g)) {
    found[kind] ??= {};
    // a contract may have such a reference, too, to a place of its own
    if (!(name in found[kind]) && components[kind]?.[name]) {
      found[kind][name] = components[kind][name];
      addReferred(found[kind][name], components, found);
    }
  }
}

window.addEventListener('load', () => SwaggerUIBundle({
  url: '../openapi.yaml',
  dom_id: '#ui',
  validatorUrl: null,
  plugins: [{ statePlugins: { spec: { wrapActions: { updateJsonSpec: (show) => (api) => show(ofThisService(api)) } } } }],
  // of an operation's answers the page asks for the first one's type, and gets no other: what is sent decides that here
  requestInterceptor: (request) => {
    delete request.headers.accept;
    return request;
  },
}));
