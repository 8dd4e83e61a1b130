import { isDeepStrictEqual } from 'node:util';
import { parseDuration } from '../../lib/duration.ts';
import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { type JsonSchema, objectSchema, orNull, withoutLengths } from '../../resource/document/json-schema.ts';
import { describeField } from '../../resource/document/ui-metadata/field.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import { accept, type Common, complain, type Field, type Row } from '../../resource/fields/field.ts';
import { boolean, duration, integer } from '../../resource/fields/scalar.ts';
import { list, record } from '../../resource/fields/structured.ts';
import { text } from '../../resource/fields/text.ts';
import { checkIfMatch } from '../../resource/read/etag.ts';
import { avatarsComplaint, usesExternalService } from '../directory/avatar.ts';
import { defaultSettings, minKeyLength, type Settings, type SettingsStore } from './settings.ts';

/** Longer keys gain nothing and take longer to generate. */
const maxKeyLength = 4096;

const { avatars, event_retention, default_token_duration, default_token_length } = defaultSettings;

const address = text<true>({ max: 2000, format: 'url', default: null, label: 'Address' });
/** A web address, a path on this server, or null for plain text. */
const link: Field<string | null> = {
  ...address,
  schema: orNull(address.schema),
  parse: (value) => (value === null ? accept(null) : address.parse(value)),
};

/** A duration with a minimum. */
function atLeast(least: string, options: Common<string, false>): Field<string> {
  const field = duration(options);
  const leastMs = parseDuration(least) ?? 0;
  return {
    ...field,
    parse(value) {
      const parsed = field.parse(value);
      const isShort = 'value' in parsed && (parseDuration(parsed.value) ?? 0) < leastMs;
      return isShort ? complain(`Ensure this value is at least ${least}.`) : parsed;
    },
  };
}

const fields = {
  avatars: text({ default: avatars, check: avatarsComplaint, help: 'How users are shown; the first way that works.' }),
  default_user_change_name: boolean({
    label: 'Users may change their name',
    default: true,
    help: 'Let users change their name.',
    isObvious: true,
  }),
  default_user_change_email: boolean({
    label: 'Users may change their address',
    default: false,
    help: 'Let users change their email address.',
    isObvious: true,
  }),
  default_user_change_username: boolean({
    label: 'Users may change their username',
    default: false,
    help: 'Let users change their username.',
    isObvious: true,
  }),
  event_retention: atLeast('days=1', {
    default: event_retention,
    help: 'How long new events are kept. Those about sign-ins, passwords, secrets and impersonation are kept for at least 90 days. Earlier events keep the time that was set when they were recorded.',
  }),
  footer_links: list(
    record({
      name: text({ max: 200 }),
      href: link,
    }),
    { default: () => [], max: 50, help: 'Links shown below the pages where users sign in.' },
  ),
  gdpr_compliance: boolean({
    label: 'GDPR compliance',
    default: true,
    help: 'Delete the events of a user together with the user.',
  }),
  impersonation: boolean({ default: true, help: 'Let administrators act as another user.' }),
  impersonation_require_reason: boolean({ default: false, help: 'Ask administrators why they act as another user.' }),
  default_token_duration: atLeast('minutes=5', {
    default: default_token_duration,
    help: 'How long tokens, links and invitations are valid. Only superusers may change it.',
  }),
  default_token_length: integer({
    min: minKeyLength,
    max: maxKeyLength,
    default: default_token_length,
    help: 'Length of new keys. Only superusers may change it.',
  }),
  trust_administrator_emails: boolean({
    label: 'Addresses that administrators enter count as verified',
    default: true,
    help: 'Whether an address that an administrator gives a user is verified without a mail to it. Only superusers may change it.',
  }),
  shared_emails: boolean({
    label: 'Users may share an address',
    default: false,
    help: 'Allow several users to have the same email address. A shared address identifies no user at sign-in, at sources and to applications. Only superusers may change it.',
  }),
};

/** These can weaken secrets, the audit trail or authentication: for superusers. */
const guarded = [
  ...(['default_token_duration', 'default_token_length', 'trust_administrator_emails', 'shared_emails'] as const),
  ...(['event_retention', 'gdpr_compliance', 'impersonation', 'impersonation_require_reason'] as const),
  ...(['default_user_change_name', 'default_user_change_email', 'default_user_change_username'] as const),
];

const schema: JsonSchema = objectSchema(
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      {
        ...withoutLengths(field.schema),
        ...(field.help && { description: field.help }),
        'x-field': describeField(name, field),
      },
    ]),
  ),
);
const path = '/admin/settings/';
const answer = { status: 200, schema, schemaName: 'Settings' };

export function settingsEndpoints(store: SettingsStore): Endpoint[] {
  async function change(tx: Query, call: Call, values: Row, given: ReadonlySet<string>): Promise<Settings> {
    const before = await store.readToChange(tx);
    await checkIfMatch(call, async () => before);
    const changes = Object.fromEntries([...given].map((name) => [name, values[name]]));
    const after: Settings = { ...before, ...changes };
    const actor = requireActor(call);
    const beyond = guarded.filter((name) => before[name] !== after[name]);
    if (beyond.length > 0 && !actor.isSuperuser)
      throw new Problem('permission_denied', `Only superusers may change ${beyond.join(', ')}.`);
    if (before.avatars !== after.avatars && usesExternalService(after.avatars) && !actor.holds('svc_core.view_user'))
      throw Problem.lacks(
        'svc_core.view_user',
        'An avatar address receives data of users. Setting it requires permission to view users.',
      );
    await store.save(tx, after);
    await call.world.record(tx, call, {
      action: 'model_updated',
      app: 'svc_tenants',
      context: {
        model: { app: 'svc_tenants', model_name: 'tenant', pk: 1, name: 'Settings' },
        diff: diffOf(before, after),
      },
    });
    return after;
  }

  return [
    defineEndpoint({
      id: 'admin_settings_retrieve',
      method: 'GET',
      path,
      summary: 'Read the settings',
      access: { permission: 'svc_rbac.view_system_settings' },
      answer,
      isTagged: true,
      run: ({ tx }) => store.read(tx),
    }),
    defineEndpoint({
      id: 'admin_settings_update',
      method: 'PUT',
      path,
      summary: 'Replace the settings; omitted members stay as they are',
      access: { permission: 'svc_rbac.edit_system_settings' },
      body: fields,
      bodySchema: 'SettingsRequest',
      answer,
      isTagged: true,
      run: ({ tx, call, values, given }) => change(tx, call, values, given),
    }),
    defineEndpoint({
      id: 'admin_settings_partial_update',
      method: 'PATCH',
      path,
      summary: 'Change settings',
      access: { permission: 'svc_rbac.edit_system_settings' },
      body: fields,
      bodySchema: 'PatchedSettingsRequest',
      answer,
      isTagged: true,
      run: ({ tx, call, values, given }) => change(tx, call, values, given),
    }),
  ];
}

export function diffOf(before: Row | Settings, after: Row | Settings): Row {
  const previous: Row = { ...before };
  const changed = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(previous[name], value));
  return Object.fromEntries(
    changed.map(([name, value]) => [name, { previous_value: previous[name], new_value: value }]),
  );
}
