import { type RawBuilder, sql } from 'kysely';
import { asText } from '../../lib/json.ts';
import { type Complaints, Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { randomToken } from '../../platform/random.ts';
import { checkMayAdd, visibleRows } from '../../resource/access/access.ts';
import { checkMayWrite } from '../../resource/access/may-write.ts';
import type { Call } from '../../resource/call.ts';
import { isRequired, isWritable, type Row } from '../../resource/fields/field.ts';
import { type SelectedRow, selectOne } from '../../resource/read/read.ts';
import type { Engine, Resource } from '../../resource/resource.ts';
import { updateColumns } from '../../resource/write/write.ts';
import { createRow, updateRow } from '../../resource/write/write-row.ts';
import { flowParts } from './flow-parts.ts';
import { type BlueprintEntry, Find, KeyOf } from './format.ts';

/** The errors of one entry, with its number and model. */
export interface EntryComplaint {
  readonly entry: number;
  readonly model: string;
  readonly complaints: Complaints;
}

/** The secrets that a new object lacks: no file holds them. */
export interface MissingSecrets {
  readonly entry: number;
  readonly members: readonly string[];
}

export interface Imported {
  readonly complaints: readonly EntryComplaint[];
  readonly lacking: readonly MissingSecrets[];
}

/**
 * Creates or updates the objects of a blueprint, with the same validation and permissions as single requests. Returns
 * all complaints; if there are any, the caller must roll back.
 */
export async function importFlow(
  engine: Engine,
  call: Call,
  tx: Query,
  entries: readonly BlueprintEntry[],
): Promise<Imported> {
  const work = createImport(engine, call, tx);
  const complaints: EntryComplaint[] = [];
  const lacking: MissingSecrets[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      const members = await work.apply(entry);
      if (members.length > 0) lacking.push({ entry: index + 1, members });
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      complaints.push({ entry: index + 1, model: entry.model, complaints: error.complaints });
    }
  }
  return { complaints, lacking };
}

function createImport(engine: Engine, call: Call, tx: Query) {
  const { registry } = engine;
  const parts = flowParts(registry);
  /** The keys of imported entries by id; null for those that were refused. */
  const imported = new Map<string, string | number | null>();

  /** Returns the secrets that the object lacks. */
  async function apply({ model, id, identifiers, attrs }: BlueprintEntry): Promise<readonly string[]> {
    if (id !== null) imported.set(id, null);
    const resource = parts.find(model);
    if (!resource) throw Invalid.field('model', `Objects of the kind "${model}" are no part of flows.`);
    const identity = await resolved(identifiers);
    const body = { ...identity, ...(await resolved(attrs)) };
    const unknown = Object.keys(body).filter((name) => !isNamed(resource, name));
    if (unknown.length > 0) throw Invalid.whole(...unknown.map((name) => `There is no member "${name}".`));
    const current = await existing(resource, identity);
    const lacked = current ? [] : lackedSecrets(resource, body);
    const pk = current ? await change(resource, current, body) : await create(resource, body, lacked);
    if (id !== null) imported.set(id, pk);
    return lacked;
  }

  /** Missing secrets are stored empty: objects that need them deny everyone until they are entered. */
  async function create(resource: Resource, body: Row, lacked: readonly string[]): Promise<string | number> {
    checkMayAdd(resource, call);
    const withSecrets = { ...Object.fromEntries(lacked.map((name) => [name, randomToken()])), ...body };
    const { pk } = await createRow({ engine, resource, call, tx }, withSecrets, { isCopy: true });
    await updateColumns(resource, pk, Object.fromEntries(lacked.map((name) => [name, ''])), call, tx);
    return pk;
  }

  async function change(resource: Resource, { pk, values }: SelectedRow, body: Row): Promise<string | number> {
    await checkMayWrite(resource, 'change', values, { call, registry, tx });
    await updateRow({ engine, resource, call, tx }, pk, values, body, 'patch');
    return pk;
  }

  /** Finds the object by its identifiers. One hidden from the caller is neither duplicated nor changed. */
  async function existing(resource: Resource, identity: Row): Promise<SelectedRow | null> {
    const conditions = Object.entries(identity).map(([name, value]) => isValue(resource, name, value));
    const found = await selectOne({ engine, resource, call, tx }, conditions);
    if (!found) return null;
    const visible = await visibleRows(resource, call, registry);
    if (visible && !(await selectOne({ engine, resource, call, tx }, [...conditions, visible]))) {
      throw Problem.lacks(
        resource.permission('view'),
        'The file has an object that exists already, and that you may not see.',
      );
    }
    return found;
  }

  function isValue(resource: Resource, name: string, value: unknown): RawBuilder<unknown> {
    const field = resource.allFields[name];
    if (field?.storage.in !== 'column' || field.secret)
      throw Invalid.field(name, 'Nothing can be told apart by this member.');
    const column = field.storage.shownAs?.(resource.row(), call.db.dialect) ?? resource.row().col(name);
    if (value === null) return sql`${column} is null`;
    const parsed = field.parse(value);
    if ('complaint' in parsed) throw new Invalid({ [name]: parsed.complaint });
    return sql`${column} = ${field.toColumn(parsed.value, call.world, '')}`;
  }

  async function resolved(values: Row): Promise<Row> {
    const found: Row = {};
    for (const [name, value] of Object.entries(values)) {
      found[name] = Array.isArray(value)
        ? await Promise.all(value.map((element) => keyFor(name, element)))
        : await keyFor(name, value);
    }
    return found;
  }

  async function keyFor(name: string, value: unknown): Promise<unknown> {
    if (value instanceof KeyOf) {
      const key = imported.get(value.id);
      if (key === undefined) throw Invalid.field(name, `No entry before this one has the id "${value.id}".`);
      if (key === null) throw Invalid.field(name, `The entry "${value.id}" was refused.`);
      return key;
    }
    return value instanceof Find ? lookedUp(name, value) : value;
  }

  /** Looks up a reference by a plain member, among the objects that the caller may see. */
  async function lookedUp(name: string, { model, member, value }: Find): Promise<string | number> {
    const missing = Invalid.field(name, `There is no ${model} with the ${member} "${asText(value)}".`);
    const resource = registry.find(model);
    if (!resource || !isTold(resource, member)) throw missing;
    const visible = await visibleRows(resource, call, registry);
    const conditions = [isValue(resource, member, value), ...(visible ? [visible] : [])];
    const { rows } = await sql<{ pk: string | number }>`select ${resource.row().col('pk')} as pk from ${resource.from()}
      where ${sql.join(conditions, sql` and `)} limit 1`.execute(tx);
    if (!rows[0]) throw missing;
    return rows[0].pk;
  }

  return { apply };
}

/** The required secrets that a body does not have. */
const lackedSecrets = ({ allFields }: Resource, body: Row): string[] =>
  Object.entries(allFields)
    .filter(([name, field]) => field.secret && isWritable(field) && isRequired(field) && !Object.hasOwn(body, name))
    .map(([name]) => name);

const isNamed = ({ allFields }: Resource, name: string): boolean => {
  const field = Object.hasOwn(allFields, name) ? allFields[name] : undefined;
  return field !== undefined && isWritable(field);
};

/** Excludes hidden and secret members, whose values could otherwise be guessed by lookup. */
const isTold = ({ allFields }: Resource, member: string): boolean => {
  const field = Object.hasOwn(allFields, member) ? allFields[member] : undefined;
  return field?.storage.in === 'column' && !field.secret && !field.writeOnly;
};
