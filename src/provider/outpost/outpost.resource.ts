import { sql } from 'kysely';
import type { KeyNeeds } from '../../core/token/issue-token.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type Complaints, Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Jobs } from '../../platform/jobs/job.ts';
import { defineAction, defineResource } from '../../resource/define.ts';
import { integerSchema, objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { nested, nestedMany } from '../../resource/fields/computed.ts';
import type { RowAlias } from '../../resource/fields/field.ts';
import { ref, refs } from '../../resource/fields/ref.ts';
import { json } from '../../resource/fields/structured.ts';
import { choice, text } from '../../resource/fields/text.ts';
import { eitherFilter, textFilters } from '../../resource/list/filters.ts';
import { fieldFilter } from '../../resource/list/query.ts';
import type { CheckInput, Resource } from '../../resource/resource.ts';
import { providerModel } from '../provider.family.ts';
import type { ProviderKind } from '../provider-kind.ts';
import { deploymentAction } from './deployment/deployment.action.ts';
import { checkMayRemove, deploymentComplaint } from './deployment/deployment-rights.ts';
import { hasDeployments, queueDeployment } from './deployment/deployments.ts';
import { ensureOutpostAccount, outpostTokenIdentifier } from './outpost-account.ts';
import { defaultOutpostConfig, outpostConfigComplaint, refreshSeconds } from './outpost-config.ts';
import { healthAction } from './outpost-health.ts';
import { outpostModel } from './outpost-model.ts';
import { type OutpostType, outpostTypes } from './outpost-type.ts';
import { embeddedOutpost } from './served-here.ts';

interface OutpostResourceNeeds {
  readonly kinds: readonly Pick<ProviderKind, 'resource' | 'outpost'>[];
  readonly key: KeyNeeds;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly publicUrl: string;
  readonly installId: string;
  readonly version: string;
}

const served = { table: 'outpost_providers', own: 'outpost', other: 'provider' };
const providers = refs(providerModel, 'int', {
  ...served,
  required: true,
  needs: 'change',
  help: 'The providers that it serves, all of its type. A provider that no outpost lists is served by the embedded outpost.',
});

/** By which a process of its own authenticates; the embedded outpost needs none. Deleting the token revokes it. */
const ofProcess = { nullable: true, readOnly: true, writeOnly: true, default: null } as const;

const connectionName = (row: RowAlias) =>
  sql`(select sc.name from service_connections sc where sc.pk = ${row.col('service_connection')})`;

/** Serves applications that support neither OAuth2 nor SAML. The embedded outpost is this server. */
export function outpostResource(needs: OutpostResourceNeeds): Resource {
  return defineResource({
    path: '/outposts/instances/',
    param: 'uuid',
    key: 'uuid',
    model: outpostModel,
    schema: 'Outpost',
    names: ['Outpost', 'Outposts'],
    table: 'outposts',
    order: ['name'],
    search: ['name'],
    page: { columns: ['name', 'type', 'providers', 'managed'] },
    filters: {
      ...textFilters('managed', (row) => row.col('managed')),
      ...textFilters('name', (row) => row.col('name')),
      ...textFilters('service_connection__name', connectionName),
      providers__isnull: eitherFilter(
        (row) => sql`not exists (select 1 from outpost_providers op where op.outpost = ${row.col('pk')})`,
      ),
      providers_by_pk: { ...fieldFilter('providers', providers), notOnPages: true },
    },
    fields: {
      name: text({
        unique: 'Outpost with this name already exists.',
        help: 'The name of the outpost; unique.',
        isObvious: true,
      }),
      type: choice(outpostTypes, {
        planned: ['rac'],
        help: 'What it serves. The embedded outpost serves every type.',
      }),
      providers,
      providers_obj: nestedMany(providerModel, served, { order: 'name' }),
      service_connection: ref('svc_outposts.outpostserviceconnection', 'uuid', {
        nullable: true,
        needs: 'use',
        help: 'By which Gatehouse deploys the outpost and keeps it up to date; if empty, you run it yourself.',
      }),
      service_connection_obj: nested('svc_outposts.outpostserviceconnection', 'service_connection'),
      config: json({
        check: outpostConfigComplaint,
        help: 'The settings of the outpost; `default_settings` shows those of a new one.',
      }),
      account: ref('svc_core.user', 'int', ofProcess),
      token: ref('svc_core.token', 'uuid', ofProcess),
      managed: text({
        nullable: true,
        default: null,
        unique: 'Outpost with this managed already exists.',
        limits: { only: 'server' },
        help: 'Marks objects that Gatehouse creates and keeps up to date.',
      }),
    },
    derived: {
      refresh_interval_s: { schema: integerSchema, from: ({ config }) => refreshSeconds(config) },
      token_identifier: { schema: stringSchema, from: ({ pk }) => outpostTokenIdentifier(pk) },
    },
    check: async (input) =>
      embeddedComplaint(input) ??
      (await providersComplaint(input, needs.kinds)) ??
      deploymentComplaint(input, needs.publicUrl),
    async afterWrite(input) {
      const isEmbedded = input.values.managed === embeddedOutpost;
      if (input.verb === 'destroy' && isEmbedded) throw Invalid.whole('The embedded outpost cannot be deleted.');
      if (input.verb === 'destroy') await checkMayRemove(input, input.values);
      if (input.verb !== 'destroy' && !isEmbedded) await ensureOutpostAccount(input, needs.key);
      const isDeployed = input.verb !== 'destroy' && !isEmbedded && input.values.service_connection !== null;
      if (isDeployed || (await hasDeployments(input.tx, input.pk)))
        await queueDeployment(needs.jobs, input.tx, input.pk);
    },
    actions: [healthAction(needs), deploymentAction, defaultSettingsAction(needs.publicUrl)],
  });
}

type OutpostRow = {
  pk: string;
  name: string;
  type: OutpostType;
  providers: readonly number[];
  service_connection: string | null;
  config: JsonObject;
  managed: string | null;
};

function embeddedComplaint({ call, values, current }: CheckInput<OutpostRow>): Complaints | null {
  const before = current?.managed ?? null;
  if (values.managed !== before && call.actor && [values.managed, before].includes(embeddedOutpost))
    return { managed: ['There is one embedded outpost, which Gatehouse creates itself.'] };
  if (values.managed === embeddedOutpost && values.service_connection !== null)
    return { service_connection: ['The embedded outpost is this server itself, which is not deployed.'] };
  if (current?.managed !== embeddedOutpost) return null;
  if (values.name !== current.name) return { name: ["Embedded outpost's name cannot be changed"] };
  if (values.type !== current.type) return { type: ["Embedded outpost's type cannot be changed"] };
  return null;
}

async function providersComplaint(
  { tx, registry, values }: CheckInput<OutpostRow>,
  kinds: OutpostResourceNeeds['kinds'],
): Promise<Complaints | null> {
  const isEmbedded = values.managed === embeddedOutpost;
  if (values.providers.length === 0) return isEmbedded ? null : { providers: ['This list may not be empty.'] };
  const typeOf = new Map(kinds.map(({ resource, outpost }) => [resource.model, outpost]));
  const complaints = (await kindsOf(tx, values.providers))
    .filter((kind) => (isEmbedded ? typeOf.get(kind) === undefined : typeOf.get(kind) !== values.type))
    .map((kind) => `Outpost type ${values.type} can't be used with ${registry.find(kind)?.schema ?? kind} providers.`);
  return complaints.length > 0 ? { providers: complaints } : null;
}

async function kindsOf(query: Query, pks: readonly number[]): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`select distinct kind from providers
    where pk in (${sql.join(pks)}) order by kind`.execute(query);
  return rows.map(({ kind }) => kind);
}

const defaultSettingsAction = (publicUrl: string) =>
  defineAction({
    name: 'default_settings',
    on: 'set',
    method: 'GET',
    page: { noButton: 'The form for a new outpost begins with them.' },
    summary: 'Show the settings of a new outpost',
    access: 'authenticated',
    answer: {
      status: 200,
      schema: objectSchema({ config: { type: 'object', additionalProperties: true } }),
      schemaName: 'OutpostDefaultConfig',
    },
    run: async () => ({ config: defaultOutpostConfig(publicUrl) }),
  });
