import { type RawBuilder, sql } from 'kysely';
import { type Complaints, Problem } from '../../lib/problem.ts';
import { heldAmong } from '../../resource/access/access.ts';
import type { Actor } from '../../resource/access/actor.ts';
import type { Call } from '../../resource/call.ts';
import { defineResource } from '../../resource/define.ts';
import { booleanSchema, integerSchema, orNull, stringSchema } from '../../resource/document/json-schema.ts';
import { computed, nested, nestedMany } from '../../resource/fields/computed.ts';
import type { RowAlias } from '../../resource/fields/field.ts';
import { ref, refs } from '../../resource/fields/ref.ts';
import { boolean } from '../../resource/fields/scalar.ts';
import { choice, slug, text } from '../../resource/fields/text.ts';
import type { CheckInput, Resource } from '../../resource/resource.ts';
import { hasFlag, readFlag } from '../../resource/write/flags.ts';
import { checkReadsDirectory } from '../access/directory-readers.ts';
import { imageActions, releaseImage } from '../media/image-actions.ts';
import { image } from '../media/image-field.ts';
import { requestedUser } from './application-access.ts';
import { metricsAction } from './application-metrics.ts';
import { duplicateAction, duplicateRight } from './duplicate.action.ts';
import { launchUrl, launchUrlComplaint } from './launch-url.ts';
import { applicationModel, bindingModel, providerModel } from './models.ts';
import { filtersByProvider, type ProviderFilters } from './provider-filters.ts';

const path = '/core/applications/';
const backchannel = { table: 'application_backchannel_providers', own: 'application', other: 'provider' };

export interface ApplicationNeeds {
  /** The keys of applications that a user may not use. */
  refusedApplications(call: Call, userPk: number): Promise<string[]>;
  /** The launch URL that a provider suggests, as an SQL expression. */
  suggestedLaunchUrl(provider: RawBuilder<unknown>, slug: RawBuilder<unknown>): RawBuilder<unknown>;
  readonly providerFilters: ProviderFilters;
  readonly publicUrl: string;
}

/** An application that users sign in to. Its policy bindings control access. */
export function applicationResource(needs: ApplicationNeeds): Resource {
  /** The administrator's value, else the one derived from the provider. */
  const launchTemplate = (row: RowAlias): RawBuilder<unknown> =>
    sql`coalesce(nullif(${row.col('meta_launch_url')}, ''), ${needs.suggestedLaunchUrl(row.col('provider'), row.col('slug'))}, '')`;
  return defineResource({
    path,
    param: 'slug',
    lookup: 'slug',
    key: 'uuid',
    model: applicationModel,
    schema: 'Application',
    names: ['Application', 'Applications'],
    table: 'applications',
    target: 'pk',
    order: ['name'],
    page: {
      columns: ['name', 'group', 'provider', 'enabled'],
      always: { superuser_full_list: 'true' },
    },
    search: ['name', 'slug', 'meta_launch_url', 'meta_description', 'meta_publisher', 'group'],
    filters: {
      for_user: { schema: integerSchema, condition: () => null },
      only_with_launch_url: {
        schema: booleanSchema,
        condition: ({ texts, row }) => (readFlag(texts[0]) ? sql`${launchTemplate(row)} <> ''` : null),
      },
      superuser_full_list: { schema: booleanSchema, condition: () => null },
      ...filtersByProvider(needs.providerFilters),
    },
    visibility: { by: 'rule', where: (actor, row, call) => visibleApplications(needs, actor, row, call) },
    fields: {
      name: text({ filter: true, help: 'The name in the list of applications.', isObvious: true }),
      slug: slug({
        unique: 'Application with this slug already exists.',
        filter: true,
        help: 'Part of the addresses that belong to the application.',
      }),
      provider: ref(providerModel, 'int', {
        nullable: true,
        needs: 'change',
        unique: 'Application with this provider already exists.',
        help: 'The protocol by which people sign in to the application.',
      }),
      provider_obj: nested(providerModel, 'provider'),
      backchannel_providers: refs(providerModel, 'int', {
        ...backchannel,
        needs: 'change',
        help: 'Further providers that keep the application up to date behind the scenes.',
      }),
      backchannel_providers_obj: nestedMany(providerModel, backchannel, { order: 'name' }),
      launch_template: { ...computed(stringSchema, launchTemplate), writeOnly: true },
      open_in_new_tab: boolean({
        default: false,
        help: 'Open the application beside the list instead of in its place.',
      }),
      meta_launch_url: text({
        blank: true,
        default: '',
        filter: true,
        check: launchUrlComplaint,
        help: 'The address that the tile opens; empty for that of the provider.',
      }),
      meta_icon: image(),
      meta_description: text({
        blank: true,
        default: '',
        filter: true,
        help: 'A sentence about the application for the people who see it.',
      }),
      meta_publisher: text({
        blank: true,
        default: '',
        filter: true,
        help: 'The publisher or operator of the application.',
        isObvious: true,
      }),
      policy_engine_mode: choice(['all', 'any'], {
        default: 'any',
        help: 'Whether one binding has to pass (any) or every one (all).',
      }),
      enabled: boolean({
        default: true,
        filter: true,
        help: 'Turn off to disable sign-in without deleting the application.',
      }),
      access_requests: boolean({
        default: false,
        label: 'Access can be requested',
        help: 'Users without access can ask for it at the sign-in; administrators are notified.',
      }),
      group: text({
        blank: true,
        default: '',
        filter: true,
        help: 'Applications with the same word are shown together.',
      }),
    },
    derived: {
      launch_url: {
        schema: orNull(stringSchema),
        from: (row, { call }) => launchUrl(row.launch_template, call.actor?.user ?? null, needs.publicUrl),
      },
    },
    check: checkBackchannel,
    async afterWrite(input) {
      if (input.verb === 'destroy') await checkMayDetach(input, null);
      await releaseImage('meta_icon', input);
    },
    rightsOf: duplicateRight,
    actions: [
      metricsAction,
      duplicateAction,
      ...imageActions({ model: applicationModel, column: 'meta_icon', field: 'icon' }),
    ],
  });
}

