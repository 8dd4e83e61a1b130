import { element } from './dom.js';

/** Past this, colours would make the page slow. */
const longestColoured = 200_000;

export function answerView({ status, reason, milliseconds, headers, text }) {
  const trouble = status < 500 ? 'refused' : 'bad';
  const kind = status < 300 ? 'good' : trouble;
  return element(
    'section',
    { class: 'answer', 'aria-label': 'Answer' },
    element(
      'p',
      { class: 'outcome' },
      element('strong', { class: `status ${kind}`, 'data-status': status }, `${status} ${reason}`),
      element('span', { class: 'quiet' }, `${milliseconds} ms, ${sizeOf(text)}`),
    ),
    element(
      'details',
      {},
      element('summary', {}, `${headers.length} headers`),
      element(
        'dl',
        { class: 'headers' },
        headers.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
      ),
    ),
    text ? jsonView(pretty(text)) : element('p', { class: 'quiet' }, 'The body is empty.'),
  );
}

export const failureView = (message) => element('p', { class: 'notice', role: 'alert' }, message);

function sizeOf(text) {
  const bytes = new Blob([text]).size;
  return bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KB`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/** JSON with its names, texts and numbers told apart by colour. */
export function jsonView(text) {
  const view = element('pre', { class: 'json', tabindex: 0 });
  if (text.length > longestColoured) {
    view.textContent = text;
    return view;
  }
  let at = 0;
  for (const match of text.matchAll(tokens)) {
    const [whole, string, colon, word] = match;
    view.append(text.slice(at, match.index));
    view.append(element('span', { class: kindOf(string, colon, word) }, string ?? whole), colon ?? '');
    at = match.index + whole.length;
  }
  view.append(text.slice(at));
  return view;
}

function kindOf(string, colon, word) {
  if (string) return colon ? 'key' : 'string';
  return word ? 'word' : 'number';
}
