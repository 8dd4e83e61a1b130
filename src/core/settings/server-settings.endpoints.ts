import { Invalid } from '../../lib/problem.ts';
import type { Config } from '../../platform/config.ts';
import { readPublicUrl } from '../../platform/config-values.ts';
import { serverAt } from '../../platform/mail/mailer.ts';
import { longLivedCredentials } from '../../resource/access/credentials.ts';
import {
  arrayOf,
  booleanSchema,
  objectSchema,
  stringSchema,
  withoutLengths,
} from '../../resource/document/json-schema.ts';
import { describeField } from '../../resource/document/ui-metadata/field.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import type { Row } from '../../resource/fields/field.ts';
import { integer } from '../../resource/fields/scalar.ts';
import { secret } from '../../resource/fields/secret.ts';
import { choice, text } from '../../resource/fields/text.ts';
import { checkIfMatch } from '../../resource/read/etag.ts';
import { type ServerSettings, type ServerSettingsStore, smtpSecurity } from './server-settings.ts';
import { diffOf } from './settings.endpoints.ts';

interface Dependencies {
  readonly serverSettings: ServerSettingsStore;
  readonly config: Pick<Config, 'publicUrl' | 'smtp' | 'sources'>;
}

const mail = { group: 'Mail server' };

const fields = {
  public_url: text({
    max: 500,
    blank: true,
    default: '',
    label: 'Public address',
    check: addressComplaint,
    help: 'The address by which browsers reach this server, such as https://id.example.com. It is used after a restart. Passkeys work only at the address at which they were added.',
  }),
  smtp_host: text({
    ...{ max: 255, blank: true, default: '', label: 'Host', ...mail },
    check: (host) => (/^[\w.:-]+$/.test(host) ? null : 'Enter the name or the address of a host.'),
    help: 'Empty: this server sends no mail. A host of your own network must be allowed by `GATEHOUSE_OUTBOUND_ALLOW`.',
  }),
  smtp_port: integer({
    ...{ min: 1, max: 65_535, default: 587, label: 'Port', ...mail },
    help: 'The port of the mail server.',
    isObvious: true,
  }),
  smtp_security: choice(smtpSecurity, {
    ...{ default: 'starttls', label: 'Encryption', ...mail },
    labels: { none: 'STARTTLS if offered', starttls: 'STARTTLS' },
    help: 'Port 587 usually takes STARTTLS, port 465 TLS.',
  }),
  smtp_username: text({
    ...{ max: 255, blank: true, default: '', label: 'Username', ...mail },
    help: 'The name to sign in to the mail server with; empty signs in with none.',
  }),
  smtp_password: secret({
    ...{ max: 500, blank: true, trim: false, default: '', label: 'Password', ...mail },
    help: 'Stored encrypted and never shown. Empty keeps the stored one.',
  }),
  smtp_from: text({
    ...{ max: 254, blank: true, default: '', format: 'email', label: 'Sender', ...mail },
    help: 'The address that mails come from.',
  }),
} as const;

/** Environment variables win: what they set is locked. */
const variables = {
  public_url: ['GATEHOUSE_PUBLIC_URL'],
  mail: ['GATEHOUSE_SMTP_URL', 'GATEHOUSE_SMTP_FROM'],
} as const;
const parts = ['public_url', 'mail'] as const;
type Part = (typeof parts)[number];
const partOf = (name: string): Part => (name === 'public_url' ? 'public_url' : 'mail');

const { smtp_password: _, ...shownFields } = fields;
const schema = objectSchema({
  ...Object.fromEntries(
    Object.entries(shownFields).map(([name, field]) => [
      name,
      { ...withoutLengths(field.schema), 'x-field': describeField(name, field) },
    ]),
  ),
  has_smtp_password: booleanSchema,
  public_url_in_use: { ...stringSchema, description: 'The one since the last start.' },
  locked: {
    ...arrayOf({ type: 'string', enum: parts }),
    description: 'What environment variables set; it cannot be changed here.',
  },
});
const path = '/admin/server_settings/';
const answer = { status: 200, schema, schemaName: 'ServerSettings' };

