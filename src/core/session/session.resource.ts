import { sql } from 'kysely';
import type { Geo } from '../../platform/geo/geo.ts';
import type { UserAgentParser } from '../../platform/user-agent.ts';
import { requireActor } from '../../resource/call.ts';
import { defineAction, defineResource } from '../../resource/define.ts';
import {
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
} from '../../resource/document/json-schema.ts';
import { ref } from '../../resource/fields/ref.ts';
import { boolean, time } from '../../resource/fields/scalar.ts';
import { text } from '../../resource/fields/text.ts';
import { relatedFilter } from '../../resource/list/query.ts';
import type { Resource } from '../../resource/resource.ts';
import { endSessions } from './session.ts';

export interface SessionResourceNeeds {
  readonly userAgents: UserAgentParser;
  readonly geo: Geo;
}

const texts = (...names: string[]): JsonSchema =>
  objectSchema(Object.fromEntries(names.map((name) => [name, stringSchema])));
const numberSchema: JsonSchema = { type: 'number', format: 'double' };

const userAgentSchema = objectSchema({
  device: texts('brand', 'family', 'model'),
  os: texts('family', 'major', 'minor', 'patch', 'patch_minor'),
  user_agent: texts('family', 'major', 'minor', 'patch'),
  string: stringSchema,
});
const geoSchema = objectSchema({
  continent: stringSchema,
  country: stringSchema,
  lat: numberSchema,
  long: numberSchema,
  city: stringSchema,
});
const asnSchema = objectSchema({ asn: integerSchema, as_org: stringSchema, network: stringSchema });

/** Signed-in browsers. Deleting a row signs its browser out. */
export function sessionResource({ userAgents, geo }: SessionResourceNeeds): Resource {
  return defineResource({
    path: '/core/authenticated_sessions/',
    param: 'uuid',
    key: 'uuid',
    keyName: 'uuid',
    model: 'svc_core.authenticatedsession',
    schema: 'AuthenticatedSession',
    names: ['Authenticated Session', 'Authenticated Sessions'],
    labels: ['Session', 'Sessions'],
    table: 'authenticated_sessions',
    order: ['user.username'],
    page: {
      columns: ['user', 'last_ip', 'user_agent', 'last_used', 'expires'],
      notInSearch: 'It belongs to a person, whose page shows it.',
    },
    search: ['user.username', 'last_ip', 'last_user_agent'],
    visibility: {
      by: 'owner',
      column: 'user',
      write: 'owner',
      // An expired session is gone, even before its row is deleted.
      always: (row, { now }) => sql`${row.col('expires')} > ${now}`,
    },
    verbs: ['list', 'retrieve', 'destroy', 'used_by'],
    fields: {
      user: ref('svc_core.user', 'int', { readOnly: true }),
      last_ip: text({ readOnly: true, filter: true }),
      last_user_agent: text({ readOnly: true, filter: true }),
      last_used: time({ readOnly: true }),
      expires: time({ readOnly: true }),
    },
    derived: {
      current: { schema: booleanSchema, from: (row, { call }) => row.pk === call.actor?.session },
      user_agent: { schema: userAgentSchema, from: (row) => userAgents.parse(row.last_user_agent) },
      geo_ip: { schema: orNull(geoSchema), from: (row) => geo.locate(row.last_ip) },
      asn: { schema: orNull(asnSchema), from: (row) => geo.network(row.last_ip) },
    },
    filters: { user__username: relatedFilter('user.username') },
    actions: [signOutEverywhere],
  });
}

/** Ends all sessions of the caller, or all but the current one. */
const signOutEverywhere = defineAction({
  name: 'sign_out_everywhere',
  on: 'set',
  method: 'POST',
  page: { noButton: 'The account page offers it.' },
  summary: 'End all sessions of the caller',
  access: 'authenticated',
  body: { keep_current: boolean({ default: false, help: 'Whether the browser that asks stays signed in.' }) },
  bodySchema: 'SignOutEverywhereRequest',
  answer: { status: 204 },
  async run({ tx, call, values }) {
    const { user, session } = requireActor(call);
    const sessions = await endSessions(tx, user.pk, values.keep_current ? session : null);
    await call.world.record(tx, call, { action: 'logout', app: 'svc_core', context: { sessions } });
  },
});
