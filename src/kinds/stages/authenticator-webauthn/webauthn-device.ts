import { defineDevice } from '../../../flow/devices/device.family.ts';
import { timeSchema } from '../../../resource/document/json-schema.ts';
import { computed, embedded } from '../../../resource/fields/computed.ts';
import { boolean, real } from '../../../resource/fields/scalar.ts';
import { list } from '../../../resource/fields/structured.ts';
import { text } from '../../../resource/fields/text.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { deviceTypeModel, unknownDevices } from './device-type.resource.ts';

const hidden = { readOnly: true, writeOnly: true } as const;

/** A passkey or a security key. One created by an administrator has no key yet and proves nothing. */
export const webauthnDevices = defineDevice({
  segment: 'webauthn',
  model: 'svc_stages_authenticator_webauthn.webauthndevice',
  schema: 'WebAuthnDevice',
  names: ['WebAuthn Device', 'WebAuthn Devices'],
  labels: ['Passkey', 'Passkeys'],
  table: 'device_webauthn',
  fields: {
    name: text({ max: 200, filter: true, help: 'The name that the owner gave it.' }),
    created_on: computed(timeSchema, (row) => row.col('created')),
    device_type: embedded<{ aaguid: string } | null>(deviceTypeModel, 'uuid', { nullable: true }),
    aaguid: text({ readOnly: true, default: unknownDevices }),
    credential_id: text({ ...hidden, nullable: true, default: null }),
    public_key: text({ ...hidden, nullable: true, default: null }),
    // Goes up to 2^32, which exceeds our integer columns.
    sign_count: real({ ...hidden, default: 0 }),
    attested: boolean({ ...hidden, default: false }),
    transports: list(text(), { ...hidden, default: () => [] }),
  },
});

/** A confirmed device, which therefore has a key. */
export type WebauthnDevice = RowOf<typeof webauthnDevices.own> & { credential_id: string; public_key: string };
