import { credentials, readToken } from './session.js';

/** The request that a form describes. Throws in words when it is not complete. */
export function requestOf(api, operation, form) {
  const values = new FormData(form);
  let { path } = operation;
  const query = new URLSearchParams();
  const headers = { accept: 'application/json' };
  for (const { name, in: place, schema } of operation.parameters ?? []) {
    const value = String(values.get(`${place}:${name}`) ?? '').trim();
    if (place === 'path') {
      if (!value) throw new Error(`“${name}” is needed: it is part of the path.`);
      path = path.replace(`{${name}}`, encodeURIComponent(value));
    } else if (value && place === 'header') headers[name.toLowerCase()] = value;
    else if (value && schema.type === 'array') for (const one of value.split(',')) query.append(name, one.trim());
    else if (value) query.append(name, value);
  }
  const search = query.size > 0 ? `?${query}` : '';
  return { method: operation.method, url: `${api.base}${path}${search}`, headers, body: bodyOf(values, headers) };
}

function bodyOf(values, headers) {
  if (values.has('file')) {
    const upload = new FormData();
    upload.set('file', values.get('file'));
    return upload;
  }
  const text = values.get('body');
  if (text === null || text.trim() === '') return undefined;
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(`The body is not JSON: ${error.message}`);
  }
  headers['content-type'] = 'application/json';
  return text;
}

/** Sends it and tells what came, and how long it took. */
export async function send({ method, url, headers, body }) {
  const started = performance.now();
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: { ...headers, ...credentials(method) },
    body,
    redirect: 'manual',
    cache: 'no-store',
  });
  const text = await response.text();
  return {
    status: response.status,
    reason: response.statusText,
    milliseconds: Math.round(performance.now() - started),
    headers: [...response.headers],
    text,
  };
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The same request for a terminal; the token stays out of it. */
export function asCurl({ method, url, headers, body }) {
  const parts = [`curl -X ${method.toUpperCase()} ${quoted(new URL(url, location.href).href)}`];
  if (readToken()) parts.push('-H "Authorization: Bearer $GATEHOUSE_TOKEN"');
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (typeof body === 'string') parts.push(`--data ${quoted(body)}`);
  if (body instanceof FormData) parts.push(`-F 'file=@${body.get('file')?.name ?? 'file'}'`);
  return parts.join(' \\\n  ');
}
