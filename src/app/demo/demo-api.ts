import { apiPrefix } from '../compose.ts';

/** An object as the API shows it. */
export type Shown = Readonly<Record<string, unknown>>;

/** The API as an administrator calls it. */
export interface DemoApi {
  get(path: string): Promise<Shown>;
  post(path: string, body: Shown): Promise<Shown>;
  /**
   * The object of this list whose members are as `identity` says; it is created from both when there is none. `query` is
   * for lists that show all their rows only when asked to.
   */
  ensure(path: string, identity: Shown, values?: Shown, query?: Record<string, string>): Promise<Shown>;
  /** The objects that were created, by the list that they are in. */
  made(): ReadonlyMap<string, number>;
}

/** A reference may be shown as its key or as the object. */
const names = (shown: unknown, value: unknown): boolean => shown === value || (shown as Shown | null)?.pk === value;

export function createDemoApi(url: string, token: string): DemoApi {
  const made = new Map<string, number>();

  async function send(method: 'GET' | 'POST', path: string, body?: Shown): Promise<Shown> {
    const answer = await fetch(`${url}${apiPrefix}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }

  /** By the filters that the list has; where those leave too many rows, by its search as well. */
  async function find(path: string, identity: Shown, more: Record<string, string>): Promise<Shown | undefined> {
    const filters = Object.entries(identity).map(([name, value]) => [name, String(value)]);
    const query = new URLSearchParams([...filters, ...Object.entries(more), ['page_size', '100']]);
    const search = new URLSearchParams([...query, ['search', String(Object.values(identity)[0])]]);
    for (const parameters of [query, search]) {
      const { results } = (await send('GET', `${path}?${parameters}`)) as { results: Shown[] };
      const found = results.find((row) => Object.entries(identity).every(([name, value]) => names(row[name], value)));
      if (found || results.length < 100) return found;
    }
    return undefined;
  }

  return {
    get: (path) => send('GET', path),
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
