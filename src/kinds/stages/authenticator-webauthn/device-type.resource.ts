import { defineResource } from '../../../resource/define.ts';
import { text } from '../../../resource/fields/text.ts';
import { keyFilter } from '../../../resource/list/query.ts';

export const deviceTypeModel = 'svc_stages_authenticator_webauthn.webauthndevicetype';

/** Stands for all devices that do not state their type. */
export const unknownDevices = '00000000-0000-0000-0000-000000000000';

/** A model of authenticator, identified by the AAGUID that its devices report at registration. */
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
