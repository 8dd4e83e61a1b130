import { sql } from 'kysely';
import { certificateModel } from '../../../core/key/certificate-model.ts';
import { randomText } from '../../../platform/random.ts';
import { outpostNames } from '../../../provider/outpost/outpost-names.ts';
import { passwordFlowSlug } from '../../../provider/password-server/password-flow.ts';
import { servedApplicationSql } from '../../../provider/password-server/served-application.ts';
import { defineProvider, providerFamily } from '../../../provider/provider.family.ts';
import { defineResource } from '../../../resource/define.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';
import { computed } from '../../../resource/fields/computed.ts';
import { hidden, type RowAlias } from '../../../resource/fields/field.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { text } from '../../../resource/fields/text.ts';
import { eitherFilter, iexactFilter } from '../../../resource/list/filters.ts';
import type { Resource } from '../../../resource/resource.ts';
import { completeSettings } from './complete-settings.ts';
import { networksComplaint } from './networks.ts';
import { radiusModel } from './radius-model.ts';

const servingApplication = (row: RowAlias) =>
  sql`(select a.slug from applications a where a.pk = ${servedApplicationSql(row.col('pk'))})`;
const flowSlug = (row: RowAlias) => sql`(select f.slug from flows f where f.pk = ${row.col('authorization_flow')})`;

const served = {
  client_networks: text({
    max: 5000,
    default: '0.0.0.0/0, ::/0',
    check: networksComplaint,
    help: 'The networks of the RADIUS clients (access points, switches, VPN gateways), with commas between them. The longest network that an address is in counts.',
  }),
  shared_secret: secret({
    max: 255,
    default: () => randomText(40),
    help: 'The secret that these clients share with this server. Generated unless given.',
  }),
  mfa_support: boolean({
    default: true,
    help: 'Take a code that follows the password after a semicolon (password;123456), and ask the push devices of people who have one.',
    group: 'Sign-in',
  }),
};

const passwordFlow = ref('svc_flows.flow', 'uuid', {
  required: false,
  label: 'Authentication flow',
  help: 'The flow that passwords are verified by; by default the shipped one that signs people in.',
  proposes: { slug: passwordFlowSlug },
});

/** Authenticates users of networks and devices by RADIUS. */
export const radiusProvider = (): Resource =>
  defineProvider({
    path: '/providers/radius/',
    model: radiusModel,
    schema: 'RadiusProvider',
    names: ['RADIUS Provider', 'RADIUS Providers'],
    component: 'xak-provider-radius-form',
    description: 'Signs people in to Wi-Fi, VPN and network devices by RADIUS.',
    table: 'provider_radius',
    filterBy: [],
    filters: {
      application__isnull: eitherFilter(
        (row) => sql`not exists (select 1 from applications a where a.provider = ${row.col('pk')})`,
      ),
      ...iexactFilter('authorization_flow__slug', flowSlug),
      ...iexactFilter('client_networks', (row) => row.col('client_networks')),
      ...iexactFilter('name', (row) => row.col('name')),
    },
    fields: {
      authorization_flow: passwordFlow,
      ...served,
      accept_app_passwords: boolean({
        default: false,
        help: 'Take app passwords without the flow, for devices of people who have a second factor.',
        group: 'Sign-in',
      }),
      require_message_authenticator: boolean({
        default: true,
        help: 'Drop requests without a Message-Authenticator. Without it, answers to clients can be forged (Blast-RADIUS); switch it off only for clients that cannot send one.',
        group: 'Clients',
      }),
      certificate: ref(certificateModel, 'uuid', {
        nullable: true,
        needs: 'use',
        help: 'The key pair that devices see when they sign in by EAP-TTLS or EAP-TLS; without one, EAP is not offered.',
        group: 'Wi-Fi (EAP)',
      }),
      client_ca: ref(certificateModel, 'uuid', {
        nullable: true,
        needs: 'use',
        limits: { only: 'superusers' },
        label: 'Client CA',
        help: 'The authority whose certificates let devices in by EAP-TLS; their common name is the username.',
        group: 'Wi-Fi (EAP)',
      }),
      radsec_ca: ref(certificateModel, 'uuid', {
        nullable: true,
        needs: 'use',
        label: 'RadSec client CA',
        help: 'The authority whose certificates clients present when they connect by TLS (RadSec); without one, RadSec is not offered.',
        group: 'Clients',
      }),
      outpost_set: outpostNames,
    },
    check: completeSettings,
  });

/** The same rows as outposts read them. Without an application, a provider is not served. */
export const radiusOutpostConfig = (): Resource =>
  defineResource({
    path: '/outposts/radius/',
    param: 'id',
    key: 'int',
    model: radiusModel,
    schema: 'RadiusOutpostConfig',
    names: ['RADIUS Provider', 'RADIUS Providers'],
    table: 'provider_radius',
    family: {
      ...providerFamily,
      fields: { name: providerFamily.fields.name, authorization_flow: passwordFlow },
    },
    isAlternate: true,
    visibility: { by: 'permission', always: (row) => sql`${servingApplication(row)} is not null` },
    verbs: ['list'],
    order: ['name'],
    search: ['name'],
    fields: {
      name: { ...providerFamily.fields.name, filter: true },
      authorization_flow: { ...passwordFlow, ...hidden },
      auth_flow_slug: computed(stringSchema, (row) => sql`coalesce(${flowSlug(row)}, '')`),
      application_slug: computed(stringSchema, (row) => sql`coalesce(${servingApplication(row)}, '')`),
      ...served,
    },
  });
