import { defineResource } from '../../../resource/define.ts';
import { text } from '../../../resource/fields/text.ts';
import { keyFilter } from '../../../resource/query.ts';

export const deviceTypeModel = 'svc_stages_authenticator_webauthn.webauthndevicetype';

/** The type that stands for all devices that do not say what they are. */
export const unknownDevices = '00000000-0000-0000-0000-000000000000';

/** A make of authenticator, by the identifier (AAGUID) that its devices give when they are registered. */
export const deviceTypeResource = defineResource({
  path: '/stages/authenticator/webauthn_device_types/',
  param: 'aaguid',
  key: 'uuid',
  keyName: 'aaguid',
  model: deviceTypeModel,
  schema: 'WebAuthnDeviceType',
  names: ['WebAuthn Device type', 'WebAuthn Device types'],
  table: 'webauthn_device_types',
  verbs: ['list', 'retrieve'],
  order: ['description'],
  search: ['description', 'aaguid'],
  filters: { aaguid: keyFilter },
  nameOf: (row) => String(row.description),
  fields: { description: text({ readOnly: true, filter: true }) },
});
