import { defineDevice } from '../../../flow/devices/device.family.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { text } from '../../../resource/fields/text.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { smsStage } from './sms-stage.resource.ts';

const hidden = { readOnly: true, writeOnly: true } as const;

/** A phone. One created by an administrator has no number yet and receives nothing. */
export const smsDevices = defineDevice({
  segment: 'sms',
  model: 'svc_stages_authenticator_sms.smsdevice',
  schema: 'SMSDevice',
  names: ['SMS Device', 'SMS Devices'],
  table: 'device_sms',
  fields: {
    phone_number: text({ readOnly: true, blank: true, default: '' }),
    /** Whether only a hash of the number is stored. */
    is_hashed: boolean({ ...hidden, default: false }),
    number_hash: text({ ...hidden, nullable: true, default: null }),
    stage: ref(smsStage.model, 'uuid', { ...hidden, nullable: true }),
  },
});

export type SmsDevice = RowOf<typeof smsDevices.own>;
