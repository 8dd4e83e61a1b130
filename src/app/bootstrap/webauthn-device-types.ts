import { sql } from 'kysely';
import { unknownDevices } from '../../kinds/stages/authenticator-webauthn/device-type.resource.ts';
import type { BootstrapStep } from './steps.ts';
import known from './webauthn-device-types.json' with { type: 'json' };

/** The known models of authenticators, in one statement. A newer list is a step with a new name. */
export const webauthnDeviceTypes: BootstrapStep = {
  name: 'webauthn-device-types-1',
  async run({ tx }) {
    const types = Object.entries({ [unknownDevices]: 'Unknown devices', ...known });
    const rows = types.map(([aaguid, description]) => sql`(${aaguid}, ${description})`);
    await sql`insert into webauthn_device_types (pk, description) values ${sql.join(rows)}
      on conflict (pk) do update set description = excluded.description`.execute(tx);
  },
};
