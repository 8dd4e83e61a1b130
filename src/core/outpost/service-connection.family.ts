import { sql } from 'kysely';
import { isSameJson } from '../../lib/json.ts';
import type { Complaints } from '../../lib/problem.ts';
import { actionOn, defineResource } from '../../resource/define.ts';
import { booleanSchema, objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { defineFamilyList } from '../../resource/family.ts';
import type { Fields } from '../../resource/fields/field.ts';
import { boolean } from '../../resource/fields/scalar.ts';
import { text } from '../../resource/fields/text.ts';
import type { StoredRow } from '../../resource/read/stored-row.ts';
import type { CheckInput, Family, KindDeclaration, Resource } from '../../resource/resource.ts';
import { type ConnectionKind, unreachable } from './connection-kind.ts';

const localHelp = 'Whether it reaches the engine or the cluster that this server itself runs on.';

/** The members common to all service connections. */
const connectionFamily = {
  model: 'svc_outposts.outpostserviceconnection',
  table: 'service_connections',
  fields: {
    name: text({
      unique: 'Outpost Service-Connection with this name already exists.',
      filter: true,
      help: 'The name of the connection; unique.',
      isObvious: true,
    }),
    local: boolean({ default: false, filter: true, help: localHelp }),
  },
} satisfies Family;

type ConnectionFields = typeof connectionFamily.fields;

/** A kind of service connection: its own fields on top of the family's. */
export function defineConnection<F extends Fields>(
  kind: KindDeclaration<F, ConnectionFields>,
): Resource<StoredRow<F, ConnectionFields, 'uuid'>> {
  return defineResource({
    param: 'uuid',
    key: 'uuid',
    family: connectionFamily,
    order: ['name'],
    search: ['name'],
    ...kind,
    check: async (input) => (await deployedComplaint(input)) ?? (await kind.check?.(input)) ?? null,
  });
}

/** Outposts are deployed by it with their tokens, which only superusers may send elsewhere. */
async function deployedComplaint({ call, tx, values, current }: CheckInput): Promise<Complaints | null> {
  if (!call.actor || call.actor.isSuperuser || !current) return null;
  const changed = Object.keys(values).filter((name) => name !== 'name' && !isSameJson(values[name], current[name]));
  const [member] = changed;
  if (member === undefined) return null;
  const { rows } = await sql`select 1 from outpost_deployments where connection = ${current.pk} limit 1`.execute(tx);
  if (rows.length === 0) return null;
  return { [member]: ['Outposts are deployed by this connection: only superusers may change where it leads.'] };
}

/** Service connections of every kind. The kind requests the state. */
export function connectionsResource(kinds: readonly ConnectionKind[]): Resource {
  return defineFamilyList({
    family: connectionFamily,
    path: '/outposts/service_connections/all/',
    param: 'uuid',
    key: 'uuid',
    schema: 'ServiceConnection',
    names: ['Outpost Service-Connection', 'Outpost Service-Connections'],
    labels: ['Service connection', 'Service connections'],
    order: ['name'],
    search: ['name'],
    fields: { local: boolean({ default: false, help: localHelp }) },
    actions: [stateAction(kinds)],
  });
}

const stateAction = (kinds: readonly ConnectionKind[]) =>
  actionOn<{ pk: string; kind: string }>()({
    name: 'state',
    on: 'row',
    method: 'GET',
    page: { button: 'Check' },
    summary: 'Check whether the platform is reachable, and its version',
    access: 'visible',
    answer: {
      status: 200,
      schema: objectSchema({ healthy: booleanSchema, version: stringSchema }),
      schemaName: 'ServiceConnectionState',
    },
    async run({ row, call }) {
      const kind = kinds.find(({ resource }) => resource.model === row.kind);
      return kind ? kind.askState(row.pk, call) : unreachable;
    },
  });
