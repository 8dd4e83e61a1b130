import { sql } from 'kysely';
import { systemCall } from '../../src/app/system-call.ts';
import { randomUuid } from '../../src/platform/random.ts';
import { defaultOf, type Field, isRequired, isWritable, type Row } from '../../src/resource/fields/field.ts';
import { isRef } from '../../src/resource/fields/ref.ts';
import type { Resource } from '../../src/resource/resource.ts';
import { columnsOf, valuesByTable, writeJoins } from '../../src/resource/write/write.ts';
import type { TestServer } from '../support/server.ts';
import type { Hinting } from './hint.ts';
import { resourceHints } from './hints.ts';
import { sampleOf } from './sample.ts';
import { createUnnamedColumns } from './unnamed-columns.ts';

type Key = string | number;

/** An object of a resource, made for a test. */
export interface Sample {
  readonly resource: Resource;
  readonly pk: Key;
  /** Where it is: `/core/groups/<key>/`. */
  readonly path: string;
}

export interface Maker {
  /** A new object of the model (of one of its kinds, when it is a family). */
  make(model: string, owner?: number): Promise<Sample>;
  /** A body that creates one, with every member or those that must be there. */
  bodyFor(resource: Resource, members?: 'all' | 'required'): Promise<Row>;
  hinting(): Hinting;
}

/** How an object is being made. */
interface Course {
  /** The models being made on the way to this one: none of them can be referred to yet. */
  readonly within: readonly string[];
  /** Whether to create new objects to refer to, where pairs have to be unique. */
  readonly fresh: boolean;
}

