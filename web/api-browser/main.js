import { loadApi } from './document.js';
import { byId, element } from './dom.js';
import { moveInList, showList } from './list.js';
import { operationView } from './operation.js';
import { keepToken, readToken, whoAsks } from './session.js';

const filter = byId('filter');
const token = byId('token');
const place = byId('operation');

async function start() {
  let api;
  try {
    api = await loadApi();
  } catch (error) {
    place.replaceChildren(
      element('p', { class: 'notice', role: 'alert' }, `The API could not be read: ${error.message}.`),
    );
    return;
  }

  const selected = () => decodeURIComponent(location.hash.slice(1));
  const list = () => showList(api, filter.value, selected());

  function show() {
    const operation = api.byId.get(selected());
    document.body.classList.toggle('has-operation', operation !== undefined);
    document.title = operation ? `${operation.summary} · Gatehouse API` : 'Gatehouse API';
    place.replaceChildren(operation ? operationView(api, operation) : welcome(api));
    list();
    byId('list').querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
    if (!operation) return;
    place.scrollTop = 0;
    place.focus({ preventScroll: true });
  }

  filter.addEventListener('input', list);
  filter.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') byId('list').querySelector('a')?.click();
  });
  document.querySelector('.sidebar').addEventListener('keydown', moveInList);
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    filter.focus();
  });
  addEventListener('hashchange', show);

  token.value = readToken();
  token.addEventListener('change', () => {
    keepToken(token.value.trim());
    tellCaller(api);
  });
  byId('sign-in').addEventListener('submit', (event) => {
    event.preventDefault();
    keepToken(token.value.trim());
    tellCaller(api);
  });
  show();
  tellCaller(api);
}

async function tellCaller({ base }) {
  const caller = byId('caller');
  const hasSession = document.cookie.includes('gatehouse_csrf');
  if (!readToken() && !hasSession) {
    caller.textContent = 'not signed in';
    caller.className = '';
    return;
  }
  const { isKnown, name } = await whoAsks(base).catch(() => ({ isKnown: false, name: '' }));
  caller.textContent = isKnown ? name : 'not accepted';
  caller.className = isKnown ? 'known' : 'unknown';
}

function welcome({ version, operations, schemas }) {
  return element(
    'article',
    { class: 'welcome' },
    element('h2', {}, 'The Gatehouse API'),
    element(
      'p',
      {},
      `Version ${version}: ${operations.length} operations and ${Object.keys(schemas).length} schemas. Choose an operation to read about it and to try it out.`,
    ),
    element('p', {}, 'Requests are real. Give “dry_run” as true to see what a write would do without doing it.'),
    element(
      'ul',
      {},
      element('li', {}, element('a', { href: 'schema/?format=json' }, 'The OpenAPI document as JSON')),
      element('li', {}, element('a', { href: 'schema/?format=yaml' }, 'The OpenAPI document as YAML')),
    ),
    element(
      'p',
      { class: 'quiet' },
      element('kbd', {}, '/'),
      ' goes to the filter, ',
      element('kbd', {}, '↑'),
      ' ',
      element('kbd', {}, '↓'),
      ' move in the list, ',
      element('kbd', {}, 'Ctrl'),
      ' + ',
      element('kbd', {}, 'Enter'),
      ' sends.',
    ),
  );
}

await start();
