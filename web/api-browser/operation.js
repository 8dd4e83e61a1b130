import { answerView, failureView, jsonView } from './answer-view.js';
import { bodySchema, nameOfReference, typeName } from './document.js';
import { badge, element } from './dom.js';
import { exampleOf } from './example.js';
import { asCurl, requestOf, send } from './request.js';
import { schemaView } from './schema-view.js';

/** With more parameters than these, the button to send is too far down. */
const mostShownAtOnce = 12;

/** One operation: what it takes, a way to try it, and what it answers. */
export function operationView(api, operation) {
  const { method, path, summary, operationId, security } = operation;
  const isOpen = security?.some((scheme) => Object.keys(scheme).length === 0);
  return element(
    'article',
    {},
    element('a', { class: 'back', href: '#' }, '← All operations'),
    element('h2', {}, summary),
    element('p', { class: 'address' }, badge(method), element('code', {}, `${api.base}${path}`)),
    element(
      'p',
      { class: 'quiet' },
      element('code', {}, operationId),
      isOpen ? ' · may be called without signing in' : '',
    ),
    formView(api, operation),
    answersView(api, operation),
  );
}

function formView(api, operation) {
  const place = element('div', { class: 'result', 'aria-live': 'polite' });
  const button = element('button', { type: 'submit', class: 'send' }, 'Send');
  const form = element(
    'form',
    { class: 'try', submit: (event) => submit(event), keydown: (event) => sendByKey(event) },
    parametersView(api, operation),
    bodyView(api, operation),
    element(
      'div',
      { class: 'actions' },
      button,
      element('button', { type: 'button', click: showCurl }, 'Show as curl'),
      element('span', { class: 'quiet' }, 'Ctrl + Enter sends'),
    ),
  );

  function sendByKey(event) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  }

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    try {
      place.replaceChildren(answerView(await send(requestOf(api, operation, form))));
    } catch (error) {
      place.replaceChildren(failureView(error.message));
    } finally {
      button.disabled = false;
    }
  }

  function showCurl() {
    try {
      place.replaceChildren(element('pre', { class: 'json', tabindex: 0 }, asCurl(requestOf(api, operation, form))));
    } catch (error) {
      place.replaceChildren(failureView(error.message));
    }
  }

  return element('div', {}, form, place);
}

function parametersView(api, { parameters = [] }) {
  if (parameters.length === 0) return null;
  // What must be given comes first, then what filters, then headers.
  const rank = { path: 0, query: 1, header: 2 };
  const ordered = parameters.toSorted((a, b) => rank[a.in] - rank[b.in]);
  const rows = ordered.map((parameter) => {
    const id = `${parameter.in}:${parameter.name}`;
    return element(
      'div',
      { class: 'parameter' },
      element(
        'label',
        { for: id },
        element('code', {}, parameter.name),
        parameter.required && element('span', { class: 'flag' }, 'required'),
        element('span', { class: 'quiet' }, ` ${parameter.in}, ${typeName(api, parameter.schema)}`),
      ),
      inputFor(parameter, id),
      parameter.description && element('p', { class: 'quiet' }, parameter.description),
    );
  });
  const shown = ordered.filter(({ required }) => required).length;
  const optional = rows.slice(shown);
  return element(
    'fieldset',
    {},
    element('legend', {}, 'Parameters'),
    rows.slice(0, shown),
    optional.length > 0 &&
      element(
        'details',
        { open: optional.length <= mostShownAtOnce },
        element('summary', {}, `${optional.length} optional`),
        element('div', { class: 'grid' }, optional),
      ),
  );
}

function inputFor({ schema, required, name }, id) {
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  if (choices) {
    const options = ['', ...choices.filter((choice) => choice !== null)];
    return element(
      'select',
      { id, name: id },
      options.map((choice) => element('option', { value: choice }, String(choice))),
    );
  }
  const placeholder = schema.type === 'array' ? 'several, with commas between them' : (schema.format ?? '');
  return element('input', {
    id,
    name: id,
    required,
    placeholder,
    spellcheck: 'false',
    autocomplete: 'off',
    'data-name': name,
  });
}

function bodyView(api, { requestBody }) {
  const body = bodySchema(requestBody?.content);
  if (!body) return null;
  const isUpload = body.type === 'multipart/form-data';
  const example = JSON.stringify(exampleOf(api, body.schema, { forBody: true }), null, 2);
  const editor = isUpload
    ? element('input', { type: 'file', name: 'file', 'aria-label': 'File' })
    : element('textarea', {
        name: 'body',
        rows: Math.min(18, example.split('\n').length + 1),
        spellcheck: 'false',
        'aria-label': 'Body',
        // Only shown: what is sent is what somebody typed, not what an example happens to say.
        placeholder: example,
      });
  function useExample() {
    editor.value = example;
    editor.focus();
  }
  return element(
    'fieldset',
    {},
    element('legend', {}, 'Body'),
    editor,
    !isUpload && element('button', { type: 'button', click: useExample }, 'Use the example'),
    element(
      'details',
      {},
      element('summary', {}, nameOfReference(body.schema) ?? 'What it may hold'),
      schemaView(api, body.schema),
    ),
  );
}

function answersView(api, { responses }) {
  return element(
    'section',
    { class: 'answers' },
    element('h3', {}, 'Answers'),
    Object.entries(responses).map(([status, { description, content }]) => {
      const body = bodySchema(content);
      return element(
        'details',
        {},
        element(
          'summary',
          {},
          element('strong', {}, status === 'default' ? 'other' : status),
          ` ${description} `,
          element('span', { class: 'type' }, body ? typeName(api, body.schema) : ''),
        ),
        body && schemaView(api, body.schema),
        body && status < 300 && element('h4', {}, 'Example'),
        body && status < 300 && jsonView(JSON.stringify(exampleOf(api, body.schema), null, 2)),
      );
    }),
  );
}
