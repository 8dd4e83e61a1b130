import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  objectSchema,
  orNull,
  stringSchema,
  timeSchema,
} from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import type { Row } from '../../resource/fields/field.ts';
import { parseWhole } from '../../resource/fields/scalar.ts';
import type { Registry } from '../../resource/resource.ts';

const deviceSchema = objectSchema({
  verbose_name: stringSchema,
  verbose_name_plural: stringSchema,
  meta_model_name: stringSchema,
  pk: integerSchema,
  name: stringSchema,
  type: stringSchema,
  confirmed: booleanSchema,
  created: timeSchema,
  last_updated: timeSchema,
  last_used: orNull(timeSchema),
});

const answer = { status: 200, schema: arrayOf(deviceSchema), schemaName: 'Device' } as const;
/** The list has no pages, so it needs a limit. */
const maxDevices = 1_000;

/** Devices of every kind, newest first: the caller's own, and for administrators anyone's. */
export const allDevices: readonly Endpoint[] = [
  defineEndpoint({
    id: 'authenticators_all_list',
    method: 'GET',
    path: '/authenticators/all/',
    summary: 'List the caller’s devices of all kinds',
    access: 'authenticated',
    answer,
    run: ({ call, engine, tx }) => listDevices(tx, engine.registry, sql`d."user" = ${requireActor(call).user.pk}`),
  }),
  defineEndpoint({
    id: 'authenticators_admin_all_list',
    method: 'GET',
    path: '/authenticators/admin/all/',
    summary: `List devices of all kinds, of one user or of all; no more than ${maxDevices}`,
    access: 'superuser',
    query: [{ name: 'user', schema: integerSchema, description: 'Whose devices.' }],
    answer,
    run: ({ call, engine, tx }) => listDevices(tx, engine.registry, userCondition(call)),
  }),
];

function userCondition({ request }: Call): RawBuilder<unknown> {
  const text = request.query.get('user');
  if (text === null || text === '') return sql`1 = 1`;
  const parsed = parseWhole(text);
  if ('complaint' in parsed) throw new Invalid({ user: parsed.complaint });
  return sql`d."user" = ${parsed.value}`;
}

interface DeviceRow extends Row {
  readonly kind: string;
  readonly confirmed: boolean;
}

async function listDevices(query: Query, registry: Registry, condition: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await sql<DeviceRow>`select d.kind, d.pk, d.name, d.confirmed, d.created, d.last_updated, d.last_used
    from devices d where ${condition} order by d.pk desc limit ${maxDevices}`.execute(query);
  return rows.map(({ kind, confirmed, ...row }) => {
    const [verbose_name = '', verbose_name_plural = ''] = registry.find(kind)?.names ?? [];
    return {
      ...row,
      verbose_name,
      verbose_name_plural,
      meta_model_name: kind,
      type: kind,
      confirmed: Boolean(confirmed),
    };
  });
}
