import { unescape as decoded } from 'node:querystring';

const mask = '[hidden]';
const maxDepth = 8;
// Limits: a large or unusual object must not stall the server.
const maxMembers = 1000;
const maxItems = 50;

const secretWords = new Set([
  'authorization',
  'cookie',
  'cookies',
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'token',
  'tokens',
  'secret',
  'secrets',
  'key',
  'keys',
  'credential',
  'credentials',
  'assertion',
]);
/** Names of secrets that the last-word rule does not cover. */
const secretNames = new Set(['key_data', 'code_verifier', 'device_code', 'user_code', 'id_token_hint', 'itoken']);
/** URL parameters that grant access or resume a walk; `query` holds those of a page. */
const secretParameters = new Set([
  ...['code', 'state', 'samlrequest', 'samlresponse', 'relaystate', 'query'],
  ...['ticket', 'answer', 'request_uri'],
]);
const urlNames = new Set(['url', 'uri', 'location', 'referer', 'href', 'path']);

/** Masks log data. Memoizes decisions by name, since the same few recur. */
export function createMasking(describeError: (error: Error) => object) {
  const judged = new Map<string, boolean>();

  function isSecret(name: string): boolean {
    const cached = judged.get(name);
    if (cached !== undefined) return cached;
    const verdict = isSecretName(name);
    // Names may come from outside, so the cache is bounded.
    if (judged.size < 1000) judged.set(name, verdict);
    return verdict;
  }

  /**
   * A deep copy with secret members masked. The last word of the name decides: `client_secret`, `accessToken` and `set-
   * cookie` are masked, `token_type` and `key_id` are not.
   */
  function withoutSecrets(members: object): Record<string, unknown> {
    const ancestors: object[] = [];
    let left = maxMembers;

    function clean(value: unknown): unknown {
      if (typeof value !== 'object' || value === null) return value;
      if (ancestors.includes(value)) return '[circular]';
      if (ancestors.length >= maxDepth || left <= 0) return '[cut]';
      if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
      ancestors.push(value);
      const copy = cleanObject(value);
      ancestors.pop();
      return copy;
    }

    function cleanObject(value: object): unknown {
      if (Array.isArray(value)) return cleanItems(value);
      if (value instanceof Error) return cleanMembers(describeError(value));
      if ('toJSON' in value && typeof value.toJSON === 'function') return clean(value.toJSON());
      return cleanMembers(value);
    }

    function cleanItems(items: readonly unknown[]): unknown[] {
      left -= Math.min(items.length, maxItems);
      const cleaned = items.slice(0, maxItems).map(clean);
      return items.length > maxItems ? [...cleaned, `[${items.length - maxItems} more]`] : cleaned;
    }

    function cleanMembers(value: object): Record<string, unknown> {
      const copy: Record<string, unknown> = {};
      for (const name of Object.keys(value)) {
        if (left <= 0) break;
        left -= 1;
        const member: unknown = Reflect.get(value, name);
        copy[name] =
          containsSecret(member) && isSecret(name)
            ? mask
            : clean(urlNames.has(name) ? withoutQuerySecrets(member) : member);
      }
      return copy;
    }

    return cleanMembers(members);
  }

  return withoutSecrets;
}

/** `has_password: true` is not a secret, and useful when debugging. */
function containsSecret(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return secretWords.has(words.at(-1) ?? '') || secretNames.has(words.join('_'));
}

/** An address within a query is looked into so often; deeper ones are hidden. */
const maxNesting = 3;

/** Keeps the parameter names of a query, and the values that are not secret. */
export function withoutQuerySecrets(url: unknown, nesting = 0): unknown {
  if (typeof url !== 'string') return url;
  const start = url.indexOf('?');
  if (start < 0) return url;
  const parameters = url
    .slice(start + 1)
    .split('&')
    .map((parameter) => withoutSecret(parameter, nesting));
  return `${url.slice(0, start)}?${parameters.join('&')}`;
}

function withoutSecret(parameter: string, nesting: number): string {
  const end = parameter.indexOf('=');
  if (end < 0) return parameter;
  const name = decoded(parameter.slice(0, end));
  if (isSecretName(name) || secretParameters.has(name.toLowerCase())) return `${name}=${mask}`;
  const value = decoded(parameter.slice(end + 1));
  // `next` has the address of a page, whose own query may have a secret.
  if (!value.includes('?')) return parameter;
  const shown = nesting < maxNesting ? String(withoutQuerySecrets(value, nesting + 1)) : mask;
  return shown === value ? parameter : `${name}=${encodeURIComponent(shown)}`;
}
