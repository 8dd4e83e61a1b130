import type { DemoApi, DemoObject } from '../../core/kind/demo.ts';
import { isJsonObject } from '../../lib/json.ts';
import { apiPrefix } from '../compose.ts';

/** A reference may be shown as its key or as the object. */
const names = (shown: unknown, value: unknown): boolean =>
  shown === value || (isJsonObject(shown) && shown.pk === value);

export function createDemoApi(url: string, token: string): DemoApi {
  const made = new Map<string, number>();

  async function send(method: 'GET' | 'POST', path: string, body?: DemoObject): Promise<DemoObject> {
    const answer = await fetch(`${url}${apiPrefix}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }

  async function list(path: string): Promise<readonly DemoObject[]> {
    const { results } = await send('GET', path);
    return Array.isArray(results) ? results : [];
  }

  /** Finds by the filters of the list, and by its search if those leave too many rows. */
  async function find(
    path: string,
    identity: DemoObject,
    more: Record<string, string>,
  ): Promise<DemoObject | undefined> {
    const filters = Object.entries(identity).map(([name, value]) => [name, String(value)]);
    const query = new URLSearchParams([...filters, ...Object.entries(more), ['page_size', '100']]);
    const search = new URLSearchParams([...query, ['search', String(Object.values(identity)[0])]]);
    for (const parameters of [query, search]) {
      const results = await list(`${path}?${parameters}`);
      const found = results.find((row) => Object.entries(identity).every(([name, value]) => names(row[name], value)));
      if (found || results.length < 100) return found;
    }
    return undefined;
  }

  return {
    get: (path) => send('GET', path),
    list,
    post: (path, body) => send('POST', path, body),
    async ensure(path, identity, values = {}, query = {}) {
      const known = await find(path, identity, query);
      if (known) return known;
      const shown = await send('POST', path, { ...identity, ...values });
      made.set(path, (made.get(path) ?? 0) + 1);
      return shown;
    },
    made: () => made,
  };
}