/** The list shows what a user may use, independent of permissions; everything else requires permissions. */
async function visibleApplications(
  { refusedApplications }: ApplicationNeeds,
  actor: Actor,
  row: RowAlias,
  call: Call,
): Promise<RawBuilder<unknown> | null> {
  const { path: requested, query } = call.request;
  if (!requested.endsWith(path)) return permittedApplications(actor, row, call);
  if (actor.isSuperuser && hasFlag(query, 'superuser_full_list')) return null;
  const refused = await refusedApplications(call, await requestedUser(call));
  return refused.length === 0 ? null : sql`${row.col('pk')} not in (${sql.join(refused)})`;
}

async function permittedApplications(actor: Actor, row: RowAlias, call: Call): Promise<RawBuilder<unknown> | null> {
  const permission = 'svc_core.view_application';
  if (actor.holds(permission)) return null;
  const held = actor.objectsHolding(permission, 'uuid');
  const { rows } = await sql`select 1 from (${held}) as held limit 1`.execute(call.db.read);
  if (rows.length === 0) throw Problem.lacks(permission);
  return sql`${row.col('pk')} in (${held})`;
}

type Attached = { pk: string; provider: number | null; backchannel_providers: readonly number[] };

const attachedIn = (row: Omit<Attached, 'pk'> | null): Set<number> =>
  new Set([...(row?.backchannel_providers ?? []), ...(row?.provider ? [row.provider] : [])]);

/** Once an application uses it, a provider that synchronizes sends users and groups. */
async function checkMaySend({ tx, call, registry, values, current }: CheckInput<Attached>): Promise<void> {
  const added = attachedIn(values).difference(attachedIn(current));
  if (!call.actor || call.actor.isSuperuser || added.size === 0) return;
  const providers = registry.require(providerModel);
  const row = providers.row();
  const { rows } = await sql`select 1 from ${providers.from()}
    where ${row.col('is_backchannel')} and ${row.col('pk')} in (${sql.join([...added])}) limit 1`.execute(tx);
  if (rows.length > 0) checkReadsDirectory(call.actor);
}

/**
 * Bindings control who may use a provider, so removing the provider from them requires the permission to delete them
 * (privilege escalation).
 */
async function checkMayDetach(
  { tx, call, registry, current }: CheckInput<Attached>,
  after: Attached | null,
): Promise<void> {
  const { actor } = call;
  if (!actor || actor.isSuperuser || !current) return;
  if (attachedIn(current).difference(attachedIn(after)).size === 0) return;
  const bindings = registry.require(bindingModel);
  const row = bindings.row();
  const { rows } = await sql<{ pk: string }>`select ${row.col('pk')} as pk from ${bindings.from()}
    where ${row.col('target')} = ${current.pk}`.execute(tx);
  const required = bindings.permission('delete');
  const keys = rows.map(({ pk }) => pk);
  const isHeld = await heldAmong(actor, [required], bindings, keys, tx);
  if (keys.every((key) => isHeld(required, key))) return;
  throw Problem.lacks(
    required,
    `Policy bindings of this application decide who may use its provider. Taking the provider away takes the permission ${required} on them.`,
  );
}

/** A back-channel provider belongs to one application, which determines the users to synchronize. */
async function checkBackchannel(input: CheckInput<Attached>): Promise<Complaints | null> {
  await checkMaySend(input);
  await checkMayDetach(input, input.values);
  const { tx, call, values, given, current } = input;
  const named = values.backchannel_providers;
  if (!given.has('backchannel_providers') || named.length === 0) return null;
  await call.db.dialect.exclusive('backchannel providers')?.execute(tx);
  const others = current ? sql` and ab.application <> ${current.pk}` : sql``;
  const { rows } = await sql<{ provider: number }>`select ab.provider from application_backchannel_providers ab
    where ab.provider in (${sql.join(named)})${others} limit 1`.execute(tx);
  const taken = rows[0];
  return taken
    ? { backchannel_providers: [`Provider ${taken.provider} is a backchannel provider of another application.`] }
    : null;
}
