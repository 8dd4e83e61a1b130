import { sql } from 'kysely';
import { defineDevice } from '../../../flow/devices/device.family.ts';
import { codeProof, type DeviceKind, plainChallenges } from '../../../flow/devices/device-kind.ts';
import type { Database } from '../../../platform/db/database.ts';
import { integer } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { totpSetupModel } from './authenticator-totp-stage.resource.ts';
import { newTotpSecret, stepOfCode, type TotpKey } from './totp-code.ts';

const hidden = { readOnly: true, writeOnly: true } as const;

/** An app that generates a new code every 30 seconds. */
export const totpDevices = defineDevice({
  segment: 'totp',
  model: 'svc_stages_authenticator_totp.totpdevice',
  schema: 'TOTPDevice',
  names: ['TOTP Device', 'TOTP Devices'],
  labels: ['Authenticator app', 'Authenticator apps'],
  table: 'device_totp',
  fields: {
    key: secret({ ...hidden, default: newTotpSecret }),
    digits: integer({ ...hidden, default: 6 }),
    last_step: integer({ ...hidden, default: 0 }),
  },
});

export const wrongCode = 'Invalid Token. Please ensure the time on your device is accurate and try again.';

type TotpDevice = RowOf<typeof totpDevices.own>;

export const totp: DeviceKind<TotpDevice> = {
  deviceClass: 'totp',
  deviceResources: totpDevices,
  setupStage: totpSetupModel,
  methods: () => ['otp'],
  proof: codeProof,
  challenges: async ({ devices }) => plainChallenges('totp', devices),
  async prove({ step: { call }, devices }, given) {
    const code = typeof given === 'string' ? given.replaceAll(/\s/g, '') : '';
    for (const device of devices) {
      const step = await stepOfCode(keyOf(device), code, call.now);
      if (step !== null && (await takeStep(call.db, device.pk, step))) return { device };
    }
    return { complaint: wrongCode };
  },
};

const keyOf = ({ key, digits }: TotpDevice): TotpKey => ({ secret: key, digits });

/** RFC 6238 §5.2: no code is accepted twice (replay). Of concurrent requests with the same code, the first succeeds. */
async function takeStep(db: Database, pk: number, step: number): Promise<boolean> {
  const { rows } = await db.write((tx) =>
    sql`update device_totp set last_step = ${step} where pk = ${pk} and last_step < ${step} returning pk`.execute(tx),
  );
  return rows.length > 0;
}
