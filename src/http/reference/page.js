// Runs in the browser: shows the description beside the page. Nothing is loaded from elsewhere.

/** Refusals stand once, in a list below the routes; a route names their codes alone. */
const REFUSAL = /^`([A-Z][\w.]*)`: ([\s\S]+)$/;

/** Texts of each route in small letters, by method and path, for the search. */
const searched = new Map();

window.addEventListener('load', async () => {
  followColours();
  const description = await (await fetch('openapi.json')).json();
  const refusals = refusalsOf(description);
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.responses === undefined) continue;
      nameRefusals(operation, refusals);
      const { tags = [], summary = '', description = '', operationId = '' } = operation;
      searched.set(`${method} ${path}`, [method, path, ...tags, summary, description, operationId].join(' ').toLowerCase());
    }
  }
  listRefusals(refusals);
  globalThis.SwaggerUIBundle({
    spec: description,
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayOperationId: true,
    filter: true,
    validatorUrl: null,
    plugins: [searchEverything, showCode],
  });
});

function followColours() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

/** Status and meanings of each code. A code may mean several things. */
function refusalsOf({ components }) {
  const found = new Map();
  for (const [name, response] of Object.entries(components.responses)) {
    for (const line of response.description.split('\n\n')) {
      const [, code, meaning] = REFUSAL.exec(line) ?? [];
      if (code === undefined) continue;
      const known = found.get(code) ?? { code, status: Number(/\d{3}/.exec(name)?.[0]), meanings: new Set(), responses: new Set() };
      known.meanings.add(meaning);
      known.responses.add(`#/components/responses/${name}`);
      found.set(code, known);
    }
  }
  return [...found.values()].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}

/** Puts the codes of a route in the place of its refusals. */
function nameRefusals(operation, refusals) {
  const refused = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
  for (const [status] of refused) delete operation.responses[status];
  const codes = refused.map(([status, { $ref }]) => {
    const links = refusals.filter(({ responses }) => responses.has($ref)).map(({ code }) => `[${code}](#error-${code})`);
    return `${status} ${links.join(', ')}`;
  });
  if (codes.length > 0)
    operation.description = [operation.description, `**Refused with** ${codes.join(' · ')}`].filter(Boolean).join('\n\n');
}

function listRefusals(refusals) {
  const list = document.querySelector('#errors');
  for (const { code, status, meanings } of refusals) {
    const name = element('dt', '');
    name.id = `error-${code}`;
    name.append(element('code', code), ` ${status}`);
    list.querySelector('dl').append(name, ...[...meanings].map((meaning) => withCode(element('dd', ''), meaning)));
  }
  list.hidden = false;
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="#error-"]');
    if (!link) return;
    event.preventDefault();
    showRefusal(link.hash);
  });
  if (location.hash.startsWith('#error-')) showRefusal(location.hash);
}

function showRefusal(hash) {
  document.querySelector('#errors').open = true;
  history.replaceState(null, '', hash);
  const shown = document.getElementById(hash.slice(1));
  for (const marked of document.querySelectorAll('#errors .found')) marked.classList.remove('found');
  shown?.classList.add('found');
  shown?.scrollIntoView({ block: 'center' });
}

function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/** Fills an element with a text, in which what stands between backticks is code. */
function withCode(parent, text) {
  parent.replaceChildren(...text.split('`').map((part, at) => (at % 2 === 1 ? element('code', part) : part)));
  return parent;
}

/** The search finds routes by path, method, words and codes of refusals, and opens the groups of what it found. */
function searchEverything() {
  const fits = (operation, words) => {
    const text = searched.get(`${operation.get('method')} ${operation.get('path')}`) ?? '';
    return words.every((word) => text.includes(word));
  };
  const opsFilter = (groups, phrase) => {
    const words = phrase.toLowerCase().split(/\s+/);
    const found = groups.map((group) => group.update('operations', (all) => all.filter((operation) => fits(operation, words))));
    return found.filter((group) => group.get('operations').size > 0);
  };
  const updateFilter = (original, system) => (phrase) => {
    original(phrase);
    for (const group of system.specSelectors.taggedOperations().keys()) {
      system.layoutActions.show(['operations-tag', group], typeof phrase === 'string' && phrase !== '');
    }
  };
  return { fn: { opsFilter }, statePlugins: { layout: { wrapActions: { updateFilter } } } };
}

/** Backticks of summaries; and a text of its own for a search without a result. */
function showCode({ React }) {
  const summary = (Original) => (props) => {
    const ref = React.useRef(null);
    React.useEffect(() => {
      const shown = ref.current.querySelector('.opblock-summary-description');
      if (shown?.textContent.includes('`')) withCode(shown, shown.textContent);
    });
    return React.createElement('div', { ref, className: 'summary' }, React.createElement(Original, props));
  };
  const routes = (Original, system) => (props) => {
    React.useEffect(nameSearch);
    const phrase = system.layoutSelectors.currentFilter();
    const groups = system.specSelectors.taggedOperations();
    const isFound = typeof phrase !== 'string' || phrase === '' || system.fn.opsFilter(groups, phrase).size > 0;
    if (isFound) return React.createElement(Original, props);
    return React.createElement('p', { className: 'nothing' }, `No route has all of: ${phrase}`);
  };
  return { wrapComponents: { OperationSummary: summary, operations: routes } };
}

function nameSearch() {
  const input = document.querySelector('.operation-filter-input');
  if (input === null) return;
  input.type = 'search';
  input.placeholder = 'Search: a path, GET, words, an error code';
  input.setAttribute('aria-label', 'Search routes');
}
