import { directoryPermissions, directoryRefusal } from '../../core/access/directory-readers.ts';
import type { DemoObject } from '../../core/kind/demo.ts';
import { defineMapping } from '../../core/mapping/mapping.family.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import { guardDestinations } from '../../resource/access/destinations.ts';
import type { Call, NewEvent } from '../../resource/call.ts';
import type { Fields, Row } from '../../resource/fields/field.ts';
import { ref, refs } from '../../resource/fields/ref.ts';
import { boolean } from '../../resource/fields/scalar.ts';
import { choice } from '../../resource/fields/text.ts';
import type { Filter } from '../../resource/resource.ts';
import { defineProvider, providerFamily } from '../provider.family.ts';
import type { ProviderKind } from '../provider-kind.ts';
import { demoTarget } from './demo.ts';
import { destinationDigest, storeDestination, unlinkFormer } from './destination.ts';
import { ledgerAction } from './ledger.action.ts';
import { linkResources } from './links.resource.ts';
import { objectAction } from './object.action.ts';
import { runAction } from './run.action.ts';
import { requestRun } from './run.ts';
import { statusAction } from './status.action.ts';
import {
  activeProviders,
  createOpen,
  isActive,
  type SyncCalls,
  type SyncDependencies,
  type SyncKind,
} from './target.ts';

interface SyncProvider<F extends Fields, Settings extends Row, Session> {
  /** `scim`: part of paths and table names. */
  readonly path: string;
  readonly model: string;
  readonly schema: string;
  readonly name: string;
  readonly component: string;
  readonly description: string;
  readonly fields: F;
  /** The fields that say where users and groups are sent. */
  readonly destination: readonly string[];
  readonly search?: readonly string[];
  readonly mapping: {
    readonly model: string;
    readonly schema: string;
    readonly names: readonly [string, string];
    readonly component: string;
    readonly filters?: Readonly<Record<string, Filter>>;
  };
  /** The member of a link that holds the remote key. */
  readonly linkId: string;
  readonly linksHaveAttributes: boolean;
  readonly calls: SyncCalls<Settings, Session>;
  /** A provider of the demo: its name and settings. */
  readonly demo: { readonly name: string; readonly values: DemoObject };
}

export interface SyncProviderNeeds extends SyncDependencies {
  jobs(): Jobs;
}

const deleteActions = ['do_nothing', 'delete', 'suspend'];

/** What becomes of objects at the target when they are deleted here or leave the scope. */
export const deleteActionFields = {
  user_delete_action: choice(deleteActions, {
    default: 'delete',
    help: 'What happens at the target when a user is deleted here or leaves what is sent.',
  }),
  group_delete_action: choice(deleteActions, {
    default: 'delete',
    help: 'What happens at the target when a group is deleted here or leaves what is sent.',
  }),
};

/** A kind of provider that pushes users and groups elsewhere: all of it but the calls is the engine's. */
export function defineSyncProvider<F extends Fields, Settings extends Row, Session>(
  needs: SyncProviderNeeds,
  kind: SyncProvider<F, Settings, Session>,
): ProviderKind {
  const { path, model, schema, name, mapping } = kind;
  const link = (plural: string) => ({
    table: `${path}_${plural}`,
    id: kind.linkId,
    hasAttributes: kind.linksHaveAttributes,
  });
  const calls: SyncCalls<Row, unknown> = kind.calls;
  const sync: SyncKind = {
    model,
    connections: calls.connections,
    settlesInMs: calls.settlesInMs,
    links: { user: link('users'), group: link('groups') },
    needs,
    destinationOf: (stored) => destinationDigest(calls.destination(stored)),
    open: createOpen(needs, calls),
  };
  const common = {
    property_mappings: {
      ...providerFamily.fields.property_mappings,
      proposes: { managed: `gatehouse/providers/${path}/user` },
    },
    property_mappings_group: refs('svc_core.propertymapping', 'uuid', {
      table: `provider_${path}_group_mappings`,
      own: 'provider',
      other: 'mapping',
      needs: 'use',
      help: 'Create the data that is sent for groups; `property_mappings` creates that of users.',
      proposes: { managed: `gatehouse/providers/${path}/group` },
    }),
    exclude_users_service_account: boolean({
      default: false,
      filter: true,
      help: 'Leave service accounts out.',
      isObvious: true,
    }),
    filter_group: ref('svc_core.group', 'uuid', {
      nullable: true,
      protects: true,
      filter: true,
      help: 'Only members of this group are synchronized; everybody if empty.',
    }),
  };
  const resource = defineProvider({
    path: `/providers/${path}/`,
    model,
    schema,
    names: [name, `${name}s`],
    component: kind.component,
    description: kind.description,
    table: `provider_${path}`,
    isBackchannel: true,
    filterBy: ['name'],
    ...(kind.search && { search: kind.search }),
    without: [
      'authentication_flow',
      'authorization_flow',
      'invalidation_flow',
      'assigned_application_slug',
      'assigned_application_name',
    ],
    fields: { ...kind.fields, ...common },
    ...guardDestinations({
      members: kind.destination,
      permissions: directoryPermissions,
      refusal: directoryRefusal,
    }),
    actions: [statusAction, ledgerAction, objectAction(() => sync, needs.jobs), runAction(() => sync, needs.jobs)],
    async afterWrite({ tx, call, verb, pk: key, values, current }) {
      if (verb === 'destroy') return;
      const pk = Number(key);
      // Links from before targets were stored belong to the one that the provider had so far.
      if (current) await storeDestination(tx, pk, sync.destinationOf(current));
      if (await isActive(tx, sync, pk)) await requestRun(needs.jobs(), tx, pk, call.now, { restarts: true });
      // Otherwise the run does so, after the current push.
      else await unlinkFormer(tx, { pk, destination: sync.destinationOf(values), kind: sync });
    },
  });
  return {
    resource,
    resources: [
      defineMapping(needs, {
        path: `/propertymappings/provider/${path}/`,
        table: `mapping_${path}`,
        description: 'Decide what is sent for a user or group: return the members of the remote object.',
        fields: {},
        ...mapping,
      }),
      ...linkResources({ path: `/providers/${path}`, model, schema, name }, sync.links, needs.jobs),
    ],
    demo: demoTarget(kind),
    sync,
    afterEvent: (tx, call, event) => runAfter(needs, { sync, mapping }, tx, call, event),
  };
}

/**
 * Providers are active by their application, and mappings determine what they send: a change of either starts full
 * runs.
 */
async function runAfter(
  { jobs }: SyncProviderNeeds,
  { sync, mapping }: { readonly sync: SyncKind; readonly mapping: { readonly model: string } },
  tx: Query,
  call: Call,
  { action, context }: NewEvent,
): Promise<void> {
  if (!action.startsWith('model_') || !isJsonObject(context.model)) return;
  const { app, model_name } = context.model;
  const changed = `${app}.${model_name}`;
  if (changed !== 'svc_core.application' && changed !== mapping.model) return;
  for (const { pk } of await activeProviders(tx, [sync])) {
    await requestRun(jobs(), tx, pk, call.now, { restarts: changed === mapping.model });
  }
}
