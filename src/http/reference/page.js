// Runs in the browser: shows the description beside the page. Nothing is loaded from elsewhere.
window.addEventListener('load', () => {
  globalThis.SwaggerUIBundle({
    url: 'openapi.json',
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayOperationId: true,
    filter: true,
    validatorUrl: null,
  });
});
