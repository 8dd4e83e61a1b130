import { sql } from 'kysely';
import type { Jobs } from '../../platform/jobs/job.ts';
import { defineResource } from '../../resource/define.ts';
import { nested } from '../../resource/fields/computed.ts';
import { ref } from '../../resource/fields/ref.ts';
import { json } from '../../resource/fields/structured.ts';
import { text } from '../../resource/fields/text.ts';
import { fieldFilter, relatedFilter } from '../../resource/list/query.ts';
import type { AfterWrite, Resource } from '../../resource/resource.ts';
import type { Verb } from '../../resource/verb.ts';
import type { ObjectType } from './facts.ts';
import { queueProvider } from './run.ts';
import type { LinkTable } from './target.ts';

export interface LinkNames {
  /** `/providers/scim`: users and groups are below it. */
  readonly path: string;
  /** The provider's model, such as `svc_providers_scim.scimprovider`; the models of links are derived from it. */
  readonly model: string;
  readonly schema: string;
  readonly name: string;
}

const verbs: readonly Verb[] = ['list', 'create', 'retrieve', 'destroy', 'used_by'];

/**
 * Which remote user a user is, and which remote group a group: the ledger as the API shows it. Callers who link a user
 * to the account of another takes that over.
 */
export function linkResources(
  names: LinkNames,
  tables: Readonly<Record<ObjectType, LinkTable>>,
  jobs: () => Jobs,
): Resource[] {
  const provider = ref(names.model, 'int', { needs: 'change', help: 'The provider that synchronizes it.' });
  const common = { param: 'id', key: 'uuid', keyName: 'id', verbs } as const;
  const extra = (type: ObjectType) =>
    tables[type].hasAttributes ? { attributes: json({ anyValue: true, readOnly: true, default: () => ({}) }) } : {};
  const user = ref('svc_core.user', 'int', { needs: 'view', help: 'The user here.', isObvious: true });
  const group = ref('svc_core.group', 'uuid', { needs: 'view', help: 'The group here.', isObvious: true });
  const remoteId = (of: ObjectType) => text({ help: `The key of the ${of} at the target.` });
  const users = defineResource({
    ...common,
    path: `${names.path}_users/`,
    model: `${names.model}user`,
    schema: `${names.schema}User`,
    names: [`${names.name} User`, `${names.name} Users`],
    table: tables.user.table,
    order: ['user.username'],
    page: { columns: ['user', 'provider', tables.user.id] },
    search: ['provider.name', 'user.username', tables.user.id],
    filters: {
      provider__id: fieldFilter('provider', provider),
      user__id: fieldFilter('user', user),
      user__username: relatedFilter('user.username'),
    },
    nameOf: (row) => remoteIdOf(row, tables.user),
    afterWrite: (input) => keepLedger(input, 'user', input.values.user, tables.user, jobs()),
    fields: {
      [tables.user.id]: remoteId('user'),
      user,
      user_obj: nested('svc_core.user', 'user', { view: 'member' }),
      provider,
      ...extra('user'),
    },
  });
  const groups = defineResource({
    ...common,
    path: `${names.path}_groups/`,
    model: `${names.model}group`,
    schema: `${names.schema}Group`,
    names: [`${names.name} Group`, `${names.name} Groups`],
    table: tables.group.table,
    order: ['group.name'],
    page: { columns: ['group', 'provider', tables.group.id] },
    search: ['provider.name', 'group.name', tables.group.id],
    filters: {
      provider__id: fieldFilter('provider', provider),
      group__group_uuid: fieldFilter('group', group),
      group__name: relatedFilter('group.name'),
    },
    nameOf: (row) => remoteIdOf(row, tables.group),
    afterWrite: (input) => keepLedger(input, 'group', input.values.group, tables.group, jobs()),
    fields: {
      [tables.group.id]: remoteId('group'),
      group,
      group_obj: nested('svc_core.group', 'group', { view: 'simple' }),
      provider,
      ...extra('group'),
    },
  });
  return [users, groups];
}

const remoteIdOf = (row: object, { id }: LinkTable): string => String(Reflect.get(row, id));

/** A link that was created manually is written next; deleting one does not change the target. */
async function keepLedger(
  { tx, call, verb, pk, values }: AfterWrite<{ pk: string; provider: unknown }>,
  type: ObjectType,
  object: unknown,
  table: LinkTable,
  jobs: Jobs,
): Promise<void> {
  const provider = Number(values.provider);
  const id = remoteIdOf(values, table);
  if (verb === 'destroy') {
    await sql`delete from sync_objects where provider = ${provider} and ${sql.ref(type)} = ${object} and remote_id = ${id}`.execute(
      tx,
    );
    return;
  }
  const due = call.db.dialect.moment(call.now);
  await sql`insert into sync_objects (pk, provider, ${sql.ref(type)}, remote_id, pending, due)
    values (${pk}, ${provider}, ${object}, ${id}, 1, ${due})
    on conflict (provider, ${sql.ref(type)}) do update set pk = excluded.pk, remote_id = excluded.remote_id, attributes = '{}',
      members = null, digest = null, is_sending = excluded.is_sending, created = null, error = '', attempts = 0, pending = sync_objects.pending + 1,
      due = excluded.due`.execute(tx);
  await queueProvider(jobs, tx, provider);
}