/** The public address and the mail server, apart from the settings because a wrong value redirects recovery links. */
export function serverSettingsEndpoints({ serverSettings: store, config }: Dependencies): Endpoint[] {
  const isLocked = (part: Part) => variables[part].some((name) => config.sources[name] === 'environment');
  const show = (settings: ServerSettings) => {
    const { smtp_password, ...shown } = settings;
    return {
      ...shown,
      has_smtp_password: smtp_password !== '',
      ...(isLocked('public_url') && { public_url: config.publicUrl }),
      ...(isLocked('mail') && mailServerOf(config.smtp)),
      public_url_in_use: config.publicUrl,
      locked: parts.filter(isLocked),
    };
  };

  function changed(before: ServerSettings, given: Row): ServerSettings {
    for (const name of Object.keys(given))
      if (isLocked(partOf(name)))
        throw Invalid.field(
          name,
          `This is set by ${variables[partOf(name)].join(' and ')}, which cannot be changed here.`,
        );
    const { smtp_password, ...others } = given;
    const after: ServerSettings = {
      ...before,
      ...others,
      ...(typeof others.public_url === 'string' && { public_url: normalAddress(others.public_url) }),
      ...(typeof smtp_password === 'string' && smtp_password !== '' && { smtp_password }),
    };
    if (after.smtp_host !== '' && after.smtp_from === '')
      throw Invalid.field('smtp_from', 'Enter the sender of mails.');
    if (after.smtp_username === '') return { ...after, smtp_password: '' };
    // Otherwise the stored password would be sent to the new host.
    const isElsewhere = after.smtp_host !== before.smtp_host || after.smtp_username !== before.smtp_username;
    if (isElsewhere && before.smtp_password !== '' && !smtp_password)
      throw Invalid.field('smtp_password', 'Enter the password for this host and username.');
    return after;
  }

  return [
    defineEndpoint({
      id: 'admin_server_settings_retrieve',
      method: 'GET',
      path,
      summary: 'Read the public address and the mail server',
      access: { permission: 'svc_rbac.view_system_settings' },
      answer,
      isTagged: true,
      run: async ({ tx }) => show(await store.read(tx)),
    }),
    defineEndpoint({
      id: 'admin_server_settings_partial_update',
      method: 'PATCH',
      path,
      summary: 'Change the public address and the mail server',
      // Recovery links lead to this address, through this mail server.
      access: 'superuser',
      credentials: longLivedCredentials,
      recentAuthentication: true,
      body: fields,
      bodySchema: 'PatchedServerSettingsRequest',
      answer,
      isTagged: true,
      async run({ tx, call, values, given }) {
        const before = await store.readToChange(tx);
        await checkIfMatch(call, async () => show(before));
        const row: Row = values;
        const after = changed(before, Object.fromEntries([...given].map((name) => [name, row[name]])));
        await store.save(tx, after);
        await call.world.record(tx, call, {
          action: 'model_updated',
          app: 'svc_tenants',
          context: {
            model: { app: 'svc_tenants', model_name: 'tenant', pk: 1, name: 'Settings' },
            diff: diffOf(masked(before), masked(after)),
          },
        });
        return show(after);
      },
    }),
  ];
}

/** The mail server of the environment, without its password. */
function mailServerOf({ url, from }: Config['smtp']) {
  const server = url === null ? null : serverAt(url);
  const security: ServerSettings['smtp_security'] = server?.requireTLS ? 'starttls' : 'none';
  return {
    smtp_host: server?.host ?? '',
    smtp_port: server?.port ?? 587,
    smtp_security: server?.secure ? 'tls' : security,
    smtp_username: server?.auth?.user ?? '',
    has_smtp_password: server?.auth !== undefined,
    smtp_from: from ?? '',
  };
}

/** For events: only whether there is a password. */
const masked = ({ smtp_password, ...settings }: ServerSettings): Row => ({
  ...settings,
  has_smtp_password: smtp_password !== '',
});

const normalAddress = (address: string): string => (address === '' ? '' : readPublicUrl(address));

function addressComplaint(address: string): string | null {
  try {
    readPublicUrl(address);
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `The address ${error.message}.`;
  }
}
