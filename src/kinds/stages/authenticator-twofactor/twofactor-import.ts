import { sql } from 'kysely';
import { checkMayTouchUser } from '../../../core/access/delegation.ts';
import { ServiceFault } from '../../../flow/services/call-service.ts';
import { chunksOf } from '../../../lib/chunks.ts';
import { foldName } from '../../../lib/fold-name.ts';
import { nameKey } from '../../../lib/name-key.ts';
import { Invalid, Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { Call } from '../../../resource/call.ts';
import { actionOn } from '../../../resource/define.ts';
import { integerSchema, objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { ReplyWith } from '../../../resource/document/operations.ts';
import type { Row } from '../../../resource/fields/field.ts';
import { text } from '../../../resource/fields/text.ts';
import { diffOf, recordWrite } from '../../../resource/write/audit.ts';
import { insertRow } from '../../../resource/write/write-row.ts';
import type { ServiceUser, TwofactorApi } from './twofactor-api.ts';
import { twofactorDevices } from './twofactor-device.ts';

// A device lets its holder authenticate as the user, so importing requires the permission to add devices.
const access = { permission: twofactorDevices.own.permission('add') } as const;

/** Import devices of people who already have an account at the push service. */
export const importActions = (api: TwofactorApi) => [importManually, importAutomatically(api)];

const importManually = actionOn<{ pk: string }>()({
  name: 'import_device_manual',
  on: 'row',
  method: 'POST',
  page: { button: 'Import a device' },
  summary: 'Give a user the device of a user of the service',
  access,
  body: {
    twofactor_user_id: text({ max: 255, help: 'The key of the user at the service.' }),
    username: text({ max: 150, help: 'The user here.', isObvious: true }),
  },
  bodySchema: 'AuthenticatorTwofactorStageManualDeviceImportRequest',
  answer: { status: 204 },
  async run({ tx, call, row, values }) {
    const { rows } = await sql<{ pk: number }>`select pk from users where username = ${values.username}`.execute(tx);
    if (!rows[0]) throw Invalid.field('username', 'User does not exist.');
    await checkMayTouchUser(tx, call, rows[0].pk);
    const isNew = await addDevice(tx, call, row.pk, rows[0].pk, values.twofactor_user_id);
    if (!isNew) throw Invalid.field('twofactor_user_id', 'Device exists already.');
  },
});

const importAutomatically = (api: TwofactorApi) =>
  actionOn<AdminKeys>()({
    name: 'import_devices_automatic',
    on: 'row',
    method: 'POST',
    page: { button: 'Import all devices' },
    summary: 'Give all users the devices that the service has for people of the same name',
    access,
    answer: {
      status: 200,
      schema: objectSchema({ count: integerSchema, error: stringSchema }),
      schemaName: 'AuthenticatorTwofactorStageDeviceImportResponse',
    },
    async prepare({ row, call }) {
      const { api_hostname, admin_integration_key: integration, admin_secret_key: secret } = row;
      if (!integration || !secret) return new ServiceFault('The keys for administration are not set.');
      return api.listUsers({ api_hostname, integration, secret }, call.now);
    },
    async run({ tx, call, row, prepared }) {
      if (prepared instanceof ServiceFault) return new ReplyWith(400, { count: 0, error: prepared.why });
      let count = 0;
      for (const users of chunksOf(prepared, 500)) {
        for (const { user, serviceUser } of await matchUsers(tx, users)) {
          if (!(await canChangeUser(tx, call, user))) continue;
          if (await addDevice(tx, call, row.pk, user, serviceUser)) count += 1;
        }
      }
      return { count, error: '' };
    },
  });

interface AdminKeys {
  readonly pk: string;
  readonly api_hostname: string;
  readonly admin_integration_key: string;
  readonly admin_secret_key: string;
}

/** Matches our users with the service's by user name. */
async function matchUsers(tx: Query, users: readonly ServiceUser[]): Promise<{ user: number; serviceUser: string }[]> {
  const byName = new Map(users.map(({ username, user_id }) => [foldName(username), user_id]));
  const { rows } = await sql<{ pk: number; username: string }>`select pk, username from users
    where username_key in (${sql.join(users.map(({ username }) => nameKey(username)))})`.execute(tx);
  return rows.flatMap(({ pk, username }) => {
    const serviceUser = byName.get(foldName(username));
    return serviceUser === undefined ? [] : [{ user: pk, serviceUser }];
  });
}

async function canChangeUser(tx: Query, call: Call, user: number): Promise<boolean> {
  try {
    await checkMayTouchUser(tx, call, user);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Returns false if the device already belongs to someone. */
async function addDevice(tx: Query, call: Call, stage: string, user: number, serviceUser: string): Promise<boolean> {
  const { rows } = await sql`select 1 from device_twofactor where stage = ${stage}
    and service_user = ${serviceUser}`.execute(tx);
  if (rows.length > 0) return false;
  const { own } = twofactorDevices;
  const { now } = call;
  const values: Row = {
    name: 'Imported Twofactor Authenticator',
    service_user: serviceUser,
    stage,
    user,
    confirmed: true,
    created: now,
    last_updated: now,
    last_used: null,
  };
  const pk = await insertRow(own, values, call, tx);
  await recordWrite('model_created', { resource: own, pk, values, diff: diffOf(own, null, values), call, tx });
  return true;
}
