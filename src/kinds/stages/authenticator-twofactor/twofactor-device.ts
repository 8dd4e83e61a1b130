import { defineDevice } from '../../../flow/devices/device.family.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { text } from '../../../resource/fields/text.ts';
import type { RowOf } from '../../../resource/resource.ts';

export const twofactorSetupModel = 'svc_stages_authenticator_twofactor.authenticatortwofactorstage';

const hidden = { readOnly: true, writeOnly: true } as const;

/**
 * A phone that receives push notifications. One created by an administrator is unknown to the service and proves
 * nothing.
 */
export const twofactorDevices = defineDevice({
  segment: 'twofactor',
  model: 'svc_stages_authenticator_twofactor.twofactordevice',
  schema: 'TwofactorDevice',
  names: ['Twofactor Device', 'Twofactor Devices'],
  labels: ['Two-factor device', 'Two-factor devices'],
  table: 'device_twofactor',
  fields: {
    service_user: text({ ...hidden, nullable: true, default: null }),
    stage: ref(twofactorSetupModel, 'uuid', { ...hidden, nullable: true }),
  },
});

export type TwofactorDevice = RowOf<typeof twofactorDevices.own>;
