import { sql } from 'kysely';
import { catalogue } from '../../src/app/catalogue.ts';
import type { KindLists } from '../../src/app/kinds.ts';
import { type ActorRow, actorColumns, loadActor } from '../../src/core/access/actor.ts';
import { expired } from '../../src/core/cleanup/cleanup.jobs.ts';
import { defineMapping } from '../../src/core/mapping/mapping.family.ts';
import { defineConnection } from '../../src/core/outpost/service-connection.family.ts';
import { defineDevice } from '../../src/flow/devices/device.family.ts';
import { codeProof, plainChallenges } from '../../src/flow/devices/device-kind.ts';
import { ask, defineStageKind, next, stay } from '../../src/flow/executor/stage-kind.ts';
import { defineStage } from '../../src/flow/stage.family.ts';
import { Invalid } from '../../src/lib/problem.ts';
import { verbatim } from '../../src/lib/texts/message.ts';
import type { Migration } from '../../src/platform/db/migrate.ts';
import { createTable } from '../../src/platform/db/table.ts';
import { definePolicyKind, pass, refuse } from '../../src/policy/kind.ts';
import { definePolicy } from '../../src/policy/policy.family.ts';
import { defineProvider } from '../../src/provider/provider.family.ts';
import { stringSchema } from '../../src/resource/document/json-schema.ts';
import { boolean } from '../../src/resource/fields/scalar.ts';
import { text } from '../../src/resource/fields/text.ts';
import { defineSource, type SourceRow } from '../../src/source/source.family.ts';
import type { SourceKind } from '../../src/source/source-kind.ts';
import { defineUserConnection } from '../../src/source/user-connection.family.ts';

// A kind of each family that no other file of the server knows.

export const extraMigration: Migration = {
  name: '9999-extra',
  statements: (dialect) => [
    ...createTable(dialect, 'policy_extra', { pk: 'uuid key -> policies cascade', lets_in: 'bool' }),
    ...createTable(dialect, 'mapping_extra', { pk: 'uuid key -> property_mappings cascade' }),
    ...createTable(dialect, 'connection_extra', { pk: 'uuid key -> service_connections cascade', place: 'text' }),
    ...createTable(dialect, 'source_extra', { pk: 'uuid key -> sources cascade', greeting: 'text' }),
    ...createTable(dialect, 'mapping_source_extra', { pk: 'uuid key -> property_mappings cascade' }),
    ...createTable(dialect, 'user_connection_extra', { pk: 'int key -> user_source_connections cascade' }),
    ...createTable(dialect, 'provider_extra', { pk: 'int key -> providers cascade', audience: 'text' }),
    ...createTable(dialect, 'extra_outbox', { pk: 'uuid key', action: 'text', expires: 'time index' }),
    ...createTable(dialect, 'stage_extra', { pk: 'uuid key -> stages cascade', word: 'text' }),
    ...createTable(dialect, 'device_extra', { pk: 'int key -> devices cascade' }),
  ],
};

const described = (name: string) => ({
  schema: `Extra${name}`,
  names: [`Extra ${name}`, `Extra ${name}s`] as const,
  component: `xak-extra-${name.toLowerCase()}-form`,
  description: `An extra ${name.toLowerCase()}.`,
});

export const sourceModel = 'svc_sources_extra.extrasource';
const connectionModel = 'svc_sources_extra.userextrasourceconnection';
const mappingModel = 'svc_sources_extra.extrasourcepropertymapping';

interface ExtraSource extends SourceRow {
  readonly greeting: string;
}

export const extraToken = 'a-token-of-the-extra-kind-0123456789';
/** What the extra transport was given to send. */
export const sent: string[] = [];

