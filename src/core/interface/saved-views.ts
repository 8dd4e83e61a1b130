import { type RawBuilder, sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { randomUuid } from '../../platform/random.ts';
import { arrayOf, type JsonSchema, objectSchema, orNull, stringSchema } from '../../resource/document/json-schema.ts';
import { canonicalUuid, isUuid } from '../../resource/fields/scalar.ts';

/** What a list shows, under a name; each user has their own. */
export interface SavedView {
  readonly pk: string;
  readonly list: string;
  readonly name: string;
  readonly query: string;
  readonly columns: readonly string[] | null;
}

export const savedViewSchema: JsonSchema = objectSchema({
  pk: stringSchema,
  list: { ...stringSchema, description: 'The path of the list.' },
  name: stringSchema,
  query: { ...stringSchema, description: 'Search, filters and order, as a query.' },
  columns: { ...orNull(arrayOf(stringSchema)), description: 'The columns; null for the usual ones.' },
});

/** A bound on what one account stores. */
const maxViews = 200;

export async function findSavedViews(query: Query, user: number): Promise<SavedView[]> {
  const { rows } = await sql<Omit<SavedView, 'columns'> & { readonly columns: string | null }>`
    select pk, list, name, query, columns from saved_views where "user" = ${user} order by list, name`.execute(query);
  return rows.map((row) => ({ ...row, columns: row.columns === null ? null : JSON.parse(row.columns) }));
}

type Content = Omit<SavedView, 'pk'>;

export async function createSavedView(tx: Query, user: number, view: Content): Promise<SavedView> {
  const pk = randomUuid();
  if ((await findSavedViews(tx, user)).length >= maxViews)
    throw Invalid.whole(`You have ${maxViews} saved views. Delete one first.`);
  await checkName(tx, user, view, pk);
  await sql`insert into saved_views (pk, "user", list, name, query, columns)
    values (${pk}, ${user}, ${view.list}, ${view.name}, ${view.query}, ${asColumn(view)})`.execute(tx);
  return { pk, ...view };
}

export async function updateSavedView(tx: Query, user: number, given: string, view: Content): Promise<SavedView> {
  const pk = keyOf(given);
  await checkName(tx, user, view, pk);
  await changeOne(
    tx,
    sql`update saved_views set list = ${view.list}, name = ${view.name}, query = ${view.query},
    columns = ${asColumn(view)} where pk = ${pk} and "user" = ${user} returning pk`,
  );
  return { pk, ...view };
}

export const deleteSavedView = (tx: Query, user: number, given: string): Promise<void> =>
  changeOne(tx, sql`delete from saved_views where pk = ${keyOf(given)} and "user" = ${user} returning pk`);

const asColumn = ({ columns }: Content): string | null => columns && JSON.stringify(columns);

function keyOf(given: string): string {
  if (!isUuid(given)) throw new Problem('not_found');
  return canonicalUuid(given);
}

async function changeOne(tx: Query, statement: RawBuilder<unknown>): Promise<void> {
  const { rows } = await statement.execute(tx);
  if (rows.length === 0) throw new Problem('not_found');
}

async function checkName(tx: Query, user: number, { list, name }: Content, pk: string): Promise<void> {
  const { rows } = await sql`select pk from saved_views
    where "user" = ${user} and list = ${list} and name = ${name} and pk <> ${pk}`.execute(tx);
  if (rows.length > 0) throw Invalid.field('name', 'This list has a saved view of this name already.');
}
