import { sql } from 'kysely';
import { defineDevice } from '../../../flow/devices/device.family.ts';
import { codeProof, type Device, type DeviceKind, plainChallenges } from '../../../flow/devices/device-kind.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomText } from '../../../platform/random.ts';
import { arrayOf, integerSchema, objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { computed } from '../../../resource/fields/computed.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { staticSetupModel } from './authenticator-static-stage.resource.ts';

const maxTokenLength = 16;
const hiddenToken = { token: '*'.repeat(maxTokenLength) };

/** A list of single-use codes. They are shown once, when created; only their hashes are stored. */
export const staticDevices = defineDevice({
  segment: 'static',
  model: 'svc_stages_authenticator_static.staticdevice',
  schema: 'StaticDevice',
  names: ['Static Device', 'Static Devices'],
  labels: ['Recovery code list', 'Recovery code lists'],
  table: 'device_static',
  fields: {
    tokens_left: {
      ...computed(
        integerSchema,
        (row) => sql`(select count(*) from device_static_tokens st where st.device = ${row.col('pk')})`,
      ),
      writeOnly: true,
    },
  },
  derived: {
    token_set: {
      schema: arrayOf(objectSchema({ token: stringSchema })),
      from: ({ tokens_left }) => Array.from({ length: tokens_left }, () => hiddenToken),
    },
  },
});

// Leaves out characters that are easily confused.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

export const newStaticTokens = (count: number, length: number): string[] =>
  Array.from({ length: count }, () => randomText(length, alphabet));

export async function storeTokens(
  tx: Query,
  key: Pick<InstanceKey, 'hash'>,
  device: number,
  tokens: readonly string[],
): Promise<void> {
  const rows = [...new Set(tokens)].map((token) => sql`(${device}, ${hashOf(key, device, token)})`);
  await sql`insert into device_static_tokens (device, token_hash) values ${sql.join(rows)}`.execute(tx);
}

export function staticTokens({
  key,
}: {
  readonly key: Pick<InstanceKey, 'hash'>;
}): DeviceKind<RowOf<typeof staticDevices.own>> {
  return {
    deviceClass: 'static',
    deviceResources: staticDevices,
    uncachedTables: ['device_static_tokens'],
    setupStage: staticSetupModel,
    methods: () => ['otp'],
    proof: codeProof,
    isBackup: true,
    challenges: async ({ devices }) =>
      plainChallenges(
        'static',
        devices.filter(({ tokens_left }) => tokens_left > 0),
      ),
    async prove({ step: { call }, devices }, given) {
      const used =
        typeof given === 'string' ? await call.db.write((tx) => consumeToken(tx, key, devices, given)) : null;
      const device = devices.find(({ pk }) => pk === used);
      return device ? { device } : { complaint: 'Invalid Token.' };
    },
  };
}

/** Consumes a code and returns its device. Of concurrent requests with the same code, only one deletes it. */
async function consumeToken(
  tx: Query,
  key: Pick<InstanceKey, 'hash'>,
  devices: readonly Device[],
  token: string,
): Promise<number | null> {
  for (const { pk } of devices) {
    const { rows } = await sql`delete from device_static_tokens where device = ${pk}
      and token_hash = ${hashOf(key, pk, token)} returning device`.execute(tx);
    if (rows.length > 0) return pk;
  }
  return null;
}

const hashOf = (key: Pick<InstanceKey, 'hash'>, device: number, token: string): string =>
  key.hash(`static token:${device}:${token.replaceAll(/\s/g, '').toLowerCase()}`);
