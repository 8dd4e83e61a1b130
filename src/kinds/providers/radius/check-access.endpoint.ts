import type { EvaluateAccess } from '../../../core/application/application-access.ts';
import { MappingFailed } from '../../../core/mapping/evaluate.ts';
import { loadUserFacts } from '../../../core/mapping/user-facts.ts';
import { Problem } from '../../../lib/problem.ts';
import { codes, encodeAttributes, headerLength } from '../../../lib/radius/packet.ts';
import type { SecretBox } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { servedApplication } from '../../../provider/password-server/served-application.ts';
import { type Call, requireActor } from '../../../resource/call.ts';
import { integerSchema, objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../../../resource/endpoint.ts';
import { parseKey } from '../../../resource/read/read.ts';
import { mapAttributes } from './attributes.ts';
import { radiusModel } from './radius-model.ts';
import { findProvider } from './served-providers.ts';

interface CheckRadiusAccessNeeds {
  readonly box: SecretBox;
  readonly sandbox: Sandbox;
  readonly evaluate: EvaluateAccess;
}

/** Whether a RADIUS provider would let the caller in, and with which attributes. Everybody may ask about themselves. */
export const radiusAccessEndpoint = (needs: CheckRadiusAccessNeeds): Endpoint =>
  defineEndpoint({
    id: 'outposts_radius_access_check',
    method: 'GET',
    path: '/outposts/radius/{id}/check_access/',
    page: { noButton: 'The page Access explains the same.' },
    summary: 'Check whether the caller may sign in, and with which attributes',
    access: 'authenticated',
    params: { id: integerSchema },
    query: [{ name: 'app_slug', schema: { type: 'string' } }],
    answer: {
      status: 200,
      schema: {
        ...objectSchema({ attributes: stringSchema, access: { $ref: '#/components/schemas/PolicyTestResult' } }),
        required: ['access'],
      },
      schemaName: 'RadiusCheckAccess',
    },
    async run({ call, engine }) {
      const actor = requireActor(call);
      const pk = Number(parseKey(engine.registry.require(radiusModel), call.params.id ?? ''));
      const application = await servedApplication(call.db.read, pk);
      const slug = call.request.query.get('app_slug') || application?.slug;
      if (!application || slug !== application.slug) throw new Problem('not_found');
      const answers = await needs.evaluate(call, actor.user.pk, [application], { dryRun: true });
      const attributes = answers.get(application.pk)?.passing
        ? await attributesFor(needs, call, pk, actor.user.pk)
        : null;
      return {
        ...(attributes && { attributes }),
        access: { passing: attributes !== null, messages: [], log_messages: [] },
      };
    },
  });

/** As a packet, which outposts copy attribute by attribute; null if a mapping fails. */
async function attributesFor(
  { box, sandbox }: CheckRadiusAccessNeeds,
  call: Call,
  pk: number,
  key: number,
): Promise<string | null> {
  const provider = await findProvider(call.db.read, box, pk);
  const user = await loadUserFacts(call.db.read, key);
  if (!provider || !user) return null;
  try {
    const authenticator = Buffer.alloc(16);
    const body = encodeAttributes(
      mapAttributes(sandbox, provider, user, { packet: {}, secret: provider.secret, authenticator }),
    );
    const length = headerLength + body.length;
    const head = Buffer.of(codes.accessAccept, 0, length >> 8, length & 0xff);
    return Buffer.concat([head, authenticator, body]).toString('base64');
  } catch (error) {
    if (error instanceof MappingFailed) return null;
    throw error;
  }
}
