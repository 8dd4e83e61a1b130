import { type RawBuilder, sql } from 'kysely';
import type { Call } from '../call.ts';
import type { Resource } from '../resource.ts';
import { searchTerms } from './search.ts';

/** How near a row is to what is searched for: 0 if it is called so, 3 if it only contains the words. */
export function nearnessOf(resource: Resource, call: Call): RawBuilder<number> {
  const [name, ...others] = searchedTexts(resource).map((column) => call.db.dialect.folded(resource.row().col(column)));
  const words = searchedWords(resource, call);
  if (!name || words === '') return sql`0`;
  const wanted = call.db.dialect.folded(sql`${words}`);
  const isCalledSo = others.map((text) => sql`when ${text} = ${wanted} then 1`);
  return sql`case when ${name} = ${wanted} then 0 ${sql.join(isCalledSo, sql` `)}
    when substr(${name}, 1, length(${wanted})) = ${wanted} then 2 else 3 end`;
}

/** Conditions that lead by an index to rows called so, or whose names begin so, each with the order of its index. */
export function nearByIndex(
  resource: Resource,
  call: Call,
): { where: RawBuilder<unknown>; order: RawBuilder<unknown> }[] {
  const words = searchedWords(resource, call);
  if (words === '') return [];
  return searchedTexts(resource).flatMap((column) => {
    const { key } = resource.allFields[column] ?? {};
    if (!key) return [];
    const order = resource.row().col(key.column);
    const from = String(key.of(words));
    return [{ where: sql`${order} >= ${from} and ${order} < ${`${from}\u{10FFFF}`}`, order }];
  });
}

const searchedWords = (resource: Resource, call: Call): string =>
  searchTerms(resource, call).length > 0 ? (call.request.query.get('search') ?? '').trim() : '';

/** The searched texts of the row itself, the one that names it first. */
function searchedTexts({ search = [], allFields, nameOf }: Resource): string[] {
  const texts = search.filter((name) => {
    const storage = allFields[name]?.storage;
    return storage?.in === 'column' && storage.type === 'text';
  });
  return nameOf ? texts : texts.toSorted((one, other) => Number(other === 'name') - Number(one === 'name'));
}
