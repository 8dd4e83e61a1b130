import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import { readList } from '../../platform/db/read-list.ts';
import { visibleRows } from '../../resource/access/access.ts';
import { type Call, readBy } from '../../resource/call.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { type Row, readContext } from '../../resource/fields/field.ts';
import { envelope, pageNumber, pageSize, whereAll } from '../../resource/list/list.ts';
import { notAvailable, orderBy } from '../../resource/list/query.ts';
import { findBySearch } from '../../resource/list/search.ts';
import { planOf } from '../../resource/read/plan.ts';
import { parseKey } from '../../resource/read/read.ts';
import type { Engine, Registry } from '../../resource/resource.ts';
import type { HolderKind } from './holder.ts';
import { assignableModels } from './models.ts';
import { isSuperuserSql, superusersSql } from './rights-sql.ts';

const grantColumns = ['id', 'codename', 'model', 'app_label', 'object_pk', 'name'];
const grantSchema = objectSchema({
  id: integerSchema,
  ...Object.fromEntries(grantColumns.slice(1).map((name) => [name, stringSchema])),
});
const attributes: JsonSchema = { type: 'object', additionalProperties: true };

const itemSchemas: Record<HolderKind['column'], JsonSchema> = {
  user: objectSchema({
    pk: integerSchema,
    username: stringSchema,
    name: stringSchema,
    is_active: booleanSchema,
    last_login: orNull(timeSchema),
    email: stringSchema,
    attributes,
    uid: stringSchema,
    permissions: arrayOf(grantSchema),
    is_superuser: booleanSchema,
  }),
  role: objectSchema({ role_pk: stringSchema, name: stringSchema, permissions: arrayOf(grantSchema) }),
};
const schemaNames = { user: 'UserAssignedObjectPermission', role: 'RoleAssignedObjectPermission' };

/** Who holds permissions on a model, or on one object. Superusers hold all of them. */
export function assignedListEndpoint(kind: HolderKind): Endpoint {
  return defineEndpoint({
    id: `${kind.operations}_list`,
    method: 'GET',
    path: kind.path,
    page: { noButton: 'The page of a role and the tab Rights of a user show grants.' },
    summary: `List the ${kind.column}s that have permissions on objects of a model`,
    access: 'authenticated',
    query: [
      { name: 'model', schema: { type: 'string', enum: assignableModels }, required: true },
      { name: 'object_pk', schema: stringSchema },
      { name: 'ordering', schema: stringSchema },
      { name: 'page', schema: integerSchema },
      { name: 'page_size', schema: integerSchema },
      { name: 'search', schema: stringSchema },
    ],
    answer: {
      status: 200,
      schema: objectSchema({
        pagination: { $ref: '#/components/schemas/Pagination' },
        results: arrayOf(itemSchemas[kind.column]),
      }),
      schemaName: `Paginated${schemaNames[kind.column]}List`,
    },
    run: ({ call, engine }) => listHolders(kind, call, engine),
  });
}

async function listHolders(kind: HolderKind, call: Call, { registry }: Engine): Promise<Row> {
  const { query } = call.request;
  const { dialect } = call.db;
  const holders = registry.require(kind.model);
  const visible = await visibleRows(holders, call, registry);
  const { holding, grants } = holdersOf(kind, query, registry);
  const pk = holders.row().col('pk');
  const size = pageSize(query.get('page_size'));
  const plan = planOf(holders, kind.column === 'user' ? 'member' : 'full', {
    registry,
    dialect,
    maySeeSecrets: () => false,
    mayView: () => true,
  });
  const permissions = dialect.jsonArray(
    sql`select o.pk as id, p.codename, p.model, p.app_label, o.object_pk, p.name ${grants}
      and ${holderColumn(kind)} = ${pk} order by p.codename, o.pk`,
    grantColumns.map((alias) => ({ alias, json: false })),
  );
  const superuser = kind.column === 'user' ? sql`, ${isSuperuserSql(pk)} as is_superuser` : sql``;
  const order = orderBy(holders, call, registry);
  const { rows, count, page } = await readList(call.db, async (read) => {
    const { conditions } = await findBySearch(holders, readBy(call, read), registry);
    const where = whereAll([sql`${pk} in (${holding})`, ...(visible ? [visible] : []), ...conditions]);
    const from = sql`from ${holders.from()} ${where}`;
    const { rows: counted } = await sql<{ count: number }>`select count(*) as count ${from}`.execute(read);
    const count = Number(counted[0]?.count ?? 0);
    const page = pageNumber(query.get('page'), Math.max(1, Math.ceil(count / size)));
    const { rows } = await sql<Row>`select ${plan.list}, ${permissions} as permissions${superuser} ${from}
      order by ${order} limit ${size} offset ${(page - 1) * size}`.execute(read);
    return { rows, count, page };
  });
  const results = rows.map((raw) => showHolder(kind, raw, plan.show(raw, readContext(call, registry))));
  return envelope(results, { count, page, size });
}

function showHolder({ column }: HolderKind, raw: Row, shown: Row): Row {
  const permissions = JSON.parse(String(raw.permissions));
  if (column === 'role') return { role_pk: shown.pk, name: shown.name, permissions };
  return { ...shown, permissions, is_superuser: raw.is_superuser === true || raw.is_superuser === 1 };
}

const holderColumn = ({ column }: HolderKind): RawBuilder<unknown> => sql.ref(`o.${column}`);

/** The keys of the holders, and the grants on objects (from `o` and `p`) that the query selects. */
function holdersOf(kind: HolderKind, query: URLSearchParams, registry: Registry) {
  const { ofModel, onObject } = readQuery(query, registry);
  const holder = holderColumn(kind);
  const grants = sql`from ${sql.table(kind.objectTable)} o join permissions p on p.pk = o.permission
    where ${ofModel} ${onObject ? sql`and ${onObject}` : sql``}`;
  const everywhere = sql`select ${holder} from ${sql.table(kind.globalTable)} o join permissions p on p.pk = o.permission
    where ${ofModel}`;
  const sets = [
    sql`select ${holder} ${grants}`,
    ...(onObject ? [] : [everywhere]),
    ...(kind.column === 'user' ? [superusersSql] : []),
  ];
  return { holding: sql.join(sets, sql` union `), grants };
}

/** Reads conditions on a permission `p` and a grant `o`. */
function readQuery(
  query: URLSearchParams,
  registry: Registry,
): { ofModel: RawBuilder<unknown>; onObject: RawBuilder<unknown> | null } {
  const model = query.get('model') ?? '';
  if (model === '') throw Invalid.field('model', 'This field is required.');
  if (!assignableModels.includes(model)) throw Invalid.field('model', notAvailable(model));
  const text = query.get('object_pk') ?? '';
  const resource = registry.find(model);
  // Grants store keys in one form.
  const objectPk = String((resource && parseKey(resource, text)) ?? text);
  const [app, name] = model.split('.');
  return {
    ofModel: sql`p.app_label = ${app} and p.model = ${name}`,
    onObject: objectPk === '' ? null : sql`o.object_pk = ${objectPk}`,
  };
}
