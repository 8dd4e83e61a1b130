import { defineDevice } from '../../../flow/devices/device.family.ts';
import type { Device } from '../../../flow/devices/device-kind.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { flag } from '../../../resource/fields/scalar.ts';
import { text } from '../../../resource/fields/text.ts';
import { smsStage } from './sms-stage.resource.ts';

const hidden = { readOnly: true, writeOnly: true } as const;

/** A phone. One that an administrator makes has no number yet, and receives nothing. */
export const smsDevices = defineDevice({
  segment: 'sms',
  model: 'svc_stages_authenticator_sms.smsdevice',
  schema: 'SMSDevice',
  names: ['SMS Device', 'SMS Devices'],
  table: 'device_sms',
  fields: {
    phone_number: text({ readOnly: true, blank: true, default: '' }),
    /** Whether what is kept of the number is only a hash. */
    is_hashed: flag({ ...hidden, default: false }),
    number_hash: text({ ...hidden, nullable: true, default: null }),
    stage: ref(smsStage.model, 'uuid', { ...hidden, nullable: true }),
  },
});

export interface SmsDevice extends Device {
  readonly phone_number: string;
  readonly is_hashed: boolean;
  /** The stage that says how messages are sent to it. */
  readonly stage: string | null;
}
