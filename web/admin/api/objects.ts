import { apiFetch } from '../../api/call.ts';
import type { AdminPage } from '../../api/types.ts';
import { kindName } from '../labels.ts';
import { labelOfObject } from '../shipped-labels.ts';

/** An object by its name, with what people call it. */
export type NamedObject = UnlabelledObject & { readonly label: string };

export type UnlabelledObject = AdminPage['names'][number];

/** The objects of one model that a text finds; the first ones where it is empty. */
export const findObjects = (search: string, model?: string): Promise<NamedObject[]> =>
  readObjects(new URLSearchParams({ search, ...(model && { model }) }));

async function readObjects(query: URLSearchParams): Promise<NamedObject[]> {
  return (await apiFetch<UnlabelledObject[]>('GET', `/admin/objects/?${query}`)).map(inWords);
}

/** With its label, and its kind as people call it. */
export const inWords = (object: UnlabelledObject): NamedObject => ({
  ...object,
  label: labelOfObject(object),
  type: kindName(object.type),
});

/** The names of objects, by model and key. */
export type Names = (model: string | undefined, key: unknown) => NamedObject | undefined;

const noNames: Names = () => undefined;

export type Row = Readonly<Record<string, unknown>>;

/** What is asked for at the same time is one request. */
let asking: { readonly keys: string[]; readonly names: Promise<Names> } | null = null;

/** Asks for the names of objects, each given as `model:key,key`: nothing is sent where there are no keys. */
export async function readNames(keys: readonly string[]): Promise<Names> {
  if (keys.length === 0) return noNames;
  asking ??= beginAsking();
  asking.keys.push(...keys);
  return asking.names;
}

function beginAsking(): NonNullable<typeof asking> {
  const keys: string[] = [];
  const names = Promise.resolve().then(async () => {
    asking = null;
    const found: NamedObject[] = [];
    for (const part of inParts(keys)) found.push(...(await readObjects(new URLSearchParams(part))));
    return namesOf(found);
  });
  return { keys, names };
}

/** So many keys are asked for at once. */
const maxKeys = 200;

function inParts(texts: readonly string[]): ['keys', string][][] {
  const each = new Set(
    texts.flatMap((text) => {
      const [model = '', list = ''] = text.split(':', 2);
      return list.split(',').map((key) => `${model}:${key}`);
    }),
  );
  const parts: ['keys', string][][] = [];
  for (let rest = [...each]; rest.length > 0; rest = rest.slice(maxKeys)) {
    const byModel = Map.groupBy(rest.slice(0, maxKeys), (one) => one.split(':', 1)[0]);
    parts.push(
      [...byModel].map(([model, of]) => [
        'keys',
        `${model}:${of.map((one) => one.slice(one.indexOf(':') + 1)).join(',')}`,
      ]),
    );
  }
  return parts;
}

export function namesOf(found: readonly NamedObject[]): Names {
  const byBase = new Map(found.map((object) => [`${object.base}:${object.pk}`, object]));
  // Models that stand for several have keys that are unique among all of them.
  const byKey = new Map(found.filter(({ pk }) => pk.includes('-')).map((object) => [object.pk, object]));
  return (model, key) => byBase.get(`${model}:${key}`) ?? byKey.get(String(key));
}
