import { sql } from 'kysely';
import { parseDuration } from '../../../lib/duration.ts';
import { Invalid } from '../../../lib/problem.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import { sealContext } from '../../../platform/keys.ts';
import { randomText } from '../../../platform/random.ts';
import { actionOn } from '../../../resource/define.ts';
import { objectSchema, orNull, stringSchema, timeSchema } from '../../../resource/document/json-schema.ts';
import { duration } from '../../../resource/fields/scalar.ts';
import { modelFacts } from '../../../resource/write/audit.ts';
import { checkMayActAsUsers, requireSuperuser } from './api-scope.ts';
import { oauth2Model } from './oauth2-model.ts';

export const newClientSecret = (): string => randomText(128);

const maxOverlapMs = 30 * 86_400_000;

interface Provider {
  readonly pk: number;
  readonly name: string;
  readonly client_type: string;
  readonly property_mappings: readonly string[];
}

/**
 * Gives a confidential client a new secret. The previous one is accepted for a limited time, so that the client can be
 * updated without an interruption.
 */
export const rotateSecretAction = actionOn<Provider>()({
  name: 'rotate_secret',
  on: 'row',
  method: 'POST',
  page: { button: 'New secret' },
  summary: 'Generate a new client secret',
  access: 'change',
  body: {
    previous_valid_for: duration({
      default: 'hours=24',
      help: 'How long the current secret remains valid beside the new one: seconds=0 (invalid at once) to days=30.',
    }),
  },
  bodySchema: 'OAuth2ProviderRotateSecretRequest',
  answer: {
    status: 200,
    schema: objectSchema({
      client_secret: stringSchema,
      previous_secret_expires: orNull(timeSchema),
    }),
    schemaName: 'OAuth2ProviderRotatedSecret',
  },
  async run({ call, tx, row, values, engine }) {
    const provider = { ...row, ...(await engine.stored(engine.registry.require(oauth2Model), call)(call, tx, row.pk)) };
    if (await requireSuperuser(tx, provider.property_mappings)) checkMayActAsUsers(call);
    if (provider.client_type === 'public') throw Invalid.whole('A public client has no secret.');
    const overlap = parseDuration(values.previous_valid_for) ?? 0;
    if (overlap < 0 || overlap > maxOverlapMs)
      throw Invalid.field('previous_valid_for', 'Ensure this value is between seconds=0 and days=30.');
    const client_secret = newClientSecret();
    const previous_secret_expires = overlap === 0 ? null : addMilliseconds(call.now, overlap);
    const sealed = call.world.seal(client_secret, sealContext('providers', 'client_secret', row.pk));
    await sql`update provider_oauth2 set previous_secret = client_secret, previous_secret_expires = ${previous_secret_expires},
      client_secret = ${sealed} where pk = ${row.pk}`.execute(tx);
    const model = modelFacts(engine.registry.require(oauth2Model), row.pk, { name: row.name });
    const message = `The client secret of ${row.name} was rotated.`;
    const context = { message, model, previous_secret_expires };
    await call.world.record(tx, call, { action: 'secret_rotate', app: 'svc_providers_oauth2', context });
    return { client_secret, previous_secret_expires };
  },
});