/** Makes valid objects of any resource from its declaration: through the API where it offers that, else past it. */
export function createMaker(server: TestServer): Maker {
  const { registry } = server.app.engine;
  const unnamed = createUnnamedColumns(server.world);
  const shared = new Map<string, Key>();
  /** Those whose references may be used once only, alone or in pairs. */
  const choosy = new Set<Resource>();
  const tried = new Set<Resource>();
  let count = 100;

  async function make(model: string, owner?: number): Promise<Sample> {
    const declared = registry.require(model);
    // An owner may have only one of a pair, so what it refers to is new.
    const pk = await makeRow(model, [], owner !== undefined);
    await giveTo(declared, pk, owner);
    return { resource: declared, pk, path: `${declared.path}${encodeURIComponent(await keyText(declared, pk))}/` };
  }

  async function giveTo(resource: Resource, pk: Key, owner?: number): Promise<void> {
    const { visibility, family, table } = resource;
    if (visibility?.by !== 'owner') return;
    const { column, write } = visibility;
    // What no user but its owner may write is the administrator's, unless a test wants it otherwise.
    const user = owner ?? (write === 'only owner' ? await administrator() : undefined);
    if (user === undefined) return;
    const home = family && Object.hasOwn(family.fields, column) ? family.table : table;
    await server.world.db.write((tx) =>
      sql`update ${sql.table(home)} set ${sql.ref(column)} = ${user} where pk = ${pk}`.execute(tx),
    );
  }

  async function administrator(): Promise<number> {
    const { rows } = await sql<{ pk: number }>`select pk from users where username = 'admin'`.execute(
      server.world.db.read,
    );
    return (rows[0] as { pk: number }).pk;
  }

  async function makeRow(model: string, within: readonly string[], fresh = false): Promise<Key> {
    const resource = registry.kinds(model)[0] ?? registry.require(model);
    const write = resource.verbs.includes('create') ? create : insert;
    const course = { within: [...within, resource.model, resource.family?.model ?? model], fresh: false };
    const lasting = fresh || choosy.has(resource) ? Promise.reject() : write(resource, course);
    return lasting.catch(async () => {
      const pk = await write(resource, { ...course, fresh: true }).catch((error) => {
        throw new Error(`no sample of ${resource.model}: ${error}`, { cause: error });
      });
      if (!fresh) choosy.add(resource);
      return pk;
    });
  }

  async function create(resource: Resource, course: Course): Promise<Key> {
    const body = await bodyOf(resource, 'all', course);
    const answer = await server.admin.post(resource.path, body);
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text} for ${JSON.stringify(body)}`);
    if (resource.keyName !== null) return answer.body[resource.keyName];
    const { rows } = await sql<{ pk: Key }>`select pk from ${sql.table(resource.table)}
      where ${sql.ref(resource.lookup)} = ${answer.body[resource.lookup]}`.execute(server.world.db.read);
    return (rows[0] as { pk: Key }).pk;
  }

  async function insert(resource: Resource, course: Course): Promise<Key> {
    const { db, clock } = server.world;
    const call = systemCall(db, server.app.resourceWorld, clock.now());
    const values: Row = {};
    for (const [name, field] of Object.entries(resource.allFields)) {
      const { storage } = field;
      if (storage.in !== 'column' && storage.in !== 'join' && !isRef(field)) continue;
      const isSettled = field.readOnly && !field.nullable && field.default !== undefined && !isRef(field);
      const value = field.onWrite?.(call) ?? (isSettled ? defaultOf(field, call) : await guess(name, field, course));
      if (value !== undefined) values[name] = value;
    }
    Object.assign(values, await resourceHints[resource.model]?.columns?.(hinting(course)));
    let key: Row = resource.key === 'uuid' ? { pk: randomUuid() } : {};
    return db.write(async (tx) => {
      for (const [table, own] of valuesByTable(resource, values)) {
        const columns = columnsOf(resource, key.pk as Key | undefined, own, call);
        const kind = table === resource.family?.table ? { kind: resource.model } : {};
        const row = await unnamed.fill(table, { ...columns, ...kind, ...key }, ++count);
        const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
        const { rows } = await sql<{ pk: Key }>`insert into ${sql.table(table)} (${names})
          values (${sql.join(Object.values(row))}) returning pk`.execute(tx);
        key = { pk: rows[0]?.pk };
      }
      await writeJoins(resource, key.pk as Key, values, tx, true);
      return key.pk as Key;
    });
  }

  async function bodyOf(resource: Resource, members: 'all' | 'required', course: Course): Promise<Row> {
    const body: Row = {};
    for (const [name, field] of Object.entries(resource.allFields)) {
      if (!isWritable(field) || (members === 'required' && !isRequired(field))) continue;
      const value = await guess(name, field, course);
      if (value !== undefined) body[name] = value;
    }
    const hint = resourceHints[resource.model];
    const hinted = (await hint?.body?.(hinting(course))) ?? {};
    const alsoRequired = hint?.alsoRequired ?? [];
    for (const [name, value] of Object.entries(hinted)) {
      if (members === 'all' || name in body || alsoRequired.includes(name)) body[name] = value;
    }
    return body;
  }

  async function guess(name: string, field: Field, course: Course): Promise<unknown> {
    if (!isRef(field)) return sampleOf(name, field, ++count);
    const isUnknown = !registry.find(field.model);
    if (isUnknown || course.within.includes(field.model)) return undefined;
    const key = await reference(field.model, { ...course, fresh: course.fresh || field.unique !== undefined });
    return field.kind === 'refs' ? [key] : key;
  }

  /** An object to refer to: one for all, unless it has to be new. */
  async function reference(model: string, { within, fresh }: Course): Promise<Key> {
    const known = shared.get(model);
    if (known !== undefined && !fresh) return known;
    const pk = await makeRow(model, within);
    shared.set(model, pk);
    return pk;
  }

  const hinting = (course: Course): Hinting => ({
    number: ++count,
    key: (model) => reference(model, course),
    async permission(name) {
      const { rows } = await sql<{ pk: number }>`select pk from permissions
        where app_label || '.' || codename = ${name}`.execute(server.world.db.read);
      return (rows[0] as { pk: number }).pk;
    },
  });

  async function keyText(resource: Resource, pk: Key): Promise<string> {
    if (resource.lookup === 'pk') return String(pk);
    const row = resource.row();
    const { rows } = await sql<{ key: unknown }>`select ${row.col(resource.lookup)} as key from ${resource.from()}
      where ${row.col('pk')} = ${pk}`.execute(server.world.db.read);
    return String(rows[0]?.key);
  }

  return {
    make,
    async bodyFor(resource, members = 'all') {
      const { model, family } = resource;
      // Two that refer to the same objects show whether that is allowed.
      if (!tried.has(resource)) for (const _ of [1, 2]) await makeRow(model, []);
      tried.add(resource);
      return bodyOf(resource, members, { within: [model, family?.model ?? model], fresh: choosy.has(resource) });
    },
    hinting: () => hinting({ within: [], fresh: false }),
  };
}
