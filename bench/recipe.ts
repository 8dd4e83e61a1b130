/**
 * A request as the driver sends it. `{unique}` in the body becomes a new text each time, `"{number}"` a new number,
 * `{target}` in the path the key of the next object of its row.
 */
export interface BenchRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface CapturedStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** What the server did and said for one request. */
export interface Exchange {
  /** The name that the request gave the new object, if it made one. */
  readonly name: string | null;
  /** The key in its path, if it has one of its own. */
  readonly target?: number;
  readonly statements: readonly CapturedStatement[];
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Text with holes for what must differ each time. */
export type Template = readonly (string | Hole)[];
export interface Hole {
  /** Which fresh value: `nameHole`, which is also for targets, or the number of a key. */
  readonly fresh: number;
  readonly compact: boolean;
}
const nameHole = -1;

export interface Step {
  readonly sql: string;
  readonly parameters: readonly (Template | { readonly fixed: unknown })[];
}

/** How the floor answers a request: the same statements, then the same bytes. */
export interface Recipe {
  readonly method: string;
  readonly path: string;
  readonly authentication: readonly Step[];
  readonly work: readonly Step[];
  readonly isWrite: boolean;
  readonly freshKeys: number;
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Template;
}

const keyPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b/g;
const compacted = (key: string) => key.replaceAll('-', '');

/**
 * The recipe of the second of two like exchanges. Keys that both have stay; keys that only the second has were made for
 * it, and are made again each time.
 */
export function recipeOf(request: BenchRequest, first: Exchange, second: Exchange, authentications: number): Recipe {
  const known = new Set(keysIn(first));
  const fresh = [...new Set(keysIn(second).filter((key) => !known.has(key)))];
  const template = (text: string) => templateOf(text, fresh, second.name);
  const steps = second.statements.map(({ sql, parameters }) => ({
    sql,
    parameters: parameters.map((value) => {
      if (typeof value === 'string') return template(value);
      return value === second.target ? [{ fresh: nameHole, compact: false }] : { fixed: value };
    }),
  }));
  return {
    method: request.method,
    path: request.path,
    authentication: steps.slice(0, authentications),
    work: steps.slice(authentications),
    isWrite: ['POST', 'PATCH', 'DELETE'].includes(request.method),
    freshKeys: fresh.length,
    status: second.status,
    headers: second.headers,
    body: template(second.body),
  };
}

function keysIn({ statements, body }: Exchange): string[] {
  const texts = [...statements.flatMap(({ parameters }) => parameters), body];
  return texts
    .filter((value) => typeof value === 'string')
    .flatMap((text) => text.match(keyPattern) ?? [])
    .map(compacted);
}

function templateOf(text: string, fresh: readonly string[], name: string | null): Template {
  const parts: (string | Hole)[] = [];
  const pattern = new RegExp(name === null ? keyPattern.source : `${name}|${keyPattern.source}`, 'g');
  let end = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const key = found === name ? nameHole : fresh.indexOf(compacted(found));
    if (key === -1 && found !== name) continue;
    parts.push(text.slice(end, index), { fresh: key, compact: !found.includes('-') });
    end = index + found.length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== '');
}

/** The text with its holes filled. */
export function render(template: Template, keys: readonly string[], name: string): string {
  const [only] = template;
  if (template.length === 1 && typeof only === 'string') return only;
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') text += part;
    else if (part.fresh === nameHole) text += name;
    else text += part.compact ? compacted(keys[part.fresh] as string) : keys[part.fresh];
  }
  return text;
}
