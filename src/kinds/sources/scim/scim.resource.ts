import { Problem } from '../../../lib/problem.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';
import { nested } from '../../../resource/fields/computed.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import type { CheckInput, Resource } from '../../../resource/resource.ts';
import { modelFacts } from '../../../resource/write/audit.ts';
import { defineSource } from '../../../source/source.family.ts';
import { ensureServiceAccount } from './service-account.ts';

export const scimSourceModel = 'svc_sources_scim.scimsource';

interface Dependencies {
  readonly config: { readonly publicUrl: string };
  readonly key: InstanceKey;
}

const hidden = { protects: true, nullable: true, readOnly: true, writeOnly: true, default: null } as const;

/** People and groups that another system pushes in. */
export function scimSource({ config: { publicUrl }, key }: Dependencies): Resource {
  return defineSource({
    path: '/sources/scim/',
    model: scimSourceModel,
    schema: 'SCIMSource',
    names: ['SCIM Source', 'SCIM Sources'],
    component: 'xak-source-scim-form',
    description: 'Another system creates, changes and deletes users and groups here.',
    table: 'source_scim',
    filterBy: ['name', 'slug'],
    without: [
      'authentication_flow',
      'enrollment_flow',
      'policy_engine_mode',
      'user_matching_mode',
      'group_matching_mode',
      'icon',
    ],
    fields: {
      account: ref('svc_core.user', 'int', hidden),
      token: ref('svc_core.token', 'uuid', hidden),
      token_obj: nested('svc_core.token', 'token'),
      manages_privileged: boolean({
        default: false,
        limits: { only: 'superusers' },
        help: 'Whether the client may also change users and groups that hold permissions. Without it, it can only deactivate such users. Superusers and their groups stay out of reach.',
      }),
      trust_emails: boolean({
        default: false,
        limits: { only: 'superusers' },
        label: 'Addresses count as verified',
        help: 'Whether the client vouches for the addresses that it sends: turn on if users cannot choose theirs in the other system.',
      }),
    },
    derived: { root_url: { schema: stringSchema, from: ({ slug }) => `${publicUrl}/source/scim/${slug}/v2` } },
    check: checkTrust,
    async afterWrite(input) {
      if (input.verb === 'destroy') return;
      const missing = await ensureServiceAccount(input, key);
      if (input.verb === 'create' || missing.length === 0) return;
      const { tx, call, registry, pk, values } = input;
      const model = modelFacts(registry.require(scimSourceModel), pk, values);
      const message = `The ${missing.join(' and the ')} of the SCIM source ${values.name} had been deleted. They are created again: give its client the new token.`;
      await call.world.record(tx, call, {
        action: 'configuration_error',
        app: 'svc_core',
        context: { message, model },
      });
    },
  });
}

function checkTrust({
  call: { actor },
  values,
  current,
}: CheckInput<{ pk: string; manages_privileged: boolean; trust_emails: boolean }>): null {
  if (values.manages_privileged && !current?.manages_privileged && actor && !actor.isSuperuser)
    throw new Problem('permission_denied', 'Only superusers may let a source change users who hold permissions.');
  if (values.trust_emails && !current?.trust_emails && actor && !actor.isSuperuser)
    throw new Problem('permission_denied', 'Only superusers may let a source verify addresses.');
  return null;
}