export const withExtraKinds: KindLists = {
  policies: [
    ...catalogue.policies,
    definePolicyKind({
      resource: definePolicy({
        ...described('Policy'),
        path: '/policies/extra/',
        model: 'svc_policies_extra.extrapolicy',
        table: 'policy_extra',
        fields: { lets_in: boolean({ default: false }) },
      }),
      evaluate: ({ lets_in }) => (lets_in ? pass : refuse(verbatim('The extra policy says no.'))),
    }),
  ],
  mappings: [
    ...catalogue.mappings,
    (world) => ({
      resource: defineMapping(world, {
        ...described('Mapping'),
        path: '/propertymappings/extra/',
        model: 'svc_extra.extramapping',
        table: 'mapping_extra',
        fields: {},
      }),
    }),
  ],
  transports: [
    ...catalogue.transports,
    {
      mode: 'extra',
      name: 'Extra transport',
      async send({ body }) {
        sent.push(body);
        return 'Sent the extra way.';
      },
    },
  ],
  connections: [
    ...catalogue.connections,
    {
      resource: defineConnection({
        ...described('Connection'),
        path: '/outposts/service_connections/extra/',
        model: 'svc_outposts.extraserviceconnection',
        table: 'connection_extra',
        fields: { place: text() },
      }),
      askState: async () => ({ healthy: true, version: 'extra 1.0' }),
    },
  ],
  sources: [
    ...catalogue.sources,
    (world): SourceKind<ExtraSource> => {
      const resource = defineSource({
        ...described('Source'),
        path: '/sources/extra/',
        model: sourceModel,
        table: 'source_extra',
        filterBy: ['name', 'slug'],
        fields: { greeting: text() },
      });
      return {
        resource,
        resources: [
          defineUserConnection({
            path: '/sources/user_connections/extra/',
            model: connectionModel,
            schema: 'UserExtraSourceConnection',
            names: ['User Extra Source Connection', 'User Extra Source Connections'],
            table: 'user_connection_extra',
            sourceModel,
            fields: {},
          }),
          defineMapping(world, {
            ...described('SourceMapping'),
            path: '/propertymappings/source/extra/',
            model: mappingModel,
            table: 'mapping_source_extra',
            fields: {},
          }),
        ],
        screen: {
          component: 'xak-source-extra',
          members: { greeting: stringSchema },
          challenge: ({ greeting }) => ({ greeting }),
        },
        proof: {
          by: 'answer',
          answer: { account: text() },
          async arrive(source, { account }) {
            if (account === 'nobody') throw Invalid.whole('Nobody is not known there.');
            const username = String(account);
            const known = { identifier: username, username, email: '', isEmailConfirmed: false, name: username };
            return {
              ...{ source, sourceResource: resource, mappingModel, connectionModel, connectionValues: {} },
              identity: { ...known, info: {} },
            };
          },
        },
        link: { component: 'xak-user-settings-source-extra', configureUrl: ({ slug }) => `/source/extra/${slug}/` },
        pageNeeds: async (sources) => ({
          connections: ['https://extra.example.com'],
          data: { extraSources: String(sources.length) },
        }),
        routes: () => [
          {
            methods: ['GET'],
            path: '/source/extra/{slug}/',
            handle: async ({ params }) => ({ status: 200, body: `The source ${params.slug}` }),
          },
        ],
      };
    },
  ],
  providers: [
    ...catalogue.providers,
    (world) => ({
      resource: defineProvider({
        ...described('Provider'),
        path: '/providers/extra/',
        model: 'svc_providers_extra.extraprovider',
        table: 'provider_extra',
        filterBy: ['name'],
        fields: { audience: text() },
      }),
      outpost: 'radius',
      routes: ({ db }) => [
        {
          methods: ['GET', 'POST'],
          path: '/application/extra/{slug}/',
          handle: async ({ facts, params }) => ({
            status: 200,
            headers: { 'content-type': 'text/plain' },
            body: `${facts.method} ${params.slug} on ${db.dialect.name}`,
          }),
        },
      ],
      async afterEvent(tx, { now }, { action, app }) {
        if (app !== 'svc_providers_extra') return;
        await sql`insert into extra_outbox (pk, action, expires)
          values (${crypto.randomUUID()}, ${action}, ${now})`.execute(tx);
      },
      jobs: () => [{ name: 'extra_sync', summary: 'Sync the extra way.', run: async () => 'Synced the extra way.' }],
      expiring: [expired('extra_outbox', 'extra entries')],
      async actorOfBearer(token) {
        const { rows } = await sql<ActorRow>`select ${actorColumns}, false as is_superuser from users u
          where u.username = 'admin' and ${token} = ${extraToken}`.execute(world.db.read);
        return rows[0] ? loadActor(world.db, rows[0], 'access token') : null;
      },
    }),
  ],
  devices: [
    ...catalogue.devices,
    {
      deviceClass: 'extra',
      deviceResources: defineDevice({
        segment: 'extra',
        model: 'svc_extra.extradevice',
        schema: 'ExtraDevice',
        names: ['Extra Device', 'Extra Devices'],
        table: 'device_extra',
        fields: {},
      }),
      setupStage: 'svc_stages_extra.extrastage',
      methods: () => ['extra'],
      proof: codeProof,
      challenges: async ({ devices }) => plainChallenges('extra', devices),
      prove: async ({ devices: [device] }, given) =>
        device && given === 'extra' ? { device } : { complaint: 'That is not extra.' },
    },
  ],
  stages: [
    ...catalogue.stages,
    defineStageKind({
      resource: defineStage({
        ...described('Stage'),
        path: '/stages/extra/',
        model: 'svc_stages_extra.extrastage',
        table: 'stage_extra',
        fields: { word: text() },
      }),
      component: 'xak-stage-extra',
      challenge: { hint: stringSchema },
      answer: { word: text() },
      show: async ({ settings }) => ask({ hint: `It begins with ${settings.word[0]}.` }),
      verifyRegistration: async ({ settings }, { word }) =>
        word === settings.word ? next() : stay({ word: ['That is not the word.'] }),
      pageNeeds: async () => ({ services: ['https://words.example.com'] }),
    }),
  ],
};
